import type { Validators } from '../client/blog-client.ts';
import type { Post } from './folder.ts';
import type { RemoteText } from './listing.ts';
import type { FoundBy } from './match.ts';
import type { StateLine } from './state-file.ts';

type ActionTraits = {
  /** In front of its line in a plan; what has none is counted only. */
  readonly sign?: string;
  /** Of several, behind their number. */
  readonly words: string;
  /** What a run does: writes to the blog, leaves it until somebody decides, leaves it, has it already. */
  readonly does: 'write' | 'refuse' | 'leave' | 'nothing' | 'not ours';
  /** Its article is read: for the version to expect, and to say what would change. */
  readonly reads?: true;
  readonly reason?: string;
};

const reads = true;
const differs = 'differs, and nobody knows who changed it';
const edited = 'changed on the blog';
const both = 'changed here and on the blog';
const there = 'deleted on the blog';
/** The end of the reason of a post that says it is the article of another one. */
export const anothers = 'which is another post';
export const notPublicThere = ', where it is not public';
export const notMadeHere = ', and was not made from here';
/** The file may be as it was when it was brought, and only the signs be new. */
export const perhapsUnchanged = ', which may be a sign that is new to this version';
/** Why no flag deletes the article of an orphan. */
export const whyByHand = (reason = '') =>
  (reason.includes(notPublicThere) && ('Not public where it was moved to' as const)) ||
  (reason.includes(perhapsUnchanged) && ('Perhaps nobody has taken it back' as const)) ||
  (reason.includes(notMadeHere)
    ? ('There before its post, as far as is known' as const)
    : undefined);

/** What can be the case, in the order it is told. */
const table = {
  create: { sign: '+', words: 'to create', does: 'write' },
  update: { sign: '~', words: 'to update', does: 'write', reads },
  delete: { sign: '-', words: 'to delete', does: 'write', reads },
  conflict: { sign: '!', words: 'in conflict', does: 'refuse', reads, reason: both },
  unverified: { sign: '!', words: 'unverified', does: 'refuse', reads, reason: differs },
  unmerged: { sign: '!', words: 'not merged', does: 'refuse', reason: 'has a conflict of git' },
  suggestion: { sign: '?', words: 'in doubt which article it is', does: 'refuse' },
  drift: { sign: '≠', words: 'changed only on the blog', does: 'leave', reads, reason: edited },
  'deleted-there': { sign: '×', words: there, does: 'leave', reason: there },
  rename: { sign: '→', words: 'renamed', does: 'nothing' },
  orphan: { sign: '·', words: 'gone here', does: 'leave' },
  unchanged: { words: 'unchanged', does: 'nothing' },
  unmanaged: { words: 'not from here', does: 'not ours' },
} as const satisfies Readonly<Record<string, ActionTraits>>;

export type ActionKind = keyof typeof table;
export const actionTable: Readonly<Record<ActionKind, ActionTraits>> = table;
export const actionKinds = Object.keys(table).filter((text): text is ActionKind =>
  Object.hasOwn(table, text),
);

export function isListed({ action }: Pick<Action, 'action'>): boolean {
  return actionTable[action].sign !== undefined;
}

export type ActionCounts = Readonly<Partial<Record<ActionKind, number>>>;

export function countActions(actions: readonly Pick<Action, 'action'>[]): ActionCounts {
  const counts = new Map(actionKinds.map((kind) => [kind, 0]));
  for (const { action } of actions) counts.set(action, (counts.get(action) ?? 0) + 1);
  return Object.fromEntries(counts);
}

export function doesOf({ action }: Pick<Action, 'action'>): ActionTraits['does'] {
  return actionTable[action].does;
}

/** What says that the text on the blog is ours. */
export type Base = 'state' | 'key' | 'git' | 'text' | 'import' | 'unknown';

/** Reasons of conflicts that not the state tells. */
export const conflicts: Readonly<Partial<Record<Base, string>>> = {
  git: 'changed on the blog, and maybe here',
  import: 'brought there from elsewhere',
};

/** What an action was decided on; it is carried out only while that is so. */
export type Pin = Validators & {
  /** Of the article's text, where the service names no versions. */
  readonly digest?: string;
  /** sha256 of the bytes of the file. */
  readonly file?: string;
  /** Of what is created, another one after each deletion: its key, else the id of the article before it. */
  readonly anew?: string;
};

/** One line of a plan, without any text of an article. */
export type Action = {
  readonly action: ActionKind;
  /** Below the folder; absent for an article that is not from here. */
  readonly path?: string | undefined;
  readonly id?: number | undefined;
  readonly url?: string | undefined;
  readonly reason?: string | undefined;
  readonly base?: Base | undefined;
  /** Of a renamed file, both below the folder. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Gone here, and edited there. */
  readonly edited?: boolean | undefined;
  /** Articles that look like the post. */
  readonly candidates?: readonly number[];
  /** Digests of the text on the blog and of the text in the file. */
  readonly before?: string | undefined;
  readonly after?: string;
  /** `title` where that differs too. */
  readonly lines?: { readonly title?: true; readonly added: number; readonly removed: number };
  readonly pin?: Pin;
};

/** An action with what is needed to carry it out. */
export type Step = {
  readonly action: Action;
  readonly post?: Post;
  /** The article as it was read when its action was decided. */
  readonly target?: RemoteText | undefined;
  readonly line?: StateLine | undefined;
  /** How the article was found, where nothing else says that it is that of the post. */
  readonly found?: 'named' | 'text' | undefined;
  /** Nobody knew whose text stood there, and it may be written over all the same. */
  readonly isUnsure?: true;
  /** Of a file that was gone: whether it is there again. */
  readonly isBack?: () => boolean;
  /** The Idempotency-Key to create it under, or that of its article, where that is known. */
  readonly key?: string | undefined;
};

