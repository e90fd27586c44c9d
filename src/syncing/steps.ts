import { BlogctlError } from '../errors.ts';
import { diffLines } from '../terminal/diff.ts';
import {
  actionTable,
  decide,
  decideGone,
  type Action,
  type Decision,
  type Step,
  type Target,
} from './decide.ts';
import { forAll, type Evidence } from './evidence.ts';
import type { Folder, Post } from './folder.ts';
import { readTarget, remoteOf, type Remote } from './listing.ts';
import type { Matching } from './match.ts';
import type { Plan } from './plan.ts';
import { sameForm, type Text } from './same-text.ts';

type Given = { readonly matching: Matching; readonly evidence: Evidence };

/** The actions that follow from a matching; articles that would be written over are read for them. */
export async function stepsOf(matching: Matching, evidence: Evidence): Promise<Plan> {
  const { request, posts, articles, state } = evidence;
  const given = { matching, evidence };
  const shown = shownBefore(given);
  const decided = [...posts.map((post) => stepOfPost(post, given)), ...stepsOfGone(given, shown)];
  const steps = await readTargets(decided, given);
  const gone = matching.gone.filter(({ name }) => shown(name) !== undefined);
  const elsewhere = matching.gone.filter(({ name }) => shown(name) === undefined);
  const others = [...matching.unmanaged, ...elsewhere.map(({ id }) => id)];
  for (const id of others) {
    const url = articles.get(id)?.url;
    steps.push({ action: { action: 'unmanaged', id, ...(url && { url }) } });
  }
  const pairs = [...matching.pairs.values()];
  const paired = pairs.filter(({ id }) => id !== undefined).length;
  const fromState = [...state.values()].filter(({ id }) => articles.has(id)).length;
  const used = new Set(pairs.map(({ line }) => line?.path));
  const forgotten: string[] = [];
  for (const [name, { id }] of request.state) {
    const isLeft = used.has(name) || (state.has(name) && articles.has(id));
    if (!isLeft && request.folder.shown(name) !== undefined) forgotten.push(name);
  }
  const known = Math.max(fromState, gone.length);
  return { steps, managed: paired + gone.length, known, paired, forgotten };
}

/** How a plan shows a path: below the folder, or below where the whole folder was before. */
function shownBefore({ matching: { pairs }, evidence }: Given): Folder['shown'] {
  const { folder } = evidence.request;
  const before = new Set<string>();
  for (const { name, path } of folder.posts) {
    const former = pairs.get(name)?.line?.path ?? name;
    const isMoved = former !== name && former.endsWith(`/${path}`);
    if (isMoved) before.add(former.slice(0, -path.length));
  }
  const left = [...before].filter((prefix) => !folder.isThere(prefix));
  return (name) => {
    const prefix = left.find((each) => name.startsWith(each));
    return folder.shown(name) ?? (prefix && name.slice(prefix.length));
  };
}

/** What becomes of a post; `now` is its article as it was read since it was listed. */
function stepOfPost(post: Post, given: Given, now?: Target): Step {
  const { path, digest: after, name } = post;
  const { matching, evidence } = given;
  const contested = matching.contested.get(name);
  if (contested !== undefined) {
    const reason = `says it is article ${contested}, which is another post`;
    return { action: { action: 'conflict', path, id: contested, reason, after }, post };
  }
  const candidates = matching.open.get(name);
  if (candidates === undefined) return stepOfPair(post, given, now);
  if (candidates.length === 0) return creation(post, 'new', evidence);
  const reason = `looks like ${candidates.map((id) => `#${id}`).join(', ')}`;
  const base = 'unknown';
  return { action: { action: 'suggestion', path, reason, base, candidates, after }, post };
}

function creation(post: Post, reason: string, { keys, request }: Evidence): Step {
  const { path, name, digest: after } = post;
  const answer = keys.get(name);
  const generation = answer?.kind === 'free' ? answer.generation : 1;
  const key = request.folder.keyOf(name, generation);
  return { action: { action: 'create', path, reason, after }, post, key };
}

function stepOfPair(post: Post, given: Given, now: Target | undefined): Step {
  const { matching, evidence } = given;
  const { request, articles } = evidence;
  const { id, line, by = 'text' } = matching.pairs.get(post.name) ?? {};
  const listed = id === undefined ? undefined : articles.get(id);
  const blog = now === undefined ? listed : remoteOf({ ...now, ...now.text }, request.exact);
  const versions = evidence.versions.get(post.name);
  const answer = evidence.keys.get(post.name);
  const decision = decide({ file: post, blog, by, line, versions });
  if (decision.action === 'deleted-there' && request.recreate) {
    return creation(post, 'deleted there', evidence);
  }
  return {
    action: actionOf(decision, { post, blog, given }),
    post,
    key: line?.answered ?? (answer?.kind === 'article' && answer.id === id ? answer.key : '') ?? '',
    line,
    target: now,
    stored: blog?.digest,
  };
}

