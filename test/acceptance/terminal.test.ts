import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenFolder } from '../support/command.ts';
import {
  allHostile,
  harmIn,
  type HostileService,
  startHostileService,
} from '../support/hostile-words.ts';
import { hasTerminals, startOnTerminal } from '../support/on-terminal.ts';
import { startRawServer } from '../support/raw-server.ts';

let service: HostileService;
beforeAll(async () => void (service = await startHostileService()));
afterAll(() => service.stop());

/** All that the screen gets; a question is answered with no. */
async function onTerminal(words: readonly string[]): Promise<string> {
  const { running } = await start(words);
  running.stdin.write('n\n');
  return (await running).stdout;
}

async function start(words: readonly string[], blog = service.blogUrl) {
  const folder = await givenFolder();
  await writeFile(join(folder, 'post.md'), `---\ntitle: ${JSON.stringify(allHostile)}\n---\n`);
  const env = { BLOGCTL_BLOG: blog, BLOGCTL_TOKEN: 'right-token' };
  return { running: startOnTerminal(words, { folder, env }) };
}

const commands: readonly (readonly string[])[] = [
  ['blog'],
  ['articles', 'list'],
  ['articles', 'get', '1', '2'],
  ['articles', 'delete', '1', '2'],
  ['articles', 'update', '1', '--title', allHostile],
  ['articles', 'import', 'post.md', '--continue-on-error'],
  ['articles', 'export', '-'],
  ['articles', 'links', '1'],
  ['api'],
  ['links', allHostile],
  ['profile', 'add', allHostile, 'file:x'],
  ['store', 'init', '--store', 'blog.json', '--title', allHostile],
];

describe.skipIf(!hasTerminals())('on a terminal', () => {
  it.each(commands.map((words) => [words.slice(0, 2).join(' '), words] as const))(
    'nothing that a service or a file says moves the cursor: %s',
    async (_, words) => {
      expect(harmIn('', await onTerminal(words))).toEqual([]);
    },
  );

  it('the looks are ours', async () => {
    expect(await onTerminal(['articles', 'list'])).toContain('\u001B[1mID');
  });

  it('Ctrl-C while a spinner turns lets the command end in its own words', async () => {
    const silent = await startRawServer(() => {});
    const { running } = await start(['articles', 'list'], `${silent.url}/`);
    running.stdout.on('data', (text) => {
      if (String(text).includes('Waiting for an answer')) running.stdin.write('\u0003');
    });
    expect(await running).toMatchObject({
      exitCode: 130,
      stdout: expect.stringContaining(' Interrupted.\r\n'),
    });
    await silent.stop();
  });

  it('neither does what a service says when it refuses', async () => {
    service.refuse();
    for (const words of commands) expect(harmIn('', await onTerminal(words))).toEqual([]);
  });
});