export type SyncPlan = {
  readonly steps: readonly Step[];
  /** Posts that have an article here, and articles whose file is gone. */
  readonly managed: number;
  /** Articles that an earlier sync knew, and that are still there. */
  readonly known: number;
  /** Posts that have an article, or had one that was deleted on the blog. */
  readonly recognised: number;
  /** State lines of which nothing is left on either side. */
  readonly forgotten: readonly string[];
};

type Side = { readonly digest: string; readonly exact?: string | undefined };
export type Decision = { readonly action: ActionKind; readonly base: Base };

export type Both = {
  readonly file: Side;
  /** Absent where it was deleted on the blog. */
  readonly blog: Side | undefined;
  readonly by: FoundBy;
  readonly line?: StateLine | undefined;
  /** Digests of the texts the file had, the latest first; undefined where git was not or cannot be asked. */
  readonly versions?: readonly string[] | undefined;
};

/** What becomes of a post that has, or had, an article. */
export function decide({ file, blog, by, line: known, versions = [] }: Both): Decision {
  if (blog === undefined) return { action: 'deleted-there', base: baseOf(by) };
  const line = known?.stored === '' ? undefined : known;
  const isFileAsBase = line?.sent === file.digest && isExactly(file, line.sentExact ?? line.exact);
  const isLeft = line?.stored === blog.digest;
  const isBlogAsBase = isLeft && isExactly(blog, line.exact);
  // By now it may have white space there (`--exact`) that the state does not know.
  const same = isBlogAsBase ? 'state' : isLeft ? 'text' : baseOf(by);
  if (isSame(file, blog)) return { action: 'unchanged', base: same };
  // A service that stores another text than it was sent has changed nothing since.
  const isTold = file.exact === undefined || line?.sentExact !== undefined;
  if (isFileAsBase && isBlogAsBase && isTold) return { action: 'unchanged', base: 'state' };
  if (isBlogAsBase) return { action: 'update', base: 'state' };
  if (file.digest === blog.digest && !isLeft) return { action: 'update', base: 'text' };
  const texts = [file.digest, ...versions];
  if (isOfFile(blog, line, texts)) return { action: 'update', base: 'git' };
  // The file has what was pulled last.
  if (known?.pulled === file.digest) return { action: 'drift', base: 'state' };
  if (line !== undefined) {
    // Where the file came back to what it was, that may be older too: another machine may have brought it.
    const [at, first] = [texts.indexOf(blog.digest), texts.lastIndexOf(line.sent)];
    const isDrift = isFileAsBase && (at === -1 || at > first || isLeft);
    return { action: isDrift ? 'drift' : 'conflict', base: 'state' };
  }
  const isUntold = by === 'asked' || known?.named === true || versions.length === 0;
  if (isUntold) return { action: 'unverified', base: 'unknown' };
  // Of several versions git cannot tell which one was applied last: the file may have changed since.
  const isOnlyVersion = versions.every((each) => each === file.digest);
  return { action: isOnlyVersion ? 'drift' : 'conflict', base: 'git' };
}

/**
 * Whether git says that a text on the blog is the file's: where a state knows which one was brought last,
 * only a later one, that another machine brought since. To an earlier one somebody went back on the blog.
 */
function isOfFile(blog: Side, line: StateLine | undefined, texts: readonly string[]): boolean {
  const at = texts.indexOf(blog.digest);
  return at !== -1 && (line === undefined || at < texts.indexOf(line.sent));
}

export type Removal = {
  readonly blog: Side;
  readonly line?: StateLine | undefined;
  readonly versions?: readonly string[] | undefined;
  readonly prune: boolean;
  /** Delete also what was edited there. */
  readonly overwrite: boolean;
};

/** What becomes of an article whose file is gone, or not to be published any more. */
export function decideGone({ blog, line, versions = [], prune, overwrite }: Removal): Decision & {
  readonly edited: boolean;
} {
  const known = line?.stored === '' ? undefined : line;
  const isLeft = known?.stored === blog.digest && isExactly(blog, known.exact);
  const isOurs = isLeft || isOfFile(blog, known, versions);
  const action = prune && (isOurs || overwrite) ? 'delete' : 'orphan';
  return { action, base: line === undefined ? 'git' : 'state', edited: !isOurs };
}

/** The reason of a post whose article is not there any more. */
export function whyMissing({ pruned, sent }: StateLine, after: string): string {
  if (pruned === true) return 'deleted by an earlier sync, when it was gone or not public here';
  return sent === after ? there : `${there}, edited here`;
}

/** The reason of what becomes of it. */
export function whyGone(skipped: string | undefined, missing: string, isEdited: boolean): string {
  const notPublic = skipped === 'draft' ? 'a draft now' : `not public now (${skipped})`;
  const gone = skipped === undefined ? missing : notPublic;
  return isEdited ? `${gone}, edited there` : gone;
}

/** What git alone says, or nobody, of whose text is on the blog. */
export function isDoubtful({ action, base }: Pick<Action, 'action' | 'base'>): boolean {
  return base !== 'state' && ['unverified', 'conflict', 'drift'].includes(action);
}

/** Where white space counts, and it is known what there was of it. */
function isExactly({ exact }: Side, known: string | undefined): boolean {
  return exact === undefined || known === undefined || exact === known;
}

function isSame(file: Side, blog: Side): boolean {
  return file.exact === undefined ? file.digest === blog.digest : file.exact === blog.exact;
}

const baseOf = (by: FoundBy): Base => (by === 'own' ? 'text' : by === 'asked' ? 'unknown' : by);