function actionOf(
  { action: decided, base }: Decision,
  { post, blog, given }: { post: Post; blog: Remote | undefined; given: Given },
): Action {
  const { overwrite, folder } = given.evidence.request;
  const { line, id = line?.id } = given.matching.pairs.get(post.name) ?? {};
  const url = blog?.url ?? line?.url;
  const former = line !== undefined && line.path !== post.name ? line.path : undefined;
  const hasMoved = former?.endsWith(`/${post.path}`) === true && !folder.shown(former);
  const isForced = overwrite && (decided === 'drift' || decided === 'conflict');
  const isRename = decided === 'unchanged' && former !== undefined && !hasMoved;
  const reason = hasMoved ? 'moved with its folder' : reasonOf({ action: decided, base });
  return {
    action: isForced ? 'update' : isRename ? 'rename' : decided,
    path: post.path,
    id,
    url,
    reason,
    base,
    ...(former !== undefined && { from: folder.shown(former) ?? former, to: post.path }),
    before: blog?.digest,
    after: post.digest,
  };
}

function reasonOf({ action, base }: Decision): string | undefined {
  const isDoubt = action === 'conflict' && base === 'git';
  return isDoubt ? 'changed on the blog, and maybe here' : actionTable[action].reason;
}

function stepsOfGone({ matching, evidence }: Given, shown: Folder['shown']): readonly Step[] {
  const { folder, prune, overwrite } = evidence.request;
  const lookedAt = new Set([...matching.open.values()].flat());
  const gone = matching.gone.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return gone.flatMap(({ name, id, line }) => {
    const path = shown(name);
    const blog = evidence.articles.get(id);
    if (path === undefined || blog === undefined) return [];
    const { action, base, edited } = decideGone({
      blog,
      line,
      versions: evidence.versions.get(name),
      prune: prune && !lookedAt.has(id) && folder.rejected.length === 0,
      overwrite,
    });
    const skipped = folder.skipped.get(name);
    const reason = whyGone(skipped, edited);
    const isBack = () => skipped === undefined && folder.isThere(name);
    const { url, digest: before } = blog;
    const said = { action, path, id, url, reason, base, ...(edited && { edited }), before };
    return [{ action: said, stored: before, isBack, ...(line && { line }) }];
  });
}

function whyGone(skipped: string | undefined, isEdited: boolean): string {
  const notPublic = skipped === 'draft' ? 'a draft now' : `not public now (${skipped})`;
  const gone = skipped === undefined ? 'gone here' : notPublic;
  return isEdited ? `${gone}, edited there` : gone;
}

/** Articles that would be written over, or that differ, are read and looked at again. */
async function readTargets(steps: readonly Step[], given: Given): Promise<Step[]> {
  const { evidence } = given;
  const { concurrency } = evidence.request;
  const done = new Map<Step, Step>();
  const wanted = steps.filter(
    ({ action, stored }) => actionTable[action.action].reads === true && stored !== undefined,
  );
  await forAll(
    wanted,
    async (step) => {
      const target = await readTarget(step.action.id ?? 0, evidence);
      if (target === undefined) throw changedMeanwhile(`Article ${step.action.id} was deleted`);
      done.set(step, withPin(lookAgain(step, target, given), target));
    },
    { concurrency, signal: evidence.signal },
  );
  evidence.signal.throwIfAborted();
  return steps.map((step) => done.get(step) ?? step);
}

function lookAgain(step: Step, target: Target, given: Given): Step {
  if (step.post !== undefined) return stepOfPost(step.post, given, target);
  // Edited since it was listed: then it is looked at again, another time.
  const isAsListed = target.digest === step.stored;
  const action = isAsListed
    ? step.action
    : ({ ...step.action, action: 'orphan', edited: true } as const);
  return { ...step, action, target };
}

function changedMeanwhile(what: string): BlogctlError {
  return new BlogctlError('conflict', `${what} while the plan was made.`, {
    hint: 'Run it again.',
  });
}

function textOf(post: Post): Text {
  const text = post.text();
  if (text === undefined) throw changedMeanwhile(`${post.path} was changed`);
  return text;
}

function withPin(step: Step, { validators, digest, text }: Target): Step {
  const { etag, lastModified } = validators;
  const { action, post } = step;
  const byDate = lastModified === undefined ? { digest } : { lastModified };
  const pin = etag === undefined ? byDate : { etag };
  const lines = post && changedLines(text, textOf(post));
  return { ...step, action: { ...action, ...(lines && { lines }), pin } };
}

function changedLines(there: Text, here: Text): NonNullable<Action['lines']> {
  const [before, after] = [sameForm(there), sameForm(here)];
  const lines = diffLines(before.content, after.content);
  const count = (kind: 'added' | 'removed') => lines.filter((line) => line.kind === kind).length;
  const isTitle = before.title !== after.title;
  return { ...(isTitle && { title: true }), added: count('added'), removed: count('removed') };
}
