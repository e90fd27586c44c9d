import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { RunningServer, ServeOptions } from '../local.ts';
import { wholeNumber } from './arguments.ts';
import { storeFile } from './store-file.ts';

export type ServeFlags = {
  readonly store?: string;
  readonly port: number;
  readonly host: string;
  readonly baseUrl?: string;
  readonly maxPageSize?: number;
  readonly maxBody?: number;
  readonly readyFile?: string;
};

export function define(command: Command, context: Context, run = serve): void {
  command
    .option('--store <file>', 'the store file; made where it is missing (default: the local blog)')
    .option('--port <n>', 'port to listen at; 0 picks a free one', wholeNumber(0, 65_535), 8080)
    .option('--host <address>', 'address to listen at', '127.0.0.1')
    .option('--base-url <url>', 'what links begin with, behind a proxy')
    .option('--max-page-size <n>', 'most articles of a page (default: 1000)', wholeNumber(1))
    .option('--max-body <bytes>', 'longest request body (default: 1048576)', wholeNumber(1))
    .option('--ready-file <file>', 'write the ready line to this file as well')
    .addHelpText(
      'after',
      `
Ready, it says so on stderr, and with --json as one line on stdout. Ctrl-C ends it:
requests under way are finished, and everything answered is on disk.
BLOGCTL_SERVE_TOKEN gives it a token of your choice.

Examples:
  blogctl serve --store blog.json
  blogctl serve --store blog.json --port 0 --json --ready-file ready.json`,
    )
    .action((flags: ServeFlags) => run(flags, context));
}

/** Serves a store file until Ctrl-C or SIGTERM, and ends with 0 then. */
export async function serve(flags: ServeFlags, context: Context): Promise<void> {
  const file = await storeFile(flags.store, context);
  const { serveFile } = await import('../local.ts');
  const server = await serveFile(optionsOf(flags, file, context));
  try {
    await announce(server, flags, context);
    await untilAborted(context.signal);
  } finally {
    await server.stop();
  }
  await context.terminal.notice('Stopped; everything answered is on disk.');
}

function optionsOf(flags: ServeFlags, file: string, { env, terminal }: Context): ServeOptions {
  const { port, host, baseUrl, maxPageSize, maxBody } = flags;
  return {
    file,
    port,
    host,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(maxPageSize !== undefined && { maxPageSize }),
    ...(maxBody !== undefined && { maxBodyBytes: maxBody }),
    ...(env['BLOGCTL_SERVE_TOKEN'] && { token: env['BLOGCTL_SERVE_TOKEN'] }),
    accessLog: (line) => void terminal.notice(line),
    notice: (text) => void terminal.notice(text),
  };
}

async function announce(server: RunningServer, flags: ServeFlags, context: Context): Promise<void> {
  const { terminal, env, folder } = context;
  const token = env['BLOGCTL_SERVE_TOKEN'] ? undefined : await firstToken(server.file);
  const [blog] = server.blogs;
  await terminal.notice(`Serving  ${blog?.url ?? server.url}`);
  await terminal.notice(`Store    ${server.file}`);
  // Never silent: it cannot be shown again.
  if (token !== undefined) await terminal.complain(`Token    ${token}   (shown once)\n`);
  await terminal.notice(`Try      blogctl articles list --blog ${blog?.url ?? server.url}`);
  const ready = readyLine(server);
  if (terminal.format === 'json' || terminal.format === 'ndjson') await terminal.write(ready);
  if (flags.readyFile !== undefined) await writeFile(resolve(folder, flags.readyFile), ready);
}

/** A store without tokens gets one, so that there is a first change without a second command. */
async function firstToken(file: string): Promise<string | undefined> {
  const { withTokensOf } = await import('../local.ts');
  return withTokensOf(file, async (tokens) => {
    if (tokens.list().length > 0) return undefined;
    const rights = ['create', 'update', 'delete'] as const;
    return (await tokens.create({ name: 'first serve', rights })).token;
  });
}

function readyLine({ url, blogs, file }: RunningServer): string {
  const listed = blogs.map((blog) => ({ id: blog.id, url: blog.url }));
  return `${JSON.stringify({ url, blogs: listed, store: file, pid: process.pid })}\n`;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
