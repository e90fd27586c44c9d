import { problemTitleOf, type Reason, statusOf } from '../errors.ts';
import {
  articleKeyTemplate,
  articlesUrl,
  articleUrl,
  blogUrl,
} from '../representations/representation.ts';

/** One page of documentation: the same words for a browser and for a client. */
export type Topic = {
  readonly title: string;
  /** What it is, in a sentence. */
  readonly summary: string;
  readonly paragraphs: readonly string[];
  /** A command to try, shown as written. */
  readonly example?: string;
  /** Where the topic is all of them. */
  readonly problems?: readonly {
    readonly code: string;
    readonly status: number;
    readonly title: string;
  }[];
};

/** What a relation under the curie `doc` means (decisions 6); undefined for one we do not use. */
export function relationTopic(relation: string, baseUrl: string): Topic | undefined {
  return Object.hasOwn(topics, relation) ? topics[relation]?.(baseUrl) : undefined;
}

const topics: Readonly<Record<string, (baseUrl: string) => Topic>> = {
  blog: (baseUrl) => ({
    title: 'The relation doc:blog',
    summary: 'Leads to the blog that owns an article.',
    paragraphs: [
      'GET answers with the blog: its id, title and description, and a link to its articles. No token is needed.',
      'The link itself carries the title of the blog, so that a list can name it without another request.',
    ],
    example: `curl ${blogUrl(baseUrl, 1)}`,
  }),
  articles: (baseUrl) => ({
    title: 'The relation doc:articles',
    summary: 'Leads to the articles of a blog, page by page.',
    paragraphs: [
      'The link is a template: fill in pageIndex (from 1) and pageSize, or leave both out for the first page of 20.',
      'GET answers with a page: its place, the totals, the articles in _embedded, and the way to other pages in _link. The same way stands in the Link header. Articles come in the order of their ids.',
      'POST with a token creates an article from a JSON object with title and content. It answers 201 with the article and its Location. With an Idempotency-Key the same request can be sent again without making a second article; doc:articleKey finds what it made.',
      'An article is replaced, title and content, by PUT and removed by DELETE at its own self link. Send the ETag you read as If-Match, and a change somebody else made meanwhile is not lost: you get 412 and can read again. A PUT without content removes the content.',
    ],
    example: [
      `curl '${articlesUrl(baseUrl, 1)}?pageIndex=1&pageSize=5'`,
      '',
      `curl ${articlesUrl(baseUrl, 1)} -H 'Content-Type: application/json' \\`,
      `  -H "X-Access-Token: $TOKEN" -d '{"title":"Hello","content":"First words."}'`,
      '',
      `curl -X DELETE ${articleUrl(baseUrl, 1, 1)} -H "X-Access-Token: $TOKEN" -H 'If-Match: "<etag>"'`,
    ].join('\n'),
  }),
  articleKey: (baseUrl) => ({
    title: 'The relation doc:articleKey',
    summary: 'Leads from an Idempotency-Key to the article that was created with it.',
    paragraphs: [
      'It stands in the header Link-Template of the answers of a blog (RFC 9652), as a template with the variable key: the value of the Idempotency-Key as it was sent with POST, without quotes. Expanding the template percent-encodes it (RFC 6570).',
      'GET answers with the article exactly as at its own self link, with the same ETag. 404 says that no article was ever created with this key, 410 that it was and has been deleted since. Until the answer to the POST is known, its key may still be answered with 404. No token is needed.',
    ],
    example: [
      `curl -I ${blogUrl(baseUrl, 1)}`,
      `curl ${articleKeyTemplate(baseUrl, 1).replace('{key}', 'my-key-1')}`,
    ].join('\n'),
  }),
  comments: () => ({
    title: 'The relation doc:comments',
    summary: 'Names the comments of an article.',
    paragraphs: [
      'Every article carries this link, but what is behind it is not part of this service: following it answers 501.',
    ],
  }),
  help: () => ({
    title: 'Errors',
    summary: 'The relation doc:help leads from an error to the page that explains it.',
    paragraphs: [
      'An error is a hal+json resource with the members type, title, status, detail and code (RFC 9457). The code is stable and meant for programs, detail is meant for people. Where single members of a body are wrong, errors lists their JSON pointers.',
    ],
    problems: allProblems,
  }),
};

/** What each problem means and what to do about it (decisions 2, 6). */
export function problemTopic(code: string): Topic | undefined {
  if (!isProblemCode(code)) return undefined;
  const { cause, remedy } = explanationOf[code];
  return {
    title: problemTitleOf[code],
    summary: `Status ${statusOf[code]}, code ${code}.`,
    paragraphs: [cause, remedy],
  };
}

/** Every problem type, in the order of their statuses. */
export const allProblems: NonNullable<Topic['problems']> = Object.keys(problemTitleOf)
  .filter(isProblemCode)
  .map((code) => ({ code, status: statusOf[code], title: problemTitleOf[code] }))
  .toSorted((a, b) => a.status - b.status);

