import { resolve } from 'node:path';
import type { Context } from '../context/context.ts';
import { replaceFile } from '../files.ts';
import { type RunningServer, refuseLoss, type ServeOptions, serveFile } from '../local.ts';
import { longestWaitMs } from '../settings/values.ts';
import type { ServeFlags } from './serve.ts';
import { isDatabase, storeFile, storeFileToMake } from './store-file.ts';

/** Serves a store file until Ctrl-C or SIGTERM, and ends with 0 then, unless answered changes are lost. */
export async function serve(flags: ServeFlags, context: Context): Promise<void> {
  const server = await serveFile(await optionsOf(flags, context));
  let loss: string | undefined;
  try {
    await announce(server, flags, context);
    await untilAborted(context.signal);
  } finally {
    loss = await server.stop();
  }
  refuseLoss(loss);
  const kept = flags.ephemeral === true ? 'nothing was kept' : 'everything answered is on disk';
  await context.terminal.notice(`Stopped; ${kept}.`);
}

async function optionsOf(flags: ServeFlags, context: Context): Promise<ServeOptions> {
  const { env, folder, terminal } = context;
  const { port, host, baseUrl, trustProxy, cors, delay, rateLimit, ephemeral, readOnly } = flags;
  const file = await fileToServe(flags, context);
  const logFormat =
    flags.log ?? (terminal.format === 'table' || terminal.format === 'tsv' ? 'text' : 'json');
  return {
    file,
    port,
    host,
    signal: context.signal,
    logFormat,
    ...(baseUrl !== undefined && { baseUrl }),
    ...(flags.allowedHost !== undefined && { allowedHosts: flags.allowedHost }),
    ...(trustProxy !== undefined && { trustProxy }),
    ...(cors !== undefined && { cors }),
    ...(flags.maxPageSize !== undefined && { maxPageSize: flags.maxPageSize }),
    ...(flags.maxBody !== undefined && { maxBodyBytes: flags.maxBody }),
    ...(readOnly === true && { readOnly }),
    ...(flags.storeConnections !== undefined && { storeConnections: flags.storeConnections }),
    ...(flags.watch === true && { watch: true }),
    ...(flags.requirePreconditions === true && { requirePreconditions: true }),
    ...(rateLimit !== undefined && { rateLimit }),
    ...(flags.grace !== undefined && { graceMs: Math.min(flags.grace, longestWaitMs) }),
    ...(ephemeral === true && { ephemeral }),
    ...(flags.seed !== undefined && { seed: resolve(folder, flags.seed) }),
    ...(delay !== undefined && { delay }),
    ...(flags.fault !== undefined && { faults: flags.fault }),
    ...(flags.control === true && { control: true }),
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
  if (ephemeral === true) return 'memory.json';
  return readOnly === true ? storeFile(store, context) : storeFileToMake(store, context);
}

async function announce(server: RunningServer, flags: ServeFlags, context: Context): Promise<void> {
  const { terminal, env, folder } = context;
  const url = server.blogs[0]?.url ?? server.url;
  const store = flags.ephemeral === true ? 'in memory, forgotten at the end' : server.file;
  const isShared = isDatabase(server.file);
  const needsToken = !isShared && !env['BLOGCTL_SERVE_TOKEN'] && flags.readOnly !== true;
  const token = needsToken ? await firstToken(server) : undefined;
  await terminal.notice(`Serving  ${url}`);
  await terminal.notice(`Store    ${store}`);
  // Never silent: it cannot be shown again.
  if (token !== undefined) await terminal.insist(`Token    ${token}   (shown once)`);
  if (isShared && !env['BLOGCTL_SERVE_TOKEN'] && (await server.tokens.list()).length === 0) {
    await terminal.notice('Token    none yet: blogctl token create --store postgres://…');
  }
  await terminal.notice(`Try      blogctl articles list --blog ${url}`);
  await terminal.notice(`         blogctl auth login ${url}`);
  const ready = readyLine(server, flags);
  if (terminal.format === 'json' || terminal.format === 'ndjson') await terminal.write(ready);
  if (flags.readyFile !== undefined) await replaceFile(resolve(folder, flags.readyFile), ready);
}

/** A store without tokens gets one, so that there is a first change without a second command. */
async function firstToken({ tokens, runToken }: RunningServer): Promise<string | undefined> {
  if (runToken !== undefined) return runToken;
  if ((await tokens.list()).length > 0) return undefined;
  const rights = ['create', 'update', 'delete'] as const;
  return (await tokens.create({ name: 'first serve', rights })).token;
}

/** The token of the run is in it where tests are to control the blog, and nowhere else. */
function readyLine({ url, blogs, file, runToken }: RunningServer, flags: ServeFlags): string {
  const listed = blogs.map((blog) => ({ id: blog.id, url: blog.url }));
  const store = flags.ephemeral === true ? null : file;
  const ready = { url, blogs: listed, store, pid: process.pid, token: runToken };
  return `${JSON.stringify(ready)}\n`;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
