import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { givenFolder } from '../support/command.ts';
import {
  allHostile,
  harmIn,
  type HostileService,
  startHostileService,
} from '../support/hostile-words.ts';
import { isInstalled } from '../support/programs.ts';
import { startRawServer } from '../support/raw-server.ts';

const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));

let service: HostileService;
beforeAll(async () => void (service = await startHostileService()));
afterAll(() => service.stop());

/** What a real terminal gets, byte for byte: `script` of util-linux gives the command one. */
async function onTerminal(words: readonly string[]): Promise<string> {
  const { running } = await startOnTerminal(words);
  // It stays open: `script` waits for seconds where it ends.
  running.stdin.write('n\n');
  return (await running).stdout;
}

async function startOnTerminal(words: readonly string[], blog = service.blogUrl) {
  const folder = await givenFolder();
  await writeFile(join(folder, 'post.md'), `---\ntitle: ${JSON.stringify(allHostile)}\n---\n`);
  // Without a width no spinner turns.
  const command = `stty cols 80; exec ${[process.execPath, bin, ...words].map(quoted).join(' ')}`;
  const running = execa('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    extendEnv: false,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      BLOGCTL_BLOG: blog,
      BLOGCTL_TOKEN: 'right-token',
      PAGER: 'cat',
    },
    stdin: 'pipe',
    reject: false,
    stripFinalNewline: false,
  });
  return { running };
}

/** NUL cannot stand in an argument. */
const quoted = (word: string) => `'${word.replaceAll('\u0000', '').replaceAll("'", `'\\''`)}'`;

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

describe.skipIf(!isUtilLinux())('on a terminal', () => {
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
    const { running } = await startOnTerminal(['articles', 'list'], `${silent.url}/`);
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

function isUtilLinux(): boolean {
  if (!isInstalled('script')) return false;
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
}
