import { sendAll } from '../importing/sending/send-all.ts';
import type { Patience } from '../importing/sending/patience.ts';
import type { BlogClient } from '../client/blog-client.ts';
import { BlogctlError } from '../errors.ts';
import { remoteOf, type Remote } from './listing.ts';
import type { KeyAnswer } from './match.ts';

export type Asking = {
  readonly client: BlogClient;
  readonly patience: Patience;
  readonly signal: AbortSignal;
  readonly concurrency: number;
  readonly exact: boolean;
};

/** Does something for each of several things, some at a time; the first failure ends it. */
export async function forAll<T>(
  things: readonly T[],
  act: (thing: T) => Promise<void>,
  { concurrency, signal }: Pick<Asking, 'concurrency' | 'signal'>,
): Promise<void> {
  async function* portions(): AsyncGenerator<readonly T[], void, void> {
    yield things;
  }
  await sendAll(portions(), { deliver: act, concurrency, settled: () => true }, signal);
  signal.throwIfAborted();
}

type Found = { readonly answer: KeyAnswer; readonly article?: Remote };
type AskingByKey = Asking & { readonly keyOf: (name: string, generation: number) => string };

/** Asks for the article of a path, the first of its names, or of those it had before. */
export async function askByNames(
  names: readonly string[],
  isAnothers: (id: number) => boolean,
  asking: AskingByKey,
): Promise<Found> {
  let generation = 1;
  for (const [at, name] of names.entries()) {
    const found = await askByKey(name, isAnothers, asking);
    if (found.answer.kind === 'article') return found;
    if (at === 0) ({ generation } = found.answer);
    if (found.answer.wasDeleted) return { answer: { ...found.answer, generation } };
  }
  return { answer: { kind: 'free', generation, wasDeleted: false } };
}

/**
 * Asks the blog for an article by its key, and by the later generations of it while the one before is
 * deleted, or is another post's by now (decisions 49 and 51).
 */
async function askByKey(
  name: string,
  isAnothers: (id: number) => boolean,
  { client, patience, signal, exact, keyOf }: AskingByKey,
): Promise<Found> {
  let isDeleted = false;
  for (let generation = 1; ; generation += 1) {
    const found = await patience(() => client.articleByKey(keyOf(name, generation)), signal);
    if (found.kind === 'never-seen') {
      return { answer: { kind: 'free', generation, wasDeleted: isDeleted } };
    }
    if (found.kind === 'deleted') isDeleted = true;
    else if (!isAnothers(found.article.id)) {
      const article = remoteOf(found.article, exact);
      return { answer: { kind: 'article', id: article.id }, article };
    } else isDeleted = false;
  }
}

/** Whether an article was there and is deleted; a service that does not remember says it never was. */
export async function wasDeleted(
  id: number,
  { client, patience, signal }: Asking,
): Promise<boolean> {
  try {
    await patience(() => client.article({ id }), signal);
    return false;
  } catch (error) {
    if (!(error instanceof BlogctlError)) throw error;
    if (error.code === 'gone') return true;
    if (error.code === 'not-found') return false;
    throw error;
  }
}
