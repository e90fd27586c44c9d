import { existsSync } from 'node:fs';

import { BlogctlError } from '../errors.ts';
import { diffLines } from '../terminal/showing/diff.ts';
import type { Action, Step, Target } from './actions.ts';
import { decide, decideGone, type Decision } from './decide.ts';
import { forAll, type Asking } from './evidence.ts';
import type { Folder, Post } from './folder.ts';
import { remoteOf, type Remote } from './listing.ts';
import type { Matching, Pair } from './match.ts';
import type { Evidence, Plan } from './plan.ts';
import { digestOf, sameForm } from './same-text.ts';

/** The actions that follow from a matching; articles that would be written over are read for them. */
export async function stepsOf(
  matching: Matching,
  evidence: Evidence,
  asking: Asking,
): Promise<Plan> {
  const { folder } = evidence.request;
  const shown = shownBefore(matching, evidence);
  const decided = [
    ...folder.posts.map((post) => stepOfPost(post, matching, evidence)),
    ...stepsOfGone(matching, evidence, shown),
  ];
  const steps = await readTargets(decided, { matching, evidence, asking });
  const elsewhere = [...matching.gone].flatMap(([name, { id }]) => (shown(name) ? [] : [id]));
  const others = [...matching.unmanaged, ...elsewhere].map((id): Step => {
    const url = evidence.articles.get(id)?.url;
    return { action: { action: 'unmanaged', id, ...(url && { url }) } };
  });
  const paired = [...matching.pairs.values()].filter(({ id }) => id !== undefined).length;
  const gone = [...matching.gone.keys()].filter((name) => shown(name) !== undefined).length;
  const { articles, state } = evidence;
  const fromState = [...state.values()].filter(({ id }) => articles.has(id)).length;
  const known = Math.max(fromState, gone);
  const forgotten = forgottenOf(matching, evidence);
  return { steps: [...steps, ...others], managed: paired + gone, known, paired, forgotten };
}

/** How a plan shows a path: below the folder, or below where the whole folder was before. */
function shownBefore({ pairs }: Matching, { request: { folder } }: Evidence): Folder['shown'] {
  const before = new Set<string>();
  for (const { name, path } of folder.posts) {
    const former = pairs.get(name)?.line?.path ?? name;
    const isMoved = former !== name && former.endsWith(`/${path}`);
    if (isMoved) before.add(former.slice(0, -path.length));
  }
  const left = [...before].filter((prefix) => !existsSync(folder.fileOf(prefix)));
  return (name) => {
    const prefix = left.find((each) => name.startsWith(each));
    return folder.shown(name) ?? (prefix && name.slice(prefix.length));
  };
}

function forgottenOf({ pairs }: Matching, { request, articles, state }: Evidence): string[] {
  const used = new Set([...pairs.values()].map(({ line }) => line?.path));
  return [...request.state].flatMap(([name, { id }]) => {
    const isLeft = used.has(name) || (state.has(name) && articles.has(id));
    const isHere = request.folder.shown(name) !== undefined;
    return isLeft || !isHere ? [] : [name];
  });
}

function stepOfPost(post: Post, matching: Matching, evidence: Evidence): Step {
  const { name, path, digest } = post;
  const pair = matching.pairs.get(name);
  if (pair !== undefined) return stepOfPair(post, pair, evidence);
  const after = digest;
  const contested = matching.contested.get(name);
  if (contested !== undefined) {
    const reason = `says it is article ${contested}, which is another post`;
    return { action: { action: 'conflict', path, id: contested, reason, after }, post };
  }
  const candidates = matching.open.get(name) ?? [];
  if (candidates.length > 0) {
    const reason = `looks like ${candidates.map((id) => `#${id}`).join(', ')}`;
    const action: Action = {
      action: 'suggestion',
      path,
      reason,
      base: 'unknown',
      candidates,
      after,
    };
    return { action, post };
  }
  return {
    action: { action: 'create', path, reason: 'new', after },
    post,
    ...generationOf(post, evidence),
  };
}

function generationOf({ name }: Post, { keys }: Evidence): { generation?: number } {
  const answer = keys.get(name);
  return answer?.kind === 'free' ? { generation: answer.generation } : {};
}

function stepOfPair(post: Post, pair: Pair, evidence: Evidence, now?: Target): Step {
  const { request, articles, versions } = evidence;
  const { id, line, by } = pair;
  const listed = id === undefined ? undefined : articles.get(id);
  const blog = now === undefined ? listed : remoteOf({ ...now, ...now.text }, request.exact);
  const texts = versions.get(post.name);
  const isNearestNow = now === undefined || isNearest(post, now, texts ?? []);
  const known = texts && new Set(texts.map(({ digest }) => digest));
  const decision = decide({ file: post, blog, by, line, versions: known, isNearestNow });
  if (decision.action === 'deleted-there' && request.recreate) {
    const { path, digest: after } = post;
    const action: Action = { action: 'create', path, reason: 'deleted there', after };
    return { action, post, ...generationOf(post, evidence) };
  }
  return {
    action: actionOf(decision, { post, pair, blog, evidence }),
    post,
    ...(line && { line }),
    ...(now && { target: now }),
    ...(blog && { stored: blog.digest }),
  };
}

const reasons: Partial<Record<Action['action'], string>> = {
  drift: 'changed on the blog',
  conflict: 'changed here and on the blog',
  unverified: 'differs, and nobody knows who changed it',
  'deleted-there': 'deleted on the blog',
};

