import { dirname } from 'node:path';

import type { Article, BlogClient, NewArticle } from '../client/blog-client.ts';
import { BlogctlError, type ErrorDetail, type Hint } from '../errors.ts';
import type { Clock } from './sending/pace.ts';
import { referenceTo, type Answered, type Run } from './runs/journal-lines.ts';
import { placeOf } from './runs/memory.ts';
import { importedArticles } from './runs/runs.ts';
import { readRestorations } from './sending/created-again.ts';
import { isKeyReused, keyReused } from './sending/delivery.ts';
import { noArticle } from './sending/own-articles.ts';
import { textDigest } from './sources/identity.ts';
import type { OnChanged } from './sending/delivery.ts';
import { type ImportPlan, type ImportSummary, otherText, recordsOf } from './plan.ts';
import type { AddressOf, Reject } from './results.ts';
import type { Notice, SourcePosition, Source } from './sources/source.ts';
import type { StoreFile } from './sending/own-articles.ts';

export type JournalPlace = {
  readonly path: string;
  readonly run: Run;
  /** Go on where an earlier run ended; else it is forgotten. */
  readonly resume: boolean;
  /** Keep what was created, so that it can be undone. */
  readonly keeps: boolean;
};

export type ImportRequest = {
  readonly sources: readonly Source[];
  readonly importId?: string | undefined;
  readonly dryRun: boolean;
  readonly allowEmpty: boolean;
  /** Kinds of items of an export, where somebody chose them. */
  readonly types?: readonly string[] | undefined;
  readonly tolerance: Tolerance;
  readonly onChanged: OnChanged;
  /** Create again what was deleted on the blog (decisions 49). */
  readonly recreate: boolean;
  /** 1 to 64 requests at a time. */
  readonly concurrency: number;
  /** How long a service that answers "later" is waited for. */
  readonly maxWaitMs: number;
  /** How long one that does not answer at all is waited for. */
  readonly maxSilenceMs: number;
  /** The same, before it has answered anything: its address may be wrong. */
  readonly maxFirstSilenceMs: number;
  /** Attempts at anything, where somebody said how many. */
  readonly maxAttempts?: number | undefined;
  /** Requests a second at most. */
  readonly perSecond?: number | undefined;
  /** Path of the rejects file; it is only made when there are rejects. */
  readonly rejects?: string | undefined;
  /** Path of a file that says of each record what became of it. */
  readonly results?: string | undefined;
  /** Where an interrupted import leaves what it knows, and what that is about. */
  readonly journal?: JournalPlace | undefined;
};

/** Told what happens while it happens. */
export type ImportListener = {
  looked(records: number): void;
  planned(plan: ImportPlan): void;
  settled(done: number, rejected: number): void;
  rejected(reject: Reject): void;
  /** The article of a record was deleted on the blog, and is not created again. */
  deleted(place: SourcePosition): void;
  /** A record is not public any more, and its article is on the blog. */
  stillPublic(place: SourcePosition, reason: string, article: Article): void;
  /** A record names an article of another blog by this address, and was created here. */
  elsewhere(address: string): void;
  noticed(place: SourcePosition, notice: Notice): void;
  /** Told of a wait that a person would notice. */
  waits(notice: string): void;
  warned(text: string): void;
};

export type ImportDependencies = {
  /** Reached once every record was looked at: what cannot be imported makes no store. */
  connect(): Promise<BlogClient>;
  /** Keeps a second import with this journal away; answers how to let go. */
  alone(path: string): Promise<() => void>;
  /** The blog's store file, where it is in one. */
  readonly store?: StoreFile | undefined;
  readonly addressOf: AddressOf;
  /** A message as a person is told it: addresses in it are those that commands take. */
  worded(message: string): string;
  readonly clock: Clock;
  readonly listener: ImportListener;
  /** Aborted by the first Ctrl-C: take no more, finish what is under way, report. */
  readonly signal: AbortSignal;
};

export type ImportReport = {
  readonly summary: ImportSummary;
  /** Why the import is not whole; its code is the exit status. */
  readonly failure?: BlogctlError;
  /** The run that can be gone on with; its journal is kept. */
  readonly interrupted?: Run | undefined;
  /** Where the rejects are, when there are some. */
  readonly rejects?: string;
};

/** A journal lies in the folder `runs` of the data folder. */
export function folderOf({ journal }: Pick<ImportRequest, 'journal'>): string | undefined {
  return journal?.keeps === true ? dirname(dirname(journal.path)) : undefined;
}

/** What earlier imports into the same blog were answered, and `also` runs that key records alike, as far as kept. */
export function earlierAnswers(
  request: Pick<ImportRequest, 'journal'>,
  ...also: readonly string[]
): AsyncIterable<Answered> {
  const { blog = '' } = request.journal?.run ?? {};
  return importedArticles(folderOf(request), blog, undefined, ['articles import', ...also]);
}

/** Where `runs undo` made the article of a key again, and how the digest of what was sent with it begins. */
async function readBroughtBack(request: ImportRequest, blog: string) {
  const back = new Map<string, { readonly url: string; readonly sent: string }>();
  const { made } = await readRestorations(folderOf(request), blog);
  const again = (url: string) => made.get(placeOf(referenceTo(blog, url)));
  for await (const { answered, sent, url } of earlierAnswers(request, 'sync apply')) {
    let now = again(url);
    for (let next = now; next !== undefined; next = again(next)) now = next;
    if (now === undefined) back.delete(answered);
    else back.set(answered, { url: now, sent });
  }
  return back;
}

