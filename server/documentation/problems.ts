import { problemTitleOf, type Reason, statusOf } from '../errors.ts';
import type { Topic } from './page.ts';

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
