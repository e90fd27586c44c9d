import { promises } from 'node:fs';
import { resolve } from 'node:path';
import type { Context } from './context.ts';
import { requireWritable } from './open-file.ts';
import { isDatabase } from './store-file.ts';
import { BlogctlError } from '../errors.ts';
import { beginningOf, hasCode, replaceFile, smallFile } from '../files.ts';
import { inShell } from '../terminal/text.ts';

type ReadyFile = {
  write(ready: string): Promise<void>;
  /** Once what it says is not true any more. */
  drop(ready: string): Promise<void>;
};

/**
 * The file of an earlier start goes before anything is served, and nothing else may; that of this one with its end.
 * Throws `locked` where who wrote it still serves: whoever reads it would be led to the one or the other.
 */
export async function openReadyFile(
  { readyFile, ephemeral }: { readonly readyFile?: string; readonly ephemeral?: boolean },
  served: string,
  context: Context,
): Promise<ReadyFile | undefined> {
  if (readyFile === undefined) return undefined;
  const store = ephemeral === true || isDatabase(served) ? undefined : served;
  const isOurs = (path: string) =>
    /^$|^\{"url":"[^"]*",(?:"listens":"[^"]*",)?"blogs":\[/.test(beginningOf(path));
  await requireWritable({ file: readyFile, store, isOurs, only: 'ready file of serve' }, context);
  const path = resolve(context.folder, readyFile);
  const before = (await smallFile(path)) ?? '';
  await refuseServed(before, readyFile);
  if (before !== '') await promises.rm(path);
  return {
    write: (ready) => replaceFile(path, ready),
    drop: async (ready) => {
      // Another run may have written it meanwhile.
      if ((await smallFile(path)) === ready) await promises.rm(path).catch(() => undefined);
    },
  };
}

/** As `serve` writes it. */
const form = /^\{"url":"([^"]*)"(?:,"listens":"([^"]*)")?.*"pid":(\d{1,9})[,}]/;

async function refuseServed(text: string, file: string): Promise<void> {
  const [, url = '', listens = url, number] = form.exec(text) ?? [];
  const pid = Number(number ?? process.pid);
  // After a restart of the machine another process may have its number.
  if (pid === process.pid || !isAlive(pid)) return;
  const signal = AbortSignal.timeout(1000);
  if (!(await fetch(listens, { signal }).then(Boolean, () => false))) return;
  throw new BlogctlError('locked', `${file} is of process ${pid}, which serves ${url} still.`, {
    hint: `Name another file: --ready-file ${inShell(`${file.replace(/\.json$/, '')}-2.json`)}, or end that process.`,
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
