import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { givenSync } from './given-sync.ts';

it('a plan that was kept is carried out with the state that it was made with', async () => {
  const world = await givenSync();
  world.write({ 'a.md': 'A/one' });
  world.commit();
  await world.sync('apply posts --state st.nd');
  world.write({ 'a.md': 'A/two' });
  world.commit();
  await world.sync('plan posts --state st.nd -o plan.json');
  const before = readFileSync(join(world.root, 'st.nd'), 'utf8');
  expect((await world.sync('apply plan.json')).json).toMatchObject({ written: 1 });
  expect(readFileSync(join(world.root, 'st.nd'), 'utf8')).not.toBe(before);
  const data = join(world.root, 'data', 'sync');
  const kept = existsSync(data) ? readdirSync(data) : [];
  expect(kept.filter((name) => name.endsWith('.ndjson'))).toEqual([]);
  // Named on the line it is that one.
  world.write({ 'a.md': 'A/three' });
  await world.sync('plan posts --state st.nd -o plan2.json');
  const named = await world.sync('apply plan2.json --state other.nd');
  expect(named.json).toMatchObject({ written: 1 });
  // It may be committed: nothing of this machine is in it.
  expect(readFileSync(join(world.root, 'other.nd'), 'utf8')).not.toContain(world.root);
});

it('an empty file is a state of which nothing is known yet', async () => {
  const texts: string[] = [];
  const stateOf = (root: string) => readFileSync(join(root, 'st.nd'), 'utf8');
  const world = await givenSync({
    before: (method) => void (method === 'POST' && texts.push(stateOf(world.root))),
  });
  await world.add('Theirs', 'text');
  world.write({ 'a.md': 'A/one', 'b.md': 'B/two' });
  writeFileSync(join(world.root, 'st.nd'), '');
  const line = 'apply posts --import-id o/r --state st.nd';
  expect((await world.sync(line)).status).toBe(6);
  await world.sync(`${line} --adopt none`);
  // Behind the first answer, where it may be killed, it is a state.
  expect(texts.map((text) => text.startsWith('{"sync":{'))).toEqual([false, true]);
});

it('a device that is named as a state stays one', async () => {
  const world = await givenSync();
  const place = join(world.root, 'nowhere');
  symlinkSync('/dev/null', place);
  world.write({ 'a.md': 'A/one' });
  expect((await world.sync(`apply posts --state ${place}`)).status).toBe(0);
  expect(lstatSync(place).isSymbolicLink()).toBe(true);
});
