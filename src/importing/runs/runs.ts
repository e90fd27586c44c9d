import { hash, randomUUID } from 'node:crypto';
import { appendFile, open, readdir, rm, stat } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import { appendFileSync, closeSync, mkdirSync, openSync, renameSync } from 'node:fs';

import { BlogctlError, type Hint } from '../../errors.ts';
import { hasCode, PRIVATE_FILE, PRIVATE_FOLDER } from '../../files.ts';
import {
  type Answered,
  readHead,
  readChanges,
  readJournal,
  readLine,
  type Ended,
  type Run,
  type Change,
  type JournalLine,
  type Refused,
  type Sending,
  unwritable,
} from './journal-lines.ts';

export type KnownRun = Run & {
  /** The path of its record. */
  readonly journal: string;
  readonly state: 'interrupted' | 'ended';
  /** When it ended, RFC 3339; else when its last line was written. */
  readonly ended: string;
  /** Its summary; of an interrupted import how many records were `answered`, of others the `changes`. */
  readonly counts: Ended['counts'];
};

/** Of the runs that may be meant. */
const mostOffered = 5;
const keptDays = 30;
const keptBytes = 200 * 1024 * 1024;

/** Ten hexadecimal digits. */
export function runId(blog: string, names: readonly string[]): string {
  return hash('sha256', JSON.stringify([blog, names])).slice(0, 10);
}

export function journalPath(folder: string, id: string): string {
  return join(folder, 'runs', `${id}.ndjson`);
}

/** The runs that are known, the latest first. */
export async function listRuns(folder: string): Promise<readonly KnownRun[]> {
  const runs: KnownRun[] = [];
  for (const name of (await unlessGone(readdir(join(folder, 'runs')))) ?? []) {
    if (!name.endsWith('.ndjson')) continue;
    const run = await unlessGone(readRun(join(folder, 'runs', name)));
    if (run !== undefined) runs.push(run);
  }
  return runs.toSorted((a, b) => (a.started > b.started ? -1 : 1));
}

/** What imports noted of the articles that they brought to a blog, the latest last; nothing where no runs are kept. */
export async function* importedArticles(
  folder: string | undefined,
  blog?: string,
  isMeant: (run: Run) => boolean = () => true,
  commands: readonly string[] = ['articles import'],
): AsyncGenerator<Answered, void, void> {
  for (const run of folder === undefined ? [] : (await listRuns(folder)).toReversed()) {
    if (run.blog !== (blog ?? run.blog) || !commands.includes(run.command) || !isMeant(run))
      continue;
    for await (const lines of readJournal(run.journal))
      for (const line of lines) if ('answered' in line) yield line;
  }
}

/** Fewer of an id may be a number that was meant to count runs. */
export const leastOfId = 6;

/** The one run whose id begins so, for a verb of `blogctl runs`; where none does, the latest of the chosen blog are named. */
export async function findRun(
  folder: string,
  id: string,
  verb: string,
  chosenBlog: () => Promise<string>,
): Promise<KnownRun> {
  const runs = await listRuns(folder);
  const alike = runs.filter((run) => id.length >= leastOfId && run.id.startsWith(id));
  const [found, ...others] = alike;
  if (found !== undefined && others.length === 0) return found;
  const more = id.length < leastOfId ? ': give six characters of its id at least' : '';
  const what = found === undefined ? `No run "${id}"${more}.` : `Several runs begin with "${id}".`;
  const blog = found === undefined ? await chosenBlog() : undefined;
  const meant = blog === undefined ? alike : runs.filter((run) => run.blog === blog);
  // The last run may have ended, and is then not resumed.
  const isLast = verb !== 'resume' && /^(?:last|latest|head)$/i.test(id);
  const latest = meant.slice(0, mostOffered).map(({ id: own, command }, at) => {
    const line = isLast && at === 0 ? `\`blogctl runs ${verb} ${own}\`` : own;
    return `${line} (${command})`;
  });
  const hint: Hint =
    latest.length === 0 ? 'No runs of this blog are known.' : `The latest: ${latest.join(', ')}.`;
  throw new BlogctlError('not-found', what, { hint: `${hint} See blogctl runs list --all.` });
}

/** Removes records of ended runs: those too old, then the oldest while they take too much; or counts them. */
export async function pruneRuns(
  folder: string,
  now: number,
  { days = keptDays, dryRun = false } = {},
) {
  let removed = 0;
  let bytes = 0;
  for (const run of await listRuns(folder)) {
    if (run.state !== 'ended') continue;
    bytes += (await stat(run.journal)).size;
    const isOld = Date.parse(run.ended) <= now - days * 24 * 3600 * 1000;
    if (!isOld && bytes <= keptBytes) continue;
    if (!dryRun) await rm(run.journal, { force: true });
    removed += 1;
  }
  return removed;
}

