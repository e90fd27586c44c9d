import { basename, join, resolve } from 'node:path';
import type { Context } from '../context.ts';
import { chosenStore, freeRejects, requireWritable } from '../open-file.ts';
import { BlogctlError } from '../../errors.ts';
import { beginningOf } from '../../files.ts';
import type { ImportListener, ImportRequest } from '../../importing/import-request.ts';
import { type Counts, leftOutSentence } from '../../importing/plan.ts';
import { annotate, type Reject } from '../../importing/results.ts';
import { isPostFile } from '../../importing/sources/file-kind.ts';
import type { Notice, SourcePosition } from '../../importing/sources/source.ts';
import { createProgress, type Progress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** As it was named on the command line; a post by its path in the folder that was named. */
export function pathOf(source: string, named: readonly string[]): string {
  const [only, ...others] = named;
  if (only === undefined || others.length > 0 || only === '-') return source;
  return basename(only) === source ? only : join(only, source);
}

export type OutputFlags = {
  readonly dryRun?: boolean;
  readonly rejects?: string;
  readonly results?: string;
};

type Import = {
  readonly named: readonly string[];
  readonly options: OutputFlags;
  /** The name of its first source. */
  readonly name: string;
  /** Rejects are wanted although nobody named a file for them. */
  readonly bearsErrors: boolean;
};

/**
 * The files that an import writes beside the blog. None takes the place of a source, of the store or
 * of anything else that nobody said may go: rejects may have been repaired. Results are made anew by
 * every run, so an earlier run's may go, but not for what a dry run only supposes.
 */
export async function outputsOf(
  { named, options, name, bearsErrors }: Import,
  context: Context,
): Promise<Pick<ImportRequest, 'rejects' | 'results'>> {
  const { results, dryRun = false } = options;
  const wanted = options.rejects ?? (bearsErrors ? freeRejects(name, context) : undefined);
  // A dry run names them on stderr and leaves nothing to repair.
  const rejects = dryRun ? undefined : wanted;
  const store = await chosenStore(context);
  const { refuseSource } = await import('../../importing/sources/open-sources.ts');
  if (rejects !== undefined && isSame(rejects, results, context)) throw oneFile(rejects);
  for (const file of [rejects, results]) {
    if (file === undefined) continue;
    refuseSource({ file, folder: context.folder }, named, isWrittenByUs);
    const isOurs = (path: string) =>
      file === results && holdsResults(path) && !(dryRun && holdsCreated(path));
    await requireWritable({ file, store, isOurs }, context);
  }
  return { rejects, results };
}

function isSame(one: string, other: string | undefined, { folder }: Context): boolean {
  return other !== undefined && resolve(folder, one) === resolve(folder, other);
}

function oneFile(file: string): BlogctlError {
  return new BlogctlError('usage', `--rejects and --results name one file, "${file}".`, {
    hint: 'Name two.',
  });
}

const ourLine = /^\{"source":"(?:[^"\\]|\\.)*","position":\d+,"(outcome|stage)":"/;

/** Whether a file is empty or begins as results do. */
function holdsResults(path: string): boolean {
  const text = beginningOf(path);
  return text === '' || ourLine.exec(text)?.[1] === 'outcome';
}

function isWrittenByUs(path: string): boolean {
  return !isPostFile(path) && ourLine.test(beginningOf(path));
}

/** Nobody can find out again which record made which article; what was there already, anybody. */
function holdsCreated(path: string): boolean {
  return /"outcome":"created",[^\n]*"id":/.test(beginningOf(path));
}

const mostShown = 20;
/** Places of further notices of one kind. */
const mostNamed = 5;
const heartbeatMs = 30_000;
const takeDown = 'it stays until blogctl articles delete takes it down';
const recreate =
  '--recreate does that, a second time where runs undo on another machine has brought it back';

/** Notices of one kind: the first in full, and where others stand. */
type Noticed = { readonly first: string; more: number; readonly places: string[] };

type ListenerOptions = {
  readonly terminal: Terminal;
  readonly dryRun: boolean;
  /** --types says which items of an export are wanted, --status in which states. */
  readonly choosesTypes: boolean;
  readonly choosesStates: boolean;
  /** Members that --map names as signs, and types, that nothing had so far, with what is said of them. */
  readonly unseen: ReadonlyMap<string, string>;
  /** Rejects become annotations of a GitHub Actions run. */
  readonly annotates: boolean;
  /** The path of a source as the reader knows it. */
  readonly pathOf: (source: string) => string;
};

/**
 * Tells a person what an import does: few lines however many records there are, and never silent
 * for a minute, whatever it waits for.
 */
