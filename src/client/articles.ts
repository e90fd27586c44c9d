import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { BlogctlError, type Hint } from '../errors.ts';
import { type HalDocument, isObject } from '../hal/document.ts';
import { findLink, targetOf } from '../hal/links.ts';
import type {
  Article,
  ArticleDraft,
  ArticleReference,
  BlogClient,
  CreateOptions,
  PageRange,
  Validators,
  VersionedArticle,
} from './blog-client.ts';
import type { Answer } from './exchange.ts';

/** The article a document holds; its address is its `self` link, else where it was read. */
export function readArticle(document: HalDocument): Article {
  const { id, title, content } = check(ArticleResource, document, 'an article');
  const self = findLink(document, 'self');
  const url = self === undefined ? document.url : targetOf(document, self);
  return { id, title, ...(typeof content === 'string' && { content }), url };
}

export function readVersionedArticle(answer: Answer): VersionedArticle {
  return { article: readArticle(answer.document()), validators: validatorsOf(answer) };
}

/** Whether a text is another than the one that was sent; none at all is an empty one. */
export function isOtherText(sent: ArticleDraft, stored: ArticleDraft): boolean {
  return stored.title !== sent.title || (stored.content ?? '') !== (sent.content ?? '');
}

export const storedOtherwise = 'The service stored another text than it was sent.';

function validatorsOf({ headers }: Answer): Validators {
  const etag = headers['etag'];
  const lastModified = headers['last-modified'];
  return { ...(etag && { etag }), ...(lastModified && { lastModified }) };
}

/**
 * The condition for a change (interface, Endpoints, rules 8 to 10): the tag, else the date. If-Match
 * never holds for a weak tag (RFC 9110, 13.1.1), so a date is preferred to one.
 */
export function conditionFor(expected: Validators | undefined): Readonly<Record<string, string>> {
  const { etag, lastModified } = expected ?? {};
  if (lastModified !== undefined && (etag === undefined || etag.startsWith('W/'))) {
    return { 'if-unmodified-since': lastModified };
  }
  return etag === undefined ? {} : { 'if-match': etag };
}

/** Whether a change can be made on condition of this version. */
export function hasCondition({ etag, lastModified }: Validators): boolean {
  return lastModified !== undefined || (etag !== undefined && !etag.startsWith('W/'));
}

/**
 * What a change is to expect of an article as it was read. Where the service names no version, or one that
 * no condition can hold for, the text is read again just before, which leaves a small window; undefined
 * where it is another by now, or gone.
 */
export async function expectedNow(
  read: { readonly text: ArticleDraft; readonly validators: Validators },
  again: () => Promise<ArticleDraft | undefined>,
): Promise<Validators | undefined> {
  if (hasCondition(read.validators)) return read.validators;
  const now = await again();
  return now === undefined || isOtherText(read.text, now) ? undefined : {};
}

z.config(en());

const positive = z.int().check(z.positive());
const count = z.int().check(z.nonnegative());

/** interface, Blog. A description that is left out is read as an empty one. */
export const BlogResource = z.object({
  id: positive,
  title: z.string(),
  description: z.pipe(
    z.nullish(z.string()),
    z.transform((text) => text ?? ''),
  ),
});

/** interface, Article. Content is absent after a PUT without it (interface, Endpoints, rule 4). */
const ArticleResource = z.object({
  id: positive,
  title: z.string(),
  content: z.nullish(z.string()),
});

/** Looked at when its article is read: to copy it would cost as much. */
const member = z.custom<Readonly<Record<string, unknown>>>(
  isObject,
  'Invalid input: expected object',
);

/**
 * interface, Page of articles, whose oddities end here: `_embedded` is a bare array there; the object
 * of arrays that HAL describes is read as well, if it holds one array.
 */
export const PageResource = z.object({
  pageIndex: z.int().check(z.positive()),
  pageSize: count,
  totalPages: count,
  totalArticles: count,
  _embedded: z.pipe(
    z.union([z.array(member), z.record(z.string(), z.array(member))]),
    z.transform((value) => (Array.isArray(value) ? value : Object.values(value).flat())),
  ),
});
export type PageResource = z.infer<typeof PageResource>;

/** The checked members of a document, or `broken-contract` naming each member that is wrong. */
export function check<T>(schema: z.ZodMiniType<T>, document: HalDocument, what: string): T {
  const result = schema.safeParse(document.body);
  if (result.success) return result.data;
  throw new BlogctlError('broken-contract', `What came from ${document.url} is not ${what}.`, {
    url: document.url,
    hint: 'The address must be that of a blog: https://host/api/v1.2/blogs/1, for example.',
    details: result.error.issues.map((issue) => ({
      pointer: `/${issue.path.map(String).join('/')}`,
      detail: issue.message,
    })),
  });
}

/**
 * Address of an article. An id is looked up beneath the collection, where `self` is
 * (interface, Article); a URL must be of the collection's own origin, or a token would travel.
 */
