import { hash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { BlogctlError } from '../../errors.ts';
import { readJournal, type Run } from './journal-lines.ts';

export type KnownRun = Run & {
  /** Records that were answered. */
  readonly done: number;
  /** When the last line was written, RFC 3339. */
  readonly changed: string;
};

/** The same import into the same blog has the same id, so that running it again resumes it. */
export function runId(blog: string, names: readonly string[]): string {
  return hash('sha256', JSON.stringify([blog, names])).slice(0, 10);
}

export function journalPath(folder: string, id: string): string {
  return join(folder, 'runs', `${id}.ndjson`);
}

/** The imports that were interrupted, the latest last. */
export async function listRuns(folder: string): Promise<readonly KnownRun[]> {
  const runs: KnownRun[] = [];
  for (const name of await namesIn(join(folder, 'runs'))) {
    const run = await readRun(join(folder, 'runs', name));
    if (run !== undefined) runs.push(run);
  }
  return runs.toSorted((a, b) => (a.changed < b.changed ? -1 : 1));
}

/** The one interrupted import whose id begins so. */
export async function findRun(folder: string, id: string): Promise<KnownRun> {
  const runs = await listRuns(folder);
  const [found, ...others] = runs.filter((run) => run.id.startsWith(id));
  if (found !== undefined && others.length === 0) return found;
  const offered = runs.map((run) => run.id).join(', ') || 'none';
  throw new BlogctlError('not-found', `No interrupted import "${id}".`, {
    hint: `Interrupted imports: ${offered}.`,
  });
}

async function readRun(path: string): Promise<KnownRun | undefined> {
  let run: Run | undefined;
  let done = 0;
  for await (const lines of readJournal(path)) {
    for (const line of lines) {
      if ('run' in line) run = line.run;
      else if ('answered' in line) done += 1;
    }
  }
  return run && { ...run, done, changed: (await stat(path)).mtime.toISOString() };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.ndjson'));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