/** Of a run that has ended the first line and the last are enough; it may be long. */
async function readRun(path: string): Promise<KnownRun | undefined> {
  const run = await readHead(path);
  if (run === undefined) return undefined;
  const known = { ...run, journal: path };
  const end = await lastLine(path);
  if (end !== undefined) return { ...known, state: 'ended', ...end };
  let answered = 0;
  for await (const lines of readJournal(path)) {
    for (const line of lines) if ('answered' in line) answered += 1;
  }
  const ended = (await stat(path)).mtime.toISOString();
  const isImport = run.command === 'articles import';
  const counts = isImport ? { answered } : { changes: (await readChanges(path)).length };
  return { ...known, state: 'interrupted', ended, counts };
}

/** Before the first run there is no folder; a run that ends takes another name, and one that did nothing leaves none. */
async function unlessGone<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

const endBytes = 4096;

async function lastLine(path: string): Promise<Ended | undefined> {
  const file = await open(path);
  try {
    const from = Math.max(0, (await file.stat()).size - endBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(endBytes), 0, endBytes, from);
    const text = buffer.toString('utf8', 0, bytesRead).trimEnd();
    const line = readLine(text.slice(text.lastIndexOf('\n') + 1));
    return line !== undefined && 'ended' in line ? line : undefined;
  } finally {
    await file.close();
  }
}

/** An interrupted run becomes one that has ended, and makes room for its import to begin anew. */
export async function closeRun({ id, counts, journal }: KnownRun): Promise<void> {
  const end: Ended = { ended: new Date().toISOString(), counts };
  await appendFile(journal, `\n${JSON.stringify(end)}\n`, { mode: PRIVATE_FILE });
  keepJournal(journal, id);
}

/** Its import has ended: the next one of the same records has the name it had. */
export function keepJournal(path: string, id: string): void {
  try {
    renameSync(path, join(dirname(path), `${id}.ndjson`));
  } catch (error) {
    // Another import of these records, at the same time, has ended first.
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

/** What a command notes of its changes, so that they can be undone. */
export type RunJournal = {
  readonly id?: string;
  note(line: Change | Refused | Sending | Answered): void;
  /** Without a change nothing is kept. */
  end(counts: Ended['counts']): Promise<void>;
};

/** `folder` is the data folder; undefined keeps nothing. */
export function openRunJournal(
  folder: string | undefined,
  run: Omit<Run, 'id' | 'started'>,
): RunJournal {
  if (folder === undefined) return { note: () => undefined, end: async () => undefined };
  const id = randomUUID().replaceAll('-', '').slice(0, 10);
  const [path, started] = [journalPath(folder, id), new Date().toISOString()];
  let file: number | undefined;
  const write = (line: JournalLine) => {
    try {
      if (file === undefined) {
        mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
        file = openSync(path, 'ax', PRIVATE_FILE);
        appendFileSync(file, `${JSON.stringify({ run: { id, started, ...run } })}\n`);
      }
      appendFileSync(file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      throw unwritable(path, error);
    }
  };
  const unanswered = new Set<string>();
  let isKept = false;
  return {
    id,
    note(line) {
      write(line);
      if ('sending' in line) unanswered.add(line.sending);
      else if ('refused' in line) unanswered.delete(line.refused);
      else isKept ||= !('answered' in line) || line.created === true;
    },
    async end(counts) {
      if (file === undefined) return;
      // What was refused changed nothing.
      if (!isKept && unanswered.size === 0) return rm(path, { force: true });
      write({ ended: new Date().toISOString(), counts });
      closeSync(file);
      await pruneRuns(folder, Date.now());
    },
  };
}

/** Notes a deletion or a creation before it is made, so that a kill leaves it known; where it is refused, that too. */
export async function noteBefore<T>(
  record: RunJournal | undefined,
  line: Sending | Extract<Change, { deleted: string }>,
  make: () => Promise<T>,
): Promise<T> {
  record?.note(line);
  try {
    return await make();
  } catch (error) {
    const refused = 'deleted' in line ? line.deleted : line.sending;
    if (isRefused(error)) record?.note({ refused });
    throw error;
  }
}

/** What is gone may have been deleted by the request whose answer was lost. */
function isRefused(error: unknown): boolean {
  const status = error instanceof BlogctlError ? (error.context.status ?? 0) : 0;
  return status >= 400 && status < 500 && status !== 404 && status !== 410;
}
