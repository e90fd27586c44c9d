import { problemTitleOf, type Reason, Refusal, statusOf } from '../errors.ts';
import {
  articleUrl,
  curies,
  type Link,
  linkToBlog,
  type LinkContext,
  problemUrl,
  BodyChanged,
  halJson,
  isWhole,
} from '../representations/representation.ts';
import { StoreError } from '../store/store.ts';
import type { StoreFailure } from '../store/store.ts';
import type { App, Request, Response } from './message.ts';

type ProblemContext = { readonly baseUrl: string; readonly blog?: LinkContext | undefined };

/** What became known of a request on its way, for the links of its refusal. */
export type RequestContext = { -readonly [Name in keyof ProblemContext]: ProblemContext[Name] };

type Refusing = {
  /** For the links of a refusal before the request's own base URL is known; else where it was received. */
  readonly baseUrl: string;
  /** Hears of failures that are not the client's. */
  readonly report: (error: unknown) => void;
};

/** The one place where a refusal becomes a response, and where any other failure ends. */
export function withRefusals(
  answer: (request: Request, context: RequestContext) => Promise<Response>,
  { baseUrl, report }: Refusing,
): App {
  return async (request) => {
    const context: RequestContext = { baseUrl };
    try {
      return reporting(await answer(request, context), report);
    } catch (error) {
      const refusal = refusalOf(error, request.method);
      if (refusal.status === 500) report(error);
      return answerRefusal(refusal, {
        ...context,
        baseUrl: context.baseUrl || (request.receivedAt ?? ''),
      });
    }
  };
}

/** What fails while a long body is made has no answer left that could say so. */
function reporting(response: Response, report: Refusing['report']): Response {
  const { body } = response;
  if (isWhole(body)) return response;
  const read = (at: number, into: Uint8Array) =>
    body.read(at, into).catch((error: unknown) => {
      if (!(error instanceof BodyChanged) && !isEnd(error)) report(error);
      throw error;
    });
  return { ...response, body: { length: body.length, read } };
}

/** What was not sent when the service stopped went with its connection. */
function isEnd(error: unknown): boolean {
  return error instanceof StoreError && error.failure === 'closing';
}

/**
 * What every refusal of a reason says: a 401 the way to authenticate (RFC 9110, 11.6.1), a 409 that the
 * first request of its key is soon done (decisions 32).
 */
const fieldsOf: Partial<Record<Reason, Readonly<Record<string, string>>>> = {
  anonymous: { 'WWW-Authenticate': 'X-Access-Token realm="blog"' },
  conflict: { 'Retry-After': '1' },
};

/** An error response; nothing of it may be kept by a cache (decisions 22). */
export function answerRefusal(refusal: Refusal, from: ProblemContext): Response {
  const { reason, status, context } = refusal;
  const body = Buffer.from(JSON.stringify(problemOf(refusal, from)));
  const own = {
    'Content-Type': halJson,
    'Content-Length': String(body.length),
    'Cache-Control': 'no-store',
  };
  return { status, headers: { ...own, ...fieldsOf[reason], ...context.headers }, body };
}

/** An error as a hal+json resource with the members of RFC 9457 (decisions 2). */
function problemOf(
  { reason: code, message: detail, context: { errors, article } }: Refusal,
  { baseUrl, blog }: ProblemContext,
): object {
  const type = problemUrl(baseUrl, code);
  return {
    type,
    title: problemTitleOf[code],
    status: statusOf[code],
    detail,
    code,
    ...(errors && { errors }),
    _links: {
      curies: curies(baseUrl),
      ...(blog && { 'doc:blog': linkToBlog(blog) }),
      ...(blog && article && { related: related(blog, article) }),
      'doc:help': { href: type },
    },
  };
}

/** The article a refusal speaks of (`related` is a registered relation, so it needs no curie). */
function related({ baseUrl, blogId }: LinkContext, article: number): Link {
  return { href: articleUrl(baseUrl, blogId, article) };
}

function refusalOf(error: unknown, method: string): Refusal {
  if (error instanceof Refusal) return error;
  if (!(error instanceof StoreError)) {
    // The text of an unknown error may tell too much: it is reported, not shown.
    const detail = 'The service failed in a way it did not expect. The log says more.';
    return new Refusal('internal', detail);
  }
  const { reason, message, retryAfterSeconds } = meaningOf[error.failure];
  const wait = error.retryAfterSeconds ?? retryAfterSeconds;
  const headers = wait === undefined ? {} : { 'Retry-After': String(wait) };
  const text = /^(?:GET|HEAD)$/.test(method) ? message.replace(unchanged, '') : message;
  return new Refusal(reason, text, { headers });
}

/** Goes without saying of a read. */
const unchanged = ' Nothing was changed.';

type Meaning = {
  readonly reason: Reason;
  readonly message: string;
  readonly retryAfterSeconds?: number;
};

/** What a failure of the store means to a client (decisions 36, 37); its own text names files. */
const meaningOf: Readonly<Record<StoreFailure, Meaning>> = {
  'no-room': {
    reason: 'insufficient-storage',
    message: 'There is no room to save this. Nothing was changed. Reads go on.',
    retryAfterSeconds: 30,
  },
  overloaded: {
    reason: 'unavailable',
    message: 'More is under way than the store can take at present. Nothing was changed.',
    retryAfterSeconds: 1,
  },
  degraded: {
    reason: 'unavailable',
    message: 'The store takes no changes until it is opened again. Reads go on.',
    retryAfterSeconds: 60,
  },
  refused: {
    reason: 'unavailable',
    message:
      'The database does not let this service do that: its operator has to see to it. ' +
      'Nothing was changed.',
    retryAfterSeconds: 60,
  },
  'other-schema': {
    reason: 'unavailable',
    message:
      'The database was upgraded, and this service is of another version: its operator has to ' +
      'bring it to the same one. Nothing was changed.',
    retryAfterSeconds: 60,
  },
  'changed-outside': {
    reason: 'store-changed',
    message:
      'Another program changed the store file while it was served: nothing more is written to it. ' +
      'A restart takes the file as it is; `serve --watch` takes such changes over as soon as the ' +
      'file can be read. The log says more.',
  },
  'no-id': {
    reason: 'insufficient-storage',
    message: 'Every article id up to 9007199254740991 is used: no article can be added.',
  },
  closing: {
    reason: 'unavailable',
    message: 'The service is stopping. Nothing was changed.',
    retryAfterSeconds: 5,
  },
  unreachable: {
    reason: 'unavailable',
    message: 'The store of this service does not answer at present. Nothing was changed.',
    retryAfterSeconds: 2,
  },
  'outcome-unknown': {
    reason: 'outcome-unknown',
    message: 'The change may or may not have been saved: read before you repeat it.',
  },
  damaged: {
    reason: 'damaged-article',
    message:
      'An article that was asked for is damaged in the store: the log says which. ' +
      'Other articles can be read, and pages without it.',
  },
};