export function addressOf(reference: ArticleReference, collection: string): string {
  if (Object(reference) !== reference || !('id' in reference || 'url' in reference)) {
    const named = JSON.stringify(reference);
    throw new BlogctlError('usage', `${named} names no article.`, {
      hint: 'Give { id: 7 }, or { url } with the address of an article.',
    });
  }
  if ('id' in reference) return beneath(collection, reference.id);
  const { origin } = new URL(collection);
  if (URL.canParse(reference.url) && new URL(reference.url).origin === origin) return reference.url;
  const [, blog = '<url>'] = /^(https?:.+)\/articles\/\d+$/.exec(reference.url) ?? [];
  throw new BlogctlError('usage', `${reference.url} is not an article of ${origin}.`, {
    hint: `Name the blog it belongs to with --blog ${blog}.`,
  });
}

function beneath(collection: string, id: number): string {
  const url = new URL(collection);
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${id}`;
  url.search = '';
  url.hash = '';
  return url.href;
}

/** Of each member whether a value will do, and what to write. */
export type Forms<Given> = {
  readonly [Name in keyof Required<Given>]: readonly [(value: unknown) => boolean, Hint];
};

/**
 * What a program gave, which no compiler may have seen; a member that is undefined was not given. What
 * is none of the members, or cannot be one, is `usage` and named.
 */
export function checkedMembers<Given extends object>(
  [place, kind]: readonly [string, 'options' | 'validators'],
  given: Given,
  forms: Forms<Given>,
): Given {
  const all: Hint = `The ${kind} are ${Object.keys(forms).join(', ')}.`;
  if (Object(given) !== given || Array.isArray(given))
    throw usage(`${place}: what it was given is no object of ${kind}`, all);
  const known = new Map<string, readonly [(value: unknown) => boolean, Hint]>(
    Object.entries(forms),
  );
  for (const [name, value] of Object.entries(given)) {
    const [isOne, form] = known.get(name) ?? refuseName(name, kind, all, [...known.keys()]);
    // What it may be says what is wrong.
    if (value !== undefined && !isOne(value))
      throw new BlogctlError('usage', `${name}: ${form}`, { hint: form });
  }
  return given;
}

function refuseName(name: string, kind: string, all: Hint, names: readonly string[]): never {
  const start = name.slice(0, 3).toLowerCase();
  const meant = names.find((each) => each.toLowerCase().startsWith(start));
  const hint: Hint = meant === undefined ? all : `Did you mean ${meant}? ${all}`;
  throw usage(`${name}: there is no such ${kind.replace(/s$/, '')}`, hint);
}

/** With the hint in the message: that is all a test runner shows of an error. */
export function usage(message: string, hint: Hint): BlogctlError {
  return new BlogctlError('usage', `${message.replace(/\.$/, '')}. ${hint}`, { hint });
}

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isPositive = (value: unknown) => Number.isSafeInteger(value) && Number(value) > 0;
/** Bare or quoted, as decisions 38 has it. */
const aKey = /^(?:[!#-+\--[\]-~]{1,255}|"(?:[ !#-[\]-~]|\\["\\]){1,255}")$/;

const validators: Forms<Validators> = {
  etag: [isText, 'Give the etag among the validators of article().'],
  lastModified: [isText, 'Give the lastModified among the validators of article().'],
};
const creation: Forms<CreateOptions> = {
  idempotencyKey: [
    (value) => typeof value === 'string' && aKey.test(value),
    'Write 1 to 255 visible ASCII characters, without commas, quotes and backslashes.',
  ],
};
const range: Forms<PageRange> = {
  pageIndex: [isPositive, 'Write a whole number from 1 on.'],
  pageSize: [isPositive, 'Write a whole number from 1 on.'],
  known: [(value) => typeof value === 'function', 'Give a function from an address to a version.'],
};

/** A guard that guards nothing is none that was left out (decisions 17). */
function checkGuard(expected: Validators | undefined): void {
  if (expected === undefined) return;
  const { etag, lastModified } = checkedMembers(['expected', 'validators'], expected, validators);
  if (etag !== undefined || lastModified !== undefined) return;
  throw usage(
    'expected: there is neither an etag nor a lastModified in it',
    'Give the validators of article(); a service that sends none knows no guard.',
  );
}

/**
 * A client as programs have it: what it does not know it refuses, and the blog is read anew where it is
 * asked for. `forget` makes it one that was asked nothing yet.
 */
export function clientForPrograms(make: () => BlogClient): {
  readonly client: BlogClient;
  readonly forget: () => void;
} {
  let inner = make();
  const forget = () => {
    inner = make();
  };
  const checkCreation = (options: CreateOptions = {}) =>
    checkedMembers(['options', 'options'], options, creation);
  const client: BlogClient = {
    blog: async () => {
      forget();
      return inner.blog();
    },
    article: async (reference) => inner.article(reference),
    articleByKey: async (key) => {
      if (isText(key)) return inner.articleByKey(key);
      throw usage('key: there is none', 'Give the Idempotency-Key that create() was given.');
    },
    pages: async function* (given = {}) {
      yield* inner.pages(checkedMembers(['range', 'options'], given, range));
    },
    create: async (draft, options) => inner.create(draft, checkCreation(options)),
    place: async (draft, options) => inner.place(draft, checkCreation(options)),
    replace: async (reference, draft, expected) => {
      checkGuard(expected);
      return inner.replace(reference, draft, expected);
    },
    remove: async (reference, expected) => {
      checkGuard(expected);
      return inner.remove(reference, expected);
    },
  };
  return { client, forget };
}
