import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { Context } from './context.ts';
import type { RunningServer, ServeOptions } from '../local.ts';
import { longestWaitMs } from '../settings/values.ts';
import { duration, hostName, hosts, names, storeToServe, wholeNumber } from './arguments.ts';
import {
  isDatabase,
  notRead,
  oneStore,
  servedFile,
  storeFileToMake,
  withItsFlags,
} from './store-file.ts';

type ServeFlags = {
  readonly store?: string;
  readonly storeConnections?: number;
  readonly port: number;
  readonly host: string;
  readonly baseUrl?: string;
  readonly allowedHost?: readonly string[];
  readonly trustProxy?: readonly string[];
  readonly cors?: readonly string[];
  readonly maxPageSize?: number;
  readonly maxBody?: number;
  readonly readOnly?: boolean;
  readonly watch?: boolean;
  readonly requirePreconditions?: boolean;
  readonly rateLimit?: string;
  /** Milliseconds. */
  readonly grace?: number;
  readonly readyFile?: string;
  /** Default: as the rest of stderr is written. */
  readonly log?: 'text' | 'json';
  readonly seed?: string;
  readonly ephemeral?: boolean;
  readonly delay?: string;
  readonly fault?: readonly string[];
  readonly control?: boolean;
  readonly isNew?: boolean;
};

export function define(command: Command, context: Context, run = runServe): void {
  command
    .argument('[file]', 'the store file, as --store names it', storeToServe(context.folder))
    .optionsGroup('Often:')
    .option(
      '--store <store>',
      'file, made where it is missing, or postgres://… (default: local blog)',
    )
    .option('-p, --port <n>', 'port to listen at; 0 picks a free one', wholeNumber(0, 65_535), 8080)
    .option('--read-only', 'refuse every change (423); leaves file and folder untouched')
    .addOption(
      new Option('--watch', 'read the file again when another program changed it').conflicts([
        'readOnly',
        'ephemeral',
      ]),
    )
    .option('--ready-file <file>', 'write the ready line to this file as well')
    .addOption(
      new Option('--log <form>', 'of the access log (default: text, with --json json)').choices([
        'text',
        'json',
      ]),
    )
    .optionsGroup('Reached by others:')
    .option('--host <address>', 'address to listen at', hostName, '127.0.0.1')
    .option('--base-url <url>', 'what links begin with, behind a proxy')
    .option('--allowed-host <name>', 'a Host to answer for besides local ones; repeatable', hosts)
    .option('--trust-proxy <range>', 'a proxy whose Forwarded is believed; repeatable', names)
    .option('--cors <origin>', 'an origin whose pages may use the service; repeatable', names)
    .optionsGroup('Limits:')
    .option('--max-page-size <n>', 'most articles of a page (default: 1000)', wholeNumber(1))
    .option('--max-body <bytes>', 'longest request body (default: 1048576)', wholeNumber(1))
    .option('--rate-limit <n/s>', 'requests a second of each token or address, such as 50/s')
    .option('--require-preconditions', 'refuse changes without If-Match or a date')
    .addOption(
      new Option('--store-connections <n>', 'to a database, for reading (default: 2)').argParser(
        wholeNumber(1, 50),
      ),
    )
    .option(
      '--grace <duration>',
      'how long a stop waits for what still runs (default: 5s)',
      duration,
    )
    .optionsGroup('For tests of other software:')
    .option('--seed <file>', 'articles that an empty store starts with (JSON, NDJSON or a store)')
    .option('--ephemeral', 'keep everything in memory and forget it at the end')
    .option('--delay <ms>', 'let every answer wait, such as 200 or 100-300')
    .option(
      '--fault <what>',
      "fail on purpose, such as 'POST drop-after-commit 5%'; repeatable",
      names,
    )
    .option('--control', 'let tests reset the blog, set faults and see requests; with --ephemeral')
    .addHelpText(
      'after',
      `
Ready, it says so on stderr, and with --json as one line on stdout.
Ctrl-C ends it: requests under way are finished, and everything answered is on disk.
BLOGCTL_SERVE_TOKEN gives it a token of your choice.

Faults: <METHOD or *> [/path] <status 503 | slow 200ms | drop-before | drop-after-commit> <5% | once | 3 times>

Examples:
  blogctl serve blog.json
  blogctl serve --store blog.json --port 0 --json --ready-file ready.json
  blogctl serve --ephemeral --seed articles.ndjson --fault '* status 503 10%'
  blogctl serve --ephemeral --seed articles.ndjson --control --ready-file ready.json`,
    )
    .action((file: string | undefined, flags: ServeFlags, called: Command) =>
      withItsFlags(called, async () => run(oneStore(file, flags), context)),
    );
}

/** Serves a store file until Ctrl-C or SIGTERM, and ends with 0 then, unless answered changes are lost. */
async function runServe(flags: ServeFlags, context: Context): Promise<void> {
  const { refuseLoss, serveFile } = await import('../local.ts');
  const options = await optionsOf(flags, context);
  const named = flags.readyFile === undefined ? undefined : await import('./ready-file.ts');
  const readyFile = await named?.openReadyFile(flags, options.file, context);
  const isNew = !isDatabase(options.file) && !existsSync(options.file);
  await tellUnread(flags, context);
  const server = await serveFile(options);
  let [loss, ready]: readonly (string | undefined)[] = [];
  try {
    ready = await announce(server, { ...flags, isNew }, context);
    await readyFile?.write(ready);
    await untilAborted(context.signal);
  } finally {
    loss = await server.stop();
    if (ready !== undefined) await readyFile?.drop(ready);
  }
  refuseLoss(loss);
  const place = isDatabase(options.file) ? 'in the database' : 'on disk';
  const kept = flags.ephemeral === true ? 'nothing was kept' : `everything answered is ${place}`;
  await context.terminal.notice(`Stopped; ${kept}.`);
}

