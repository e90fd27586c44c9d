import type {
  Article,
  ArticleDraft,
  GivenReference,
  BlogClient,
  CreateOptions,
} from '../../../src/client/blog-client.ts';
import { BlogctlError } from '../../../src/errors.ts';
import { requestFingerprint } from '../../../src/client/idempotency.ts';

/** What goes wrong with one POST: an error instead of it, or an answer lost after it. */
export type Mishap = BlogctlError | 'lost answer' | 'never arrived';

export type FakeBlog = BlogClient & {
  readonly articles: readonly Article[];
  /** Titles in the order in which POSTs were made, refused ones included. */
  readonly posted: readonly string[];
  readonly mostAtOnce: number;
};

type FakeBlogOptions = {
  readonly honoursKeys?: boolean;
  /** Asked before each POST, with its number from 1. */
  readonly mishap?: (number: number, draft: ArticleDraft) => Mishap | undefined;
  readonly articles?: readonly { title: string; content: string }[];
};

export const silence = (): BlogctlError =>
  new BlogctlError('unreachable', 'No answer from blog.test.', { retryable: true });

/** A blog in memory behind the client's own interface: keys as decisions 38 has them. */
export function createFakeBlog(options: FakeBlogOptions = {}): FakeBlog {
  const { honoursKeys = true, mishap = () => undefined } = options;
  const articles = new Map<number, Article>();
  const keys = new Map<string, { id: number; fingerprint: string }>();
  const gone = new Set<number>();
  const posted: string[] = [];
  let lastId = 0;
  let underWay = 0;
  let mostAtOnce = 0;
  for (const draft of options.articles ?? []) store(draft);

  function store({ title, content = '' }: ArticleDraft): Article {
    const id = (lastId += 1);
    const article = { id, title, content, url: `https://blog.test/articles/${id}` };
    articles.set(id, article);
    return article;
  }

  function keep(draft: ArticleDraft, key: string | undefined): [Article, boolean] {
    const known = key === undefined || !honoursKeys ? undefined : keys.get(key);
    const fingerprint = requestFingerprint(draft);
    if (known === undefined) {
      const article = store(draft);
      if (key !== undefined) keys.set(key, { id: article.id, fingerprint });
      return [article, false];
    }
    const article = at(known.id);
    if (known.fingerprint === fingerprint) return [article, true];
    const context = { status: 422, reason: 'idempotency-key-reused', article: article.url };
    throw new BlogctlError('unprocessable', 'This key was used for another text.', context);
  }

  function at(id: number): Article {
    const article = articles.get(id);
    if (gone.has(id)) throw new BlogctlError('gone', 'gone', { status: 410 });
    if (article === undefined) throw new BlogctlError('not-found', 'not found', { status: 404 });
    return article;
  }

  return {
    get articles() {
      return [...articles.values()];
    },
    posted,
    get mostAtOnce() {
      return mostAtOnce;
    },
    blog: async () => ({
      id: 1,
      title: 'Fake',
      description: '',
      url: 'https://blog.test',
      articlesUrl: 'https://blog.test/articles',
      honoursIdempotencyKey: honoursKeys,
      findsByKey: honoursKeys,
    }),
    async articleByKey(key) {
      const known = keys.get(key);
      if (known === undefined) return { kind: 'never-seen' };
      const article = articles.get(known.id);
      return article === undefined
        ? { kind: 'deleted' }
        : { kind: 'article', article, validators: {}, fingerprint: known.fingerprint };
    },
    article: async (reference) => ({ article: at(idOf(reference)), validators: {} }),
    async *pages() {
      const all = [...articles.values()];
      yield {
        pageIndex: 1,
        pageSize: 100,
        totalPages: 1,
        totalArticles: all.length,
        articles: all,
      };
    },
    create,
    async place(draft, how) {
      const { article, replayed } = await create(draft, how);
      return { url: article.url, replayed };
    },
    async replace(reference, { title, content = '' }) {
      const id = idOf(reference);
      const article = { ...at(id), title, content };
      articles.set(id, article);
      return { article, validators: {} };
    },
    async remove(reference) {
      const { id } = at(idOf(reference));
      articles.delete(id);
      gone.add(id);
    },
  };

  async function create(draft: ArticleDraft, { idempotencyKey }: CreateOptions = {}) {
    posted.push(draft.title);
    const trouble = mishap(posted.length, draft);
    underWay += 1;
    mostAtOnce = Math.max(mostAtOnce, underWay);
    await new Promise(setImmediate);
    underWay -= 1;
    if (trouble instanceof BlogctlError) throw trouble;
    if (trouble === 'never arrived') throw silence();
    const [article, replayed] = keep(draft, idempotencyKey);
    if (trouble === 'lost answer') throw silence();
    return { article, replayed, validators: {} };
  }
}

function idOf(reference: GivenReference): number {
  if ('id' in reference) return reference.id;
  const { url } = reference;
  return Number((typeof url === 'string' ? url : url.href).split('/').at(-1));
}
