import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';

import type { BlogClient } from '../../../../src/client/blog-client.ts';
import type { Context } from '../../../../src/commands/context.ts';
import { addCommands, createProgram } from '../../../../src/program.ts';
import { readSettings } from '../../../../src/settings/settings.ts';
import { asBlogctlError } from '../../../../src/terminal/messages.ts';
import { createTerminal } from '../../../../src/terminal/terminal.ts';

export type CommandRun = {
  readonly stdout: string;
  readonly stderr: string;
  /** What the command ended with, where it did not run through. */
  readonly error?: unknown;
  /** The exit status that stands for it. */
  readonly status: number;
};

/** One command line against a blog given as a value; outside a terminal. */
export async function givenCommand(
  line: readonly string[],
  client: BlogClient,
  {
    stdin = [],
    env: more = {},
    signal = new AbortController().signal,
  }: { stdin?: readonly string[]; env?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<CommandRun> {
  const streams = {
    stdin: Readable.from(stdin),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const program = createProgram((text) => void streams.stdout.write(text));
  const terminal = createTerminal(
    { ...streams, env: {} },
    () => program.opts(),
    () => signal,
  );
  const unused = (): never => {
    throw new Error('not used by this command');
  };
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-data-'));
  const env = { BLOGCTL_DATA_DIR: folder, ...more };
  const context: Context = {
    terminal,
    get flags() {
      return program.opts();
    },
    env,
    platform: 'linux',
    folder: process.cwd(),
    signal,
    config: async () => emptyConfig,
    settings: () =>
      readSettings({
        ...nowhere,
        flags: { blog: 'file:/blog.json', ...program.opts() },
        config: emptyConfig,
      }),
    chosen: async () => ({
      value: { kind: 'file', path: '/blog.json' },
      origin: 'flag',
      place: '--blog',
    }),
    announceBlog: async () => 'file:/blog.json',
    token: unused,
    connection: unused,
    client: async () => client,
    release: async () => false,
    close: async () => undefined,
  };
  addCommands(program, context);
  const error = await program
    .parseAsync(['node', 'blogctl', ...line])
    .then(() => undefined, asBlogctlError);
  await rm(folder, { recursive: true });
  const text = (stream: PassThrough): string => String(stream.read(stream.readableLength) ?? '');
  return {
    stdout: text(streams.stdout),
    stderr: text(streams.stderr),
    error,
    status: error?.exitStatus ?? 0,
  };
}

const nowhere = { env: {}, platform: 'linux', folder: '/' };

const emptyConfig = {
  path: 'config.json',
  read: async () => ({ profiles: {}, tokens: {} }),
  change: async () => undefined,
};
