import { statusOf } from '../errors.ts';
import type { Reason, RefusalContext } from '../errors.ts';
import {
  articleUrl,
  curies,
  type Link,
  linkToBlog,
  problemUrl,
  type LinkContext,
} from './links.ts';

/** Short, the same for every occurrence (RFC 9457, 3.1.3). */
export const problemTitleOf: Readonly<Record<Reason, string>> = {
  'bad-request': 'The request is malformed',
  'method-not-allowed': 'This method is not for this resource',
  'payload-too-large': 'The body is too large',
  'unsupported-media-type': 'The body is not application/json',
  'precondition-required': 'A write needs a precondition here',
  'request-timeout': 'The request took too long',
  'expectation-failed': 'The expectation cannot be met',
  'headers-too-large': 'The request header is too large',
  anonymous: 'A token is needed',
  forbidden: 'The token does not allow this',
  'not-found': 'There is nothing here',
  'not-acceptable': 'No acceptable representation',
  conflict: 'The request conflicts with another one',
  gone: 'This was deleted',
  'precondition-failed': 'The precondition does not hold',
  unprocessable: 'The article is not acceptable',
  'idempotency-key-reused': 'The Idempotency-Key belongs to another request',
  locked: 'The resource is locked',
  'failed-dependency': 'Another action that this depends on failed',
  'too-many-requests': 'Too many requests',
  'outcome-unknown': 'It is unknown whether the change was saved',
  'damaged-article': 'The stored article is damaged',
  'not-implemented': 'This service does not do that',
  unavailable: 'The service cannot take this now',
  'store-changed': 'The store file was changed by another program',
  'insufficient-storage': 'There is no room to save this',
  internal: 'The service failed',
};

export type Problem = {
  readonly code: Reason;
  readonly detail: string;
  readonly errors?: RefusalContext['errors'];
  readonly article?: RefusalContext['article'];
};

export type ProblemContext = { readonly baseUrl: string; readonly blog?: LinkContext | undefined };

/** An error as a hal+json resource with the members of RFC 9457 (decisions 2). */
export function representProblem(problem: Problem, from: ProblemContext): Uint8Array {
  const { code, detail, errors, article } = problem;
  const type = problemUrl(from.baseUrl, code);
  const document = {
    type,
    title: problemTitleOf[code],
    status: statusOf[code],
    detail,
    code,
    ...(errors !== undefined && { errors }),
    _links: {
      curies: curies(from.baseUrl),
      ...(from.blog !== undefined && { 'doc:blog': linkToBlog(from.blog) }),
      ...(from.blog !== undefined &&
        article !== undefined && { related: related(from.blog, article) }),
      'doc:help': { href: type },
    },
  };
  return Buffer.from(JSON.stringify(document));
}

/** The article a refusal speaks of (`related` is a registered relation, so it needs no curie). */
function related({ baseUrl, blogId }: LinkContext, article: number): Link {
  return { href: articleUrl(baseUrl, blogId, article) };
}