export function createImportListener(told: ListenerOptions): ImportListener & { stop(): void } {
  const { terminal, dryRun } = told;
  const noticed = new Map<Notice['kind'], Noticed>();
  const state = {
    looked: 0,
    total: 0,
    done: 0,
    refused: 0,
    rejected: 0,
    deleted: 0,
    stillPublic: 0,
    elsewhere: 0,
    address: '',
  };
  let progress: Progress | undefined;
  const tellNoticed = () => {
    for (const [kind, each] of noticed) {
      void terminal.warn(kind === 'known-by-text' ? byText(each.more + 1) : textOfNotices(each));
    }
    noticed.clear();
  };
  const note = () => (state.refused > 0 ? `${state.refused} refused` : '');
  const heartbeat = setInterval(() => {
    if (progress !== undefined) progress.update(state.done, note());
    else if (!terminal.quiet) terminal.progressLine(`Reading, ${state.looked} records so far`);
  }, heartbeatMs).unref();

  return {
    looked: (records) => void (state.looked = records),
    planned({ ready, skipped, leftOut }) {
      state.total = ready;
      for (const said of told.unseen.values()) void terminal.warn(said);
      const types = ready === 0 || !told.choosesTypes ? left('type', skipped) : undefined;
      if (types !== undefined)
        void terminal.notice(
          `Not imported are items of these types: ${types}. --types names all that are wanted (default: post).`,
        );
      const states = ready === 0 && told.choosesStates ? left('status', skipped) : undefined;
      if (states !== undefined)
        void terminal.notice(`No record is in a state that --status names; there are: ${states}.`);
      const signs = told.choosesStates ? [] : leftOut;
      for (const each of signs.slice(0, mostNamed)) void terminal.notice(leftOutSentence(each));
      const more = signs.length - mostNamed;
      if (more > 0) void terminal.notice(`and so ${more} more sources`);
      tellNoticed();
      const label = dryRun ? 'Looking up' : 'Importing';
      progress = createProgress(terminal, { label, total: ready });
    },
    settled(done, refused) {
      state.done = done;
      state.refused = refused;
      progress?.update(done, note());
    },
    rejected(reject) {
      state.rejected += 1;
      if (state.rejected > mostShown) return;
      if (told.annotates) terminal.progressLine(annotate(reject, told.pathOf(reject.source)));
      else void terminal.warn(`${placeOf(reject)}: ${reject.message}`);
    },
    noticed(place, { kind, message }) {
      const known = noticed.get(kind);
      if (known === undefined) {
        noticed.set(kind, { first: `${placeOf(place)}: ${message}`, more: 0, places: [] });
        return;
      }
      known.more += 1;
      if (known.places.length < mostNamed) known.places.push(placeOf(place));
    },
    elsewhere(address) {
      state.elsewhere += 1;
      state.address = address;
    },
    deleted(place) {
      state.deleted += 1;
      if (state.deleted > mostShown) return;
      const what = `${placeOf(place)}: its article was deleted on the blog and is not created again`;
      void terminal.warn(state.deleted === 1 ? `${what}; ${recreate}` : what);
    },
    stillPublic(place, reason, { title, url }) {
      state.stillPublic += 1;
      if (state.stillPublic > mostShown) return;
      const what = `${placeOf(place)}: left out (${reason}), but its article is on the blog: "${title}" at ${url}`;
      void terminal.warn(state.stillPublic === 1 ? `${what}; ${takeDown}` : what);
    },
    waits: (notice) => void terminal.notice(notice),
    warned: (text) => void terminal.warn(text),
    stop() {
      clearInterval(heartbeat);
      progress?.finish();
      tellNoticed();
      const deleted = state.deleted - mostShown;
      if (deleted > 0) void terminal.warn(`and ${deleted} more whose articles were deleted`);
      const stillPublic = state.stillPublic - mostShown;
      if (stillPublic > 0)
        void terminal.warn(`and ${stillPublic} more on the blog; --results <file> names them all`);
      const rejected = state.rejected - mostShown;
      if (rejected > 0)
        void terminal.warn(`and ${rejected} more rejected; --rejects <file> names them all`);
      if (state.elsewhere > 0) void terminal.warn(createdHere(state.elsewhere, state.address));
      Object.assign(state, { deleted: 0, stillPublic: 0, rejected: 0, elsewhere: 0 });
    },
  };
}

/** The types or states that were passed over, which may have been misspelt; undefined where none was. */
function left(why: 'type' | 'status', skipped: Counts): string | undefined {
  const reasons = Object.keys(skipped).filter((reason) => reason.startsWith(`${why} `));
  return reasons.map((reason) => reason.slice(why.length + 1)).join(', ') || undefined;
}

function byText(count: number): string {
  const them = count === 1 ? '1 record is' : `${count} records are`;
  return `${them} known by title and content alone, having no uuid, guid, id, slug or url: one that is edited becomes a new article. --key-field names a member that identifies them, from the first import on: what is there without it is created again, unless blogctl runs undo takes it back before.`;
}

function createdHere(count: number, address: string): string {
  const them = count === 1 ? '1 new article names' : `${count} new articles name`;
  return `${them} an article of another blog, such as ${address}: where that is this blog under another address, runs undo takes them back.`;
}

function textOfNotices({ first, more, places }: Noticed): string {
  if (more === 0) return first;
  const named = `${places.join(', ')}${more > places.length ? ', …' : ''}`;
  return `${first} (and ${more} more like this: ${named})`;
}

function placeOf({ source, position }: SourcePosition | Reject): string {
  return position === 0 || isPostFile(source) ? source : `${source}:${position}`;
}
