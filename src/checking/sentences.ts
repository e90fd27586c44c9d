import type { Probe } from './probe.ts';
import type { SentRequest, Reply } from './wire.ts';

/**
 * The sentences of docs/interface.md by their numbers, for a command that has no documents at hand;
 * a test holds the two together.
 */
export const sentences = {
  '1.1': 'A service has blogs, a blog has articles, and both are reached over HTTP.',
  '1.2': 'Every body that the service sends is JSON and is labelled `application/hal+json`.',
  '1.3': 'A client names that type in `Accept`; what cannot be had in the type asked for is 406.',
  '1.4': 'A client labels the bodies that it sends `application/json`.',
  '1.5':
    'Whatever is shown carries its links in `_links`, and clients go by these instead of putting addresses together.',
  '1.6': 'The server keeps no session: each request says all that is needed to answer it.',
  '1.7':
    'Behind the prefix of the version a blog is at `/blogs/{blog_id}`, its articles at `/blogs/{blog_id}/articles`, and one of them at `/blogs/{blog_id}/articles/{article_id}`.',
  '1.8':
    'Words in paths are lower-case nouns joined by dashes, and relations are written in lowerCamelCase unless a curie stands before them.',
  '2.1': "A blog's `id` is an integer.",
  '2.2': "A blog's `title` is a string.",
  '2.3': "A blog's `description` is a string.",
  '2.4':
    "A blog's `curies` are an array in which the prefix `doc` has a templated `href` with `{rel}`.",
  '2.5': "A blog's `self` leads back to the blog.",
  '2.6': "A blog's `doc:articles` is templated and ends in `{?pageIndex,pageSize}`.",
  '2.7': "An article's `id` is an integer.",
  '2.8': "An article's `title` is a string.",
  '2.9': "An article's `content` is a string, where it has one.",
  '2.10': 'An article has the `curies` that a blog has.',
  '2.11': "An article's `self` leads back to the article.",
  '2.12': "An article's `doc:blog` leads to its blog and is titled as the blog is.",
  '2.13': "An article's `doc:comments` is templated and ends in `{?pageIndex,pageSize}`.",
  '2.14': 'A body that comes after a deletion holds `_links` alone, with `curies` and `doc:blog`.',
  '2.15': "A page's `pageIndex` is an integer, and the first page has 1.",
  '2.16':
    "A page's `pageSize` is an integer; so many articles are on each page, on the last at most.",
  '2.17': "A page's `totalPages` is the number of articles over the page size, rounded up.",
  '2.18': "A page's `totalArticles` counts the articles of the whole blog.",
  '2.19': 'A page keeps its navigation in `_link`, without an s.',
  '2.20': "A page's `_embedded` is a bare array of its articles.",
  '2.21': '`firstPage` leads to page 1 at the same page size.',
  '2.22': '`previousPage` leads one page back.',
  '2.23': 'The `self` of a page leads to that page.',
  '2.24': '`nextPage` leads one page on.',
  '2.25': '`lastPage` leads to the page that `totalPages` counts to.',
  '2.26': 'An article on a page is whole, as it is when read by itself, links included.',
  '2.27': 'What a comment consists of, and what answers behind the link to comments.',
  '2.28': 'Which members must be there, how long they may be, and what becomes of others.',
  '3.1': 'Which states a blog or an article goes through.',
  '3.2': 'An article that was created can be read from then on, with the texts that were sent.',
  '4.1':
    "Creating an article gives it an id; the answer's body tells it, as `application/hal+json`.",
  '4.2':
    'A listing that is asked for by `pageIndex` and `pageSize` is that page, and repeats the two.',
  '4.3':
    'PUT replaces the whole article that its address names; an `id` in the body counts for nothing.',
  '4.4': 'A PUT without `content` takes the content away for good.',
  '4.5': 'A PUT that succeeds answers with all of the article as it has become.',
  '4.6': 'What is read after its deletion is answered by the rules of 404 and 410.',
  '4.7': 'Neither PATCH nor single members as resources of their own are part of the interface.',
  '4.8':
    'Where `Last-Modified` is given, the same date in `If-Modified-Since` makes a read 304 without a body, and another date in `If-Unmodified-Since` makes a change 412.',
  '4.9':
    'Where an `ETag` is given, the same tag in `If-None-Match` makes a read 304, and another one in `If-Match` makes a change 412.',
  '4.10': 'Beside `If-None-Match` or `If-Match` the condition on a date is ignored.',
  '4.11': 'GET of a blog is 200 with the blog.',
  '4.12':
    'POST to the articles of a blog, with title and content, is 201 with the new article, whose `self` names it.',
  '4.13': 'GET of an article is 200 with the article.',
  '4.14': 'GET of the articles of a blog is 200 with a page of them.',
  '4.15': 'PUT to an article, with title, content and perhaps an id, is 200.',
  '4.16': 'DELETE of an article is 204, labelled `application/hal+json`.',
  '4.17': 'What can be done with a blog besides reading it.',
  '4.18': 'Which page and page size are taken where none is asked for, and which are allowed.',
  '4.19': 'Whether the first page has a `previousPage` and the last one a `nextPage`.',
  '4.20': 'What HTTP adds: HEAD, `Location` on 201, a `Link` header, how strong a tag is.',
  '5.1': 'A request that creates, updates or deletes an article carries `X-Access-Token`.',
  '5.2': 'Blogs, pages and articles are read without a token.',
  '5.3':
    'A token means the same to every instance of the service, and none of them keeps a session.',
  '5.4': 'Without a token a change is 401; with one that does not allow it, 403.',
  '5.5': 'Where tokens come from, what they look like and how long they last.',
  '6.1': 'Webhooks and notifications of any kind.',
  '7.1': 'A refusal may have a body that says why.',
  '7.2': '304: the copy that a conditional read speaks of is current; there is no body.',
  '7.3': '400: every mistake of the client that has no status of its own here.',
  '7.4': '401: nobody is named, and the operation is protected.',
  '7.5': '403: somebody is named who may not do this.',
  '7.6': '404: there is no such resource.',
  '7.7': '406: the media type asked for cannot be made.',
  '7.8': '409: the request does not go with the state that the resource is in.',
  '7.9': '410: there was such a resource once.',
  '7.10': '412: a condition of a change does not hold.',
  '7.11': '422: the body can be read and makes no sense, as where a title is null.',
  '7.12': '423: the resource is locked.',
  '7.13': '424: another action had to succeed first, and failed.',
  '7.14': '429: too many requests came in too short a time.',
  '7.15': '500: every failure of the server that has no status of its own here.',
  '7.16': '501: the server is not able to do this at all.',
  '7.17': '503: the server is overloaded or being looked after, for now.',
  '7.18': '507: the server has no room for what it would have to keep.',
  '7.19': 'What the body of a refusal looks like.',
  '7.20': 'Which of these statuses an operation has for which mistake.',
  '8.1': 'How many requests, how long a page and how big a body a service bears.',
  '9.1': 'The version is a part of the path: `/api/v1.2/blogs`.',
  '9.2': 'A header that chooses a version is not promised.',
  '9.3': 'The address in a link is whole, scheme and host included.',
  '9.4': 'How long a version lasts and what stays compatible.',
} as const;

