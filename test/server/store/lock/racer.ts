import { setTimeout as pause } from 'node:timers/promises';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import { random } from '../../../support/random.ts';
import { StoreHeld } from '../../../../server/store/unusable-store.ts';

/** Says on each line of stdin, a path, whether this process got the store; holds it until the next. */
let release: () => Promise<void> = async () => undefined;
for await (const chunk of process.stdin) {
  const path = String(chunk).trim();
  await release();
  release = async () => undefined;
  if (path === 'release') process.stdout.write('released\n');
  else process.stdout.write(`${await race(path)}\n`);
}

async function race(path: string): Promise<string> {
  await pause(random.next() * 3);
  try {
    const store = await openJsonFile({ path });
    release = () => store.close();
    return 'won';
  } catch (error) {
    return error instanceof StoreHeld ? `held by ${error.holder?.pid}` : String(error);
  }
}