function isProblemCode(code: string): code is Reason {
  return Object.hasOwn(problemTitleOf, code);
}

type Explanation = { readonly cause: string; readonly remedy: string };

const explanationOf: Readonly<Record<Reason, Explanation>> = {
  'bad-request': {
    cause: 'Something in the request cannot be read: its Host, its path, a parameter, or its JSON.',
    remedy: 'The member detail names what. Correct it; the same request will fail again.',
  },
  'method-not-allowed': {
    cause: 'The resource is there, but it does not take this method.',
    remedy: 'The header Allow lists the methods it takes.',
  },
  'payload-too-large': {
    cause: 'The body has more bytes than this service takes.',
    remedy: 'Send a smaller article, or have the operator raise the limit.',
  },
  'unsupported-media-type': {
    cause: 'A body is JSON in UTF-8, sent as it is.',
    remedy: 'Send Content-Type: application/json and no Content-Encoding.',
  },
  'precondition-required': {
    cause: 'The operator wants every change to say which version it is meant for.',
    remedy: 'Read the resource and send its ETag as If-Match.',
  },
  'request-timeout': {
    cause: 'The request did not arrive in time.',
    remedy: 'Send it again, without pauses.',
  },
  'expectation-failed': {
    cause: 'The header Expect asks for something other than 100-continue.',
    remedy: 'Leave the header out.',
  },
  'headers-too-large': {
    cause: 'The request line and header fields together are too long.',
    remedy: 'Send fewer or shorter fields.',
  },
  anonymous: {
    cause:
      'Creating, changing and deleting need a token; none was sent, or it is unknown or expired.',
    remedy: 'Send a valid token in the header X-Access-Token.',
  },
  forbidden: {
    cause: 'The token is valid, but not for this change or not for this blog.',
    remedy: 'Use a token that grants the right; the operator can make one.',
  },
  'not-found': {
    cause: 'There is nothing at this path, and there never was.',
    remedy: 'Follow the links from the blog instead of building paths.',
  },
  'not-acceptable': {
    cause: 'The header Accept leaves out what this resource can be answered with.',
    remedy: 'Send Accept: application/hal+json.',
  },
  conflict: {
    cause: 'Another request with the same Idempotency-Key is still being carried out.',
    remedy: 'Wait for the time in Retry-After and send it again.',
  },
  gone: {
    cause: 'The resource existed and was deleted; its id is never given again.',
    remedy: 'Remove the reference to it.',
  },
  'precondition-failed': {
    cause: 'The resource is not in the state the request was meant for: somebody changed it.',
    remedy: 'Read it again, repeat your change on what you get, and send its new ETag.',
  },
  unprocessable: {
    cause: 'The body is JSON, but not an article: a member is missing, wrong or unknown.',
    remedy: 'The member errors lists every flaw with its JSON pointer.',
  },
  'idempotency-key-reused': {
    cause: 'The Idempotency-Key was used before for an article with another title or content.',
    remedy: 'Use a new key for a new article; use PUT to change the one that exists.',
  },
  locked: {
    cause: 'The operator has locked the article, the blog or the whole service against changes.',
    remedy: 'Read it meanwhile, and ask the operator.',
  },
  'failed-dependency': {
    cause: 'Another action had to succeed first, and failed. This service says so only to testers.',
    remedy: 'See to the other action, and send the request again.',
  },
  'too-many-requests': {
    cause: 'More requests came than are allowed in this time.',
    remedy: 'Wait for the time in Retry-After.',
  },
  'outcome-unknown': {
    cause: 'The disk failed while the change was being saved: it may or may not be there.',
    remedy: 'Read the resource before you repeat the change.',
  },
  'damaged-article': {
    cause:
      'What is stored of this article does not match its own checksum: it was damaged on the disk.',
    remedy: 'The operator can look at it with blogctl store check.',
  },
  'not-implemented': {
    cause: 'The interface leaves this open, and this service does not do it.',
    remedy: 'Use the methods and links that are documented.',
  },
  unavailable: {
    cause: 'The service is stopping, too busy, or its store takes no changes at present.',
    remedy: 'Wait for the time in Retry-After and send the request again.',
  },
  'store-changed': {
    cause: 'Another program changed the store file while it was served. Nothing was changed.',
    remedy:
      'The operator restarts the service, which takes the file as it is, or serves it with --watch, ' +
      'which takes such changes over. The log names the file and what was found.',
  },
  'insufficient-storage': {
    cause:
      'The disk or quota under the store is full, or every article id is used. Nothing was half saved.',
    remedy: 'The operator has to make room; writes come back by themselves.',
  },
  internal: {
    cause: 'The service met a failure it does not know.',
    remedy: 'Report it with what the log of the service says.',
  },
};