function actionOf(
  decision: Decision,
  given: { post: Post; pair: Pair; blog: Remote | undefined; evidence: Evidence },
): Action {
  const { post, pair, blog, evidence } = given;
  const { overwrite, folder } = evidence.request;
  const isForced = overwrite && (decision.action === 'drift' || decision.action === 'conflict');
  const { id = pair.line?.id, line } = pair;
  const url = blog?.url ?? line?.url;
  const isRenamed = line !== undefined && line.path !== post.name;
  const hasMoved = isRenamed && line.path.endsWith(`/${post.path}`) && !folder.shown(line.path);
  const action = isForced ? 'update' : decision.action;
  const reason = hasMoved ? 'moved with its folder' : reasons[decision.action];
  return {
    action: action === 'unchanged' && isRenamed && !hasMoved ? 'rename' : action,
    path: post.path,
    ...(id !== undefined && { id }),
    ...(url && { url }),
    ...(reason && { reason }),
    base: decision.base,
    ...(isRenamed && { from: folder.shown(line.path) ?? line.path, to: post.path }),
    ...(blog && { before: blog.digest }),
    after: post.digest,
  };
}

function stepsOfGone(
  { gone, open }: Matching,
  evidence: Evidence,
  shown: Folder['shown'],
): readonly Step[] {
  const { request, articles, versions } = evidence;
  const { folder, prune, overwrite } = request;
  const lookedAt = new Set([...open.values()].flat());
  return [...gone]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, { id, line }]) => {
      const path = shown(name);
      const blog = articles.get(id);
      if (path === undefined || blog === undefined) return [];
      const known = new Set(versions.get(name)?.map(({ digest }) => digest));
      const mayPrune = prune && !lookedAt.has(id) && folder.rejected.length === 0;
      const decision = decideGone({ blog, line, versions: known, prune: mayPrune, overwrite });
      const action: Action = {
        action: decision.action,
        path,
        id,
        url: blog.url,
        reason: whyGone(folder.skipped.get(name), decision.edited),
        base: decision.base,
        ...(decision.edited && { edited: true }),
        before: blog.digest,
      };
      return [{ action, stored: blog.digest, ...(line && { line }) }];
    });
}

function whyGone(skipped: string | undefined, isEdited: boolean): string {
  const gone =
    skipped === undefined
      ? 'gone here'
      : skipped === 'draft'
        ? 'a draft now'
        : `not public now (${skipped})`;
  return isEdited ? `${gone}, edited there` : gone;
}

/** Their articles are read: for the version to expect, and to say what would change. */
const read = new Set(['update', 'drift', 'conflict', 'unverified', 'delete']);

async function readTargets(
  steps: readonly Step[],
  given: { matching: Matching; evidence: Evidence; asking: Asking },
): Promise<readonly Step[]> {
  const { matching, evidence, asking } = given;
  const done = [...steps];
  const wanted = [...steps.entries()].filter(([, { action }]) => read.has(action.action));
  await forAll(
    wanted,
    async ([at, step]) => {
      const { id } = step.action;
      if (id === undefined) return;
      const target = await readTarget(id, asking);
      if (target === undefined) throw changedMeanwhile(id);
      const pair = step.post && matching.pairs.get(step.post.name);
      if (step.post === undefined || pair === undefined) {
        // Edited since it was listed: then it is looked at again, another time.
        const isAsListed = target.digest === step.stored;
        const action = isAsListed
          ? step.action
          : ({ ...step.action, action: 'orphan', edited: true } as const);
        done[at] = withPin({ ...step, action, target });
      } else done[at] = withPin(stepOfPair(step.post, pair, evidence, target));
    },
    asking,
  );
  return done;
}

/** The article as it is now; undefined where it is not there any more. */
export async function readTarget(
  id: number,
  { client, patience, signal }: Pick<Asking, 'client' | 'patience' | 'signal'>,
): Promise<Target | undefined> {
  try {
    const { article, validators } = await patience(() => client.article({ id }), signal);
    const text = { title: article.title, content: article.content ?? '' };
    return { id, url: article.url, text, digest: digestOf(text).digest, validators };
  } catch (error) {
    const isGone = error instanceof BlogctlError && ['gone', 'not-found'].includes(error.code);
    if (isGone) return undefined;
    throw error;
  }
}

function changedMeanwhile(id: number): BlogctlError {
  return new BlogctlError('conflict', `Article ${id} was deleted while the plan was made.`, {
    hint: 'Run it again.',
  });
}

function withPin(step: Step): Step {
  const { action, target, post } = step;
  if (target === undefined) return step;
  const { etag, lastModified } = target.validators;
  const pin =
    etag !== undefined
      ? { etag }
      : lastModified !== undefined
        ? { lastModified }
        : { digest: target.digest };
  const lines = post && changedLines(target.text.content, post.text.content);
  return { ...step, action: { ...action, ...(lines && { lines }), pin } };
}

function changedLines(before: string, after: string): { added: number; removed: number } {
  const lines = diffLines(
    sameForm({ title: '', content: before }).content,
    sameForm({ title: '', content: after }).content,
  );
  const count = (kind: 'added' | 'removed') => lines.filter((line) => line.kind === kind).length;
  return { added: count('added'), removed: count('removed') };
}

/**
 * Whether the text on the blog was made from the one the file has now, by the words they share. In
 * doubt it was not: then somebody is asked.
 */
function isNearest({ text, digest }: Post, target: Target, versions: readonly Version[]): boolean {
  const there = wordsOf(target.text);
  const shared = (version: Target['text']) => {
    const words = wordsOf(version);
    const common = [...words].filter((word) => there.has(word)).length;
    return common / (words.size + there.size - common);
  };
  const now = shared(text);
  return versions.every((version) => version.digest === digest || shared(version) < now);
}

type Version = Target['text'] & { readonly digest: string };

function wordsOf({ title, content }: Target['text']): ReadonlySet<string> {
  return new Set(['', ...title.split(/\s+/), ...content.split(/\s+/)]);
}