async function optionsOf(flags: ServeFlags, context: Context): Promise<ServeOptions> {
  const { env, folder, terminal } = context;
  const { allowedHost, maxBody, grace, seed, fault, log, readyFile: _, store: __, ...same } = flags;
  const file = await fileToServe(flags, context);
  const isText = terminal.format === 'table' || terminal.format === 'tsv';
  const logFormat = log ?? (isText ? 'text' : 'json');
  return {
    ...same,
    file,
    signal: context.signal,
    logFormat,
    ...(allowedHost !== undefined && { allowedHosts: allowedHost }),
    ...(maxBody !== undefined && { maxBodyBytes: maxBody }),
    ...(grace !== undefined && { graceMs: Math.min(grace, longestWaitMs) }),
    ...(seed !== undefined && { seed: resolve(folder, seed) }),
    ...(fault !== undefined && { faults: fault }),
    ...(env['BLOGCTL_SERVE_TOKEN'] && { token: env['BLOGCTL_SERVE_TOKEN'] }),
    accessLog: (lines) => {
      if (terminal.quiet) return;
      void (logFormat === 'json' ? terminal.record(lines) : terminal.trace(lines));
    },
    notice: (text) => void terminal.warn(text),
  };
}

async function fileToServe(
  { store, ephemeral, readOnly }: ServeFlags,
  context: Context,
): Promise<string> {
  if (ephemeral === true)
    return store === undefined ? 'memory.json' : notRead(store, context.folder);
  return readOnly === true ? servedFile(store, context) : storeFileToMake(store, context);
}

/** Variables that other servers read; where they say more than the flags, that is told. */
async function tellUnread({ port, host }: ServeFlags, { env, terminal }: Context): Promise<void> {
  const given = [String(port), host];
  for (const name of ['PORT', 'BLOGCTL_PORT', 'HOST', 'BLOGCTL_HOST']) {
    const value = env[name] ?? '';
    if (!/^(?:localhost|[\d.]+|[\da-f]*:[\da-f:]+)$/i.test(value) || given.includes(value))
      continue;
    const flag = name.endsWith('PORT') ? '--port' : '--host';
    await terminal.notice(`${name} is not read: ${flag} ${value} says so.`);
  }
}

async function announce(server: RunningServer, flags: ServeFlags, context: Context) {
  const { terminal, env } = context;
  const url = server.blogs[0]?.url ?? server.url;
  const file = `${server.file}${flags.isNew ? '   (new)' : ''}`;
  const store = flags.ephemeral === true ? 'in memory, forgotten at the end' : file;
  const isShared = isDatabase(server.file);
  const needsToken = !isShared && !env['BLOGCTL_SERVE_TOKEN'] && flags.readOnly !== true;
  const token = needsToken ? await firstToken(server) : undefined;
  // It is the answer, to --quiet too; as JSON it stands on stdout.
  const isJson = terminal.format === 'json' || terminal.format === 'ndjson';
  await (isJson ? terminal.notice(`Serving  ${url}`) : terminal.insist(`Serving  ${url}`));
  await terminal.notice(`Page     ${server.url}/`);
  if (server.ownUrl !== server.url) await terminal.notice(`Listens  ${server.ownUrl}`);
  await terminal.notice(`Store    ${store}`);
  if (!server.isLoopback && flags.baseUrl === undefined) {
    await terminal.warn(
      `Others reach it at ${flags.host}, port ${new URL(server.url).port}, unencrypted: docs/serve.md.`,
    );
  }
  // Never silent: it cannot be shown again.
  if (token !== undefined) await terminal.insist(`Token    ${token}   (shown once)`);
  if (isShared && !env['BLOGCTL_SERVE_TOKEN'] && (await server.tokens.list()).length === 0) {
    await terminal.notice('Token    none yet: blogctl token create --store postgres://…');
  }
  await terminal.notice(`Try      blogctl articles list --blog ${url}`);
  const changes = [`auth login ${url}`, `articles import <folder> --blog ${url}`];
  for (const line of flags.readOnly === true ? [] : changes)
    await terminal.notice(`         blogctl ${line}`);
  const ready = readyLine(server, flags, token);
  if (isJson) await terminal.write(ready);
  return ready;
}

/** A store without tokens gets one, so that there is a first change without a second command. */
async function firstToken({ file, tokens, runToken }: RunningServer): Promise<string | undefined> {
  if (runToken !== undefined) return runToken;
  if ((await tokens.list()).length > 0) return undefined;
  const rights = ['create', 'update', 'delete'] as const;
  const { atServer } = await import('../local.ts');
  return (await atServer(file, () => tokens.create({ name: 'first serve', rights }))).token;
}

/** With the token that was made, as it is shown once; with --control also where it was chosen. */
function readyLine(
  { url, ownUrl, blogs, file, runToken }: RunningServer,
  flags: ServeFlags,
  made: string | undefined,
): string {
  const listed = blogs.map((blog) => ({ id: blog.id, url: blog.url }));
  const store = flags.ephemeral === true ? null : file;
  const elsewhere = ownUrl === url ? undefined : ownUrl;
  const { pid } = process;
  const ready = { url, listens: elsewhere, blogs: listed, store, pid, token: runToken ?? made };
  return `${JSON.stringify(ready)}\n`;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
