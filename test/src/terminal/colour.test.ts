import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OtherService, startOtherService } from '../../support/other-service.ts';
import { run } from '../../support/run.ts';

const escape = '\x1b';

let service: OtherService;
let folder: string;
beforeAll(async () => {
  service = await startOtherService(['One']);
  folder = await mkdtemp(join(tmpdir(), 'blogctl-colour-'));
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

type Given = { env?: Record<string, string>; terminal?: number; stdin?: string };

function blogctl(line: string, { env, ...more }: Given) {
  const own = {
    BLOGCTL_BLOG: service.blogUrl,
    BLOGCTL_TOKEN: 'right-token',
    BLOGCTL_CONFIG_DIR: folder,
    BLOGCTL_DATA_DIR: folder,
  };
  return run(line.split(' '), { env: { ...own, ...env }, ...more });
}

describe('colour', () => {
  it.each<[string, string, Given, boolean]>([
    ['on a terminal', '', { terminal: 80 }, true],
    ['off a terminal', '', {}, false],
    ['with NO_COLOR', '', { terminal: 80, env: { NO_COLOR: '1' } }, false],
    ['with NO_COLOR that is empty', '', { terminal: 80, env: { NO_COLOR: '' } }, true],
    ['with --no-color', ' --no-color', { terminal: 80 }, false],
    ['on a dumb terminal', '', { terminal: 80, env: { TERM: 'dumb' } }, false],
    ['off a terminal with FORCE_COLOR', '', { env: { FORCE_COLOR: '1' } }, true],
    ['with FORCE_COLOR=0', '', { terminal: 80, env: { FORCE_COLOR: '0' } }, false],
    ['with NO_COLOR and FORCE_COLOR', '', { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, false],
  ])('%s', async (_, flags, given, isColoured) => {
    const list = await blogctl(`articles list --format table${flags}`, given);
    expect(list.out).toContain('One');
    expect(list.out.includes(`${escape}[1m`)).toBe(isColoured);
    const missing = await blogctl(`articles get 9${flags}`, given);
    expect(missing.err).toContain('error');
    expect(missing.err.includes(`${escape}[31m`)).toBe(isColoured);
  });
});

it.each([
  ['moves on a terminal', {}, true],
  ['does not move on a dumb one', { TERM: 'dumb' }, false],
  ['does not move in CI', { CI: 'true' }, false],
])('the bar of an import %s', async (_, env, moves) => {
  const stdin = '{"title":"A","content":"a"}\n';
  const line = `articles import - --import-id ${Object.keys(env).join('-')}x --no-color`;
  const { out, err, status } = await blogctl(line, { env, terminal: 80, stdin });
  expect(status).toBe(0);
  expect(out).toContain('1 record: ');
  expect(err.includes('\r')).toBe(moves);
});
