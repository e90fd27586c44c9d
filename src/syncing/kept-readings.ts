import { lstatSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { PRIVATE_FOLDER, replaceFileSync, stampOf } from '../files.ts';
import { doesOf, type SyncPlan, type Step } from './decide.ts';
import type { Folder, KeptPost } from './folder.ts';
import { isFrom, type StatePlace } from './git.ts';
import type { KeptPage, Pages, Remote } from './listing.ts';
import { type Brought, shortDigest, type ImportedText } from './same-text.ts';
import { lineOf, namesOnly, openState, type Owner, type StateFile } from './state-file.ts';

/** Paths and ids where all was unchanged and known; it still is while files, state and pages are. */
export type Rest = {
  readonly files: string;
  readonly state: string;
  readonly posts: readonly (readonly [path: string, id: number])[];
  /** Files that are not to be published, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
};

/** Both sides as they were read last, without their texts: what did not change is not read again. */
export type Readings = {
  readonly posts: Folder['kept'];
  readonly pages: Pages;
  readonly rest?: Rest | undefined;
};

/** What a plan leaves where nothing is to be done and nothing is in doubt; it may be asked again. */
export function restOf(
  { digest, notices, rejected, skipped }: Folder,
  { steps, forgotten }: SyncPlan,
  state: string,
): Rest | undefined {
  const isSettled = ({ action, post, line }: Step) =>
    action.action === 'unchanged' &&
    action.base === 'state' &&
    line?.sent === post?.digest &&
    line?.path === post?.name;
  // What is of the future today may be public tomorrow.
  const passes = forgotten.length + notices.length + rejected.length === 0;
  const stays = ![...skipped.values()].includes('future');
  if (digest === undefined || state === '' || !passes || !stays) return undefined;
  if (steps.length === 0 || !steps.every(isSettled)) return undefined;
  const posts = steps.map(({ action: { path = '', id = 0 } }) => [path, id] as const);
  return { files: digest, state, posts, skipped: countSkipped(skipped) };
}

export function countSkipped(skipped: Folder['skipped']): Rest['skipped'] {
  const counts: Record<string, number> = {};
  for (const reason of skipped.values()) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

export function planAtRest({ posts }: Rest): SyncPlan {
  const count = posts.length;
  const steps = posts.map(([path, id]): Step => {
    return { action: { action: 'unchanged', path, id, base: 'state' } };
  });
  return { steps, managed: count, known: count, recognised: count, forgotten: [] };
}

type Head = {
  readonly made: string;
  readonly versions: Readonly<Record<string, KeptPage['version']>>;
  readonly rest?: Rest;
};

type KeptBody = {
  readonly posts: readonly (readonly [path: string, post: KeptPost])[];
  readonly articles: Readonly<Record<string, readonly Remote[]>>;
};

/** Another one where what is kept gets another form. */
const form = 3;

/**
 * The file of readings: a digest of what follows, a line of what is always needed, one of what is not
 * where nothing changed. A file that is damaged, or was made by another program or of another reading,
 * is as none: then everything is read.
 */
export function openReadings(path: string, reading: unknown) {
  const made = `${JSON.stringify(reading)} ${form} ${programStamp()}`;
  const { head, body } = read(path, made);
  const versions = Object.entries(head.versions);
  let posts: Readings['posts'] | undefined;
  const before: Readings = {
    get posts() {
      return (posts ??= new Map(body().posts));
    },
    pages: Object.fromEntries(versions.map(([url, version]) => [url, pageOf(url, version, body)])),
    rest: head.rest,
  };
  return {
    before,
    /** Kept only where it saves reading; that it cannot be written is no loss. */
    save(now: Readings): void {
      if (!isSame(before, now)) write(path, made, now);
    },
  };
}

function pageOf(url: string, version: KeptPage['version'], body: () => KeptBody): KeptPage {
  return {
    version,
    get articles() {
      return body().articles[url] ?? [];
    },
  };
}

function read(path: string, made: string): { readonly head: Head; readonly body: () => KeptBody } {
  const none = { head: { made, versions: {} }, body: () => ({ posts: [], articles: {} }) };
  try {
    const bytes = readFileSync(path);
    const start = bytes.indexOf('\n') + 1;
    const end = bytes.indexOf('\n', start);
    if (bytes.toString('latin1', 0, start) !== `${shortDigest(bytes.subarray(start))}\n`)
      return none;
    const head: Head = JSON.parse(bytes.toString('utf8', start, end));
    let body: KeptBody | undefined;
    if (head.made !== made) return none;
    return { head, body: () => (body ??= JSON.parse(bytes.toString('utf8', end))) };
  } catch {
    return none;
  }
}

function write(path: string, made: string, { posts, pages, rest }: Readings): void {
  const kept = Object.entries(pages);
  const versions = Object.fromEntries(kept.map(([url, { version }]) => [url, version]));
  const articles = Object.fromEntries(kept.map(([url, page]) => [url, page.articles]));
  const head: Head = { made, versions, ...(rest && { rest }) };
  const text = `${JSON.stringify(head)}\n${JSON.stringify({ posts: [...posts], articles } satisfies KeptBody)}`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    replaceFileSync(path, `${shortDigest(text)}\n${text}`);
  } catch {
    // It is read again, the next time.
  }
}

/** What was not read again is the very object that was kept. */
function isSame(before: Readings, now: Readings): boolean {
  if (JSON.stringify(before.rest) !== JSON.stringify(now.rest)) return false;
  const isKept = (path: string) => before.posts.get(path) === now.posts.get(path);
  const urls = Object.keys(now.pages);
  return (
    now.posts.size === before.posts.size &&
    [...now.posts.keys()].every(isKept) &&
    urls.length === Object.keys(before.pages).length &&
    urls.every((url) => before.pages[url] === now.pages[url])
  );
}

/** Another version may read a post in another way. */
function programStamp(): number {
  return statSync(process.argv[1] ?? '', { throwIfNoEntry: false })?.ctimeMs ?? 0;
}

/** Tells whether a state is as it was; '' where it cannot be told. */
export function stampOfState(path: string, now: number): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const stamp = (stats && stampOf(stats, now)) ?? '';
  return stamp && `${path} ${stamp}`;
}

type Asked = {
  readonly runs: string | undefined;
  readonly owner: Owner;
  readonly urls: ReadonlySet<string>;
};

/**
 * By their addresses, what imports and a sync of another folder brought to a blog, and whether it came from here too.
 * Of a folder that may be the same repository nothing is told.
 */
export async function importedTexts(
  { runs, owner, urls }: Asked,
  { root, foreign, isUntold }: Pick<StatePlace, 'root' | 'foreign' | 'isUntold'>,
): Promise<ReadonlyMap<string, ImportedText>> {
  const { importedArticles } = await import('../importing/runs/runs.ts');
  const ours = new Set<string>();
  for await (const { url, stored } of importedArticles(runs, owner.blog, isFrom(root)))
    if (urls.has(url)) ours.add(`${url} ${stored}`);
  const texts = new Map<string, ImportedText>();
  for await (const { url, sent, stored } of importedArticles(runs, owner.blog)) {
    const isOurs = ours.has(`${url} ${stored}`);
    if (urls.has(url) && (isOurs || !isUntold)) texts.set(url, { sent, stored, isOurs });
  }
  const lines = foreign === undefined || isUntold ? [] : openState(foreign, owner).lines.values();
  for (const { url, stored: left } of lines)
    if (urls.has(url))
      texts.set(url, { sent: '', stored: '', isOurs: false, ...texts.get(url), left });
  return texts;
}

export async function broughtFrom(
  { runs, owner }: Pick<Asked, 'runs' | 'owner'>,
  { root }: Pick<StatePlace, 'root'>,
): Promise<ReadonlyMap<string, Brought>> {
  const { importedArticles } = await import('../importing/runs/runs.ts');
  const brought = new Map<string, Brought>();
  for await (const { answered, url, stored } of importedArticles(runs, owner.blog, isFrom(root)))
    brought.set(answered, { url, stored });
  return brought;
}

/**
 * What is known without a request goes into the state; a renamed file takes its line along. A file that is
 * gone has its line before anything is written: from then on the state alone says whose article is which.
 */
export function keepKnown({ action, post, line, found: how, key }: Step, state: StateFile): void {
  if (post === undefined) {
    if (line !== undefined && !state.lines.has(line.path)) state.note(line);
    return;
  }
  const { name: path } = post;
  if (line !== undefined && line.path !== path) state.keep({ ...line, path });
  const { id, url, before: digest } = action;
  if (id === undefined || url === undefined || digest === undefined) return;
  // Of what was pulled git tells, of each branch for itself, whether it was taken over.
  if (line?.pulled === digest && line.stored !== digest) return;
  const isTheirs = line === undefined ? namesOnly(post, key) : line.theirs === true;
  const theirs = isTheirs && ({ theirs: true } as const);
  const found = how === 'text' && ({ found: true } as const);
  const isLeft = line?.stored === digest;
  const isSent = line?.sent === post.digest && [undefined, line.sentExact].includes(post.exact);
  const isAsSent = isLeft && isSent && action.base === 'state';
  const exact = (isAsSent ? undefined : post.exact) ?? (isLeft ? line.exact : undefined);
  const sentExact = isAsSent ? line.sentExact : post.exact;
  const sent = { name: path, digest: post.digest, exact: sentExact };
  if (doesOf(action) === 'nothing')
    state.keep({ ...lineOf(sent, { id, url, digest, exact }, key), ...theirs, ...found });
  // Which article it is stays known, though not what was ours of its text.
  else if (line === undefined)
    state.keep({
      ...lineOf({ name: path, digest: '' }, { id, url, digest: '' }, key),
      ...(how === 'named' && { named: true }),
      ...theirs,
      ...found,
    });
}