export type SentenceNumber = keyof typeof sentences;

/** A rule can fail; a choice is what a service does where the interface is silent; a note tells why
 * nothing is looked at. */
export type Kind = 'rule' | 'choice' | 'note';

export type Check = {
  readonly number: SentenceNumber;
  readonly kind: Kind;
  /** It changes articles of its own, so it is done with --write alone. */
  readonly writes: boolean;
  /** Rules without which this one tells nothing: where one is broken, this one is skipped. */
  readonly needs: readonly SentenceNumber[];
  /**
   * A rule that holds resolves, to what of it alone was tried where that is not all; one that does not
   * throws Broken. A choice resolves to what the service does, a note to its reason. What cannot be
   * seen here throws Skipped.
   */
  readonly run: (probe: Probe) => Promise<string | void>;
  /** Of a note: it is known without looking. */
  readonly reason?: string;
};

/** What looking at a sentence came to. */
export type Outcome =
  /** With what alone was tried of it, where that is not all. */
  | { readonly outcome: 'held'; readonly what?: string }
  | { readonly outcome: 'choice' | 'note' | 'skipped'; readonly what: string }
  | {
      readonly outcome: 'broken';
      readonly reply: SentRequest;
      readonly expected: string;
      readonly got: string;
      /** The sentence for which that was asked, where it is another one. */
      readonly asker?: SentenceNumber;
    };

/** What is told of a sentence that the run did not come to. */
export function unseen({ reason }: Check): Outcome {
  return reason === undefined
    ? { outcome: 'skipped', what: 'stopped before it' }
    : { outcome: 'note', what: reason };
}

type Terms = Partial<Pick<Check, 'writes' | 'needs'>>;

export function rule(
  number: SentenceNumber,
  run: Check['run'],
  { writes = false, needs = [] }: Terms = {},
): Check {
  return { number, kind: 'rule', writes, needs, run };
}

export function choice(
  number: SentenceNumber,
  run: (probe: Probe) => Promise<string>,
  { writes = false, needs = [] }: Terms = {},
): Check {
  return { number, kind: 'choice', writes, needs, run };
}

/** A sentence that is not checked, and why. */
export function note(number: SentenceNumber, reason: string): Check {
  return { number, kind: 'note', writes: false, needs: [], run: async () => reason, reason };
}

export const readsAlone = 'only reads were tried';

/** What of a rule about all that is shown was tried. */
export function partOf(shownReplies: readonly SentRequest[]): string | undefined {
  return shownReplies.length < 3 ? 'there was no article to look at' : undefined;
}

type Evidence = { readonly reply: SentRequest; readonly expected: string; readonly got: string };

/** A rule that does not hold: what was asked, expected and got. */
export class Broken extends Error {
  override readonly name = 'Broken';
  readonly evidence: Evidence;

  constructor(evidence: Evidence) {
    super(`Expected ${evidence.expected}, got ${evidence.got}.`);
    this.evidence = evidence;
  }
}

/** What is not checked, and why. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Told by the rule that it needs. */
export function lacking(number: SentenceNumber): Skipped {
  return new Skipped(`${number} is broken, and it needs that`);
}

/** What a check ended with; anything else than a finding ends the run. */
export function asOutcome(error: unknown): Outcome {
  if (error instanceof Broken) return { outcome: 'broken', ...error.evidence };
  if (error instanceof Skipped) return { outcome: 'skipped', what: error.message };
  throw error;
}

export function expectThat(isSo: boolean, reply: SentRequest, expected: string, got: string): void {
  if (!isSo) throw new Broken({ reply, expected, got });
}

export function requireStatus(reply: Reply, ...wanted: readonly number[]): void {
  expectThat(wanted.includes(reply.status), reply, wanted.join(' or '), String(reply.status));
}

/** What several checks look at is done once. */
export function once<T>(act: (probe: Probe) => Promise<T>): (probe: Probe) => Promise<T> {
  const done = new WeakMap<Probe, Promise<T>>();
  return (probe) => {
    const known = done.get(probe) ?? act(probe);
    done.set(probe, known);
    // A lost answer is asked for again.
    known.catch(() => done.delete(probe));
    return known;
  };
}