/** To this client a key whose article was deleted is that of the one that an undo made in its place. */
export function withBroughtBack(client: BlogClient, request: ImportRequest): BlogClient {
  const { blog = '' } = request.journal?.run ?? {};
  let back: ReturnType<typeof readBroughtBack> | undefined;
  async function instead(error: unknown, draft: NewArticle, key = '') {
    if (!(error instanceof BlogctlError && (error.code === 'gone' || isKeyReused(error))))
      throw error;
    const { url, sent = '' } = (await (back ??= readBroughtBack(request, blog))).get(key) ?? {};
    const there = url && (await client.article(referenceTo(blog, url)).catch(noArticle));
    if (!there) throw error;
    if (!textDigest(draft).startsWith(sent)) throw keyReused(there.article);
    return { ...there, url: there.article.url, replayed: true };
  }
  return {
    ...client,
    create: (draft, how) =>
      client.create(draft, how).catch((e) => instead(e, draft, how?.idempotencyKey)),
    place: (draft, how) =>
      client.place(draft, how).catch((e) => instead(e, draft, how?.idempotencyKey)),
  };
}

/** How many records may be wrong before nothing (more) is written. */
export type Tolerance =
  | { readonly kind: 'none' }
  | { readonly kind: 'any' }
  | { readonly kind: 'count'; readonly most: number }
  | { readonly kind: 'share'; readonly most: number };

export function tolerates(tolerance: Tolerance, rejected: number, records: number): boolean {
  if (rejected === 0 || tolerance.kind === 'any') return true;
  if (tolerance.kind === 'none') return false;
  return rejected <= (tolerance.kind === 'count' ? tolerance.most : tolerance.most * records);
}

/** Why nothing is sent at all. */
export function reasonToRefuse(plan: ImportPlan, request: ImportRequest): BlogctlError | undefined {
  const { rejected, records, skipped } = plan;
  if (records === 0 && !request.allowEmpty)
    return new BlogctlError('unusable-input', 'Nothing to import was found.', {
      hint: 'Check the folder or the pattern; --allow-empty accepts an empty source.',
    });
  const isOfOthers = Object.keys(skipped).every((reason) => reason.startsWith('type '));
  const isNone = request.types !== undefined && isOfOthers && plan.ready + rejected === 0;
  if (isNone && !request.allowEmpty)
    return new BlogctlError('unusable-input', 'No item is of a type that --types names.', {
      hint: 'Name one of those above; --allow-empty accepts that there is none.',
    });
  if (tolerates(request.tolerance, rejected, records)) return undefined;
  const share = records === 1 ? 'The one record' : `${rejected} of ${records} records`;
  const repair = records === 1 ? 'Repair it: the reason stands' : 'Repair them: the reasons stand';
  return new BlogctlError('unusable-input', `${share} cannot be imported, so nothing was sent.`, {
    hint:
      rejected < records
        ? 'Repair them, or import the others with --continue-on-error.'
        : `${repair} above. Of records --map says which members are title and content, of posts --title-from where the title is.`,
  });
}

/** The end of an import that was told to stop, by Ctrl-C or from outside. */
export function interrupted(
  signal: AbortSignal,
  { records, unsent }: { readonly records: number; readonly unsent: number },
): BlogctlError {
  const { reason } = signal;
  const code = reason instanceof BlogctlError ? reason.code : 'interrupted';
  const said = code === 'terminated' ? 'Terminated' : 'Interrupted';
  return new BlogctlError(code, `${said}: ${records - unsent} of ${records} records are done.`, {
    hint: 'Run the same import again to go on: nothing is created twice.',
  });
}

type Left = Pick<ImportRequest, 'rejects' | 'dryRun' | 'journal'> & {
  /** What is known of records that stay in doubt. */
  readonly unknown?: readonly ErrorDetail[] | undefined;
  /** What cures a refusal. */
  readonly cure: Hint | undefined;
  readonly run?: Run | undefined;
};

/** What is left to do after everything that could be sent was sent. */
export function incomplete(summary: ImportSummary, left: Left): BlogctlError | undefined {
  const { records, rejected, inDoubt, unsent, reasons } = summary;
  const { changed = 0 } = reasons.rejected;
  const open = Object.entries({
    [otherText]: changed,
    rejected: rejected - changed,
    unknown: inDoubt,
    'not sent': unsent,
  }).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []));
  if (open.length === 0) return undefined;
  return new BlogctlError('partly-failed', `Of ${recordsOf(records)}: ${open.join(', ')}.`, {
    hint: whatNext(summary, left),
    details: left.unknown,
  });
}

function whatNext(summary: ImportSummary, { cure, rejects, dryRun, journal, run }: Left): Hint {
  const { rejected, created, inDoubt, reasons } = summary;
  if (inDoubt > 0)
    return 'Look which articles of the blog are such records, delete them with blogctl articles delete, and run the same import again. Where none is one, and they stay unknown, --no-resume sends them once more.';
  if (rejected === 0) return 'Run the same import again to go on: nothing is created twice.';
  const isKept = !dryRun && created > 0 && journal?.keeps === true;
  const undo =
    isKept && run ? `blogctl runs undo ${run.id} takes back what this run created, and ` : '';
  if (reasons.rejected['changed'] === rejected)
    return `${cure ?? 'They were edited.'} Where this is another source than the one imported before, with the same names or ids, ${undo}--import-id <name> keeps the two apart. --on-changed skip passes over such records.`;
  const repair: Hint =
    rejects === undefined
      ? 'Repair the source and run the same import again: nothing is created twice.'
      : 'Repair the source and run the same import again, or repair the rejects file and import that: nothing is created twice.';
  return cure === undefined ? repair : `${cure} ${repair}`;
}

export function grown(place: SourcePosition): BlogctlError {
  const where = `${place.source}, position ${place.position}`;
  return new BlogctlError('unusable-input', `The source grew while it was imported (${where}).`, {
    hint: 'Run the same import again: what is on the blog already is not created twice.',
  });
}
