import { BlogctlError, type ErrorCode, type ErrorContext, type Hint } from '../errors.ts';
import { anAddress, noTokenHelps, type Problem, readProblem } from '../hal/document.ts';
import { type HttpRequest, type HttpResponse, lookAgain } from '../http/transport.ts';
import { lookAndWait, mayRepeat, retryAfterMs, saysNo, waitHint } from '../http/with-retry.ts';

/** An answer that is not a success, as the error it means (interface, Errors). */
export function refusal(request: HttpRequest, given: HttpResponse): BlogctlError {
  const { status } = given;
  const isOfOwnField = status === 401 && request.headers['x-access-token'] !== undefined;
  const response = isOfOwnField ? { ...given, tokenRefused: true } : given;
  const { method, url } = request;
  const problem = readProblem(response);
  const code = codeOf(status);
  const locked = code === 'locked' ? lockedIn(method, problem.detail) : undefined;
  const waitMs = retryAfterMs(response, Date.now());
  const isForLater =
    status === 429 || (status >= 500 && status !== 501) || (status === 409 && waitMs !== undefined);
  const maybeDone = method === 'POST' && !saysNo(status, problem.code);
  const isUnsafe = maybeDone && !mayRepeat(request);
  const context: ErrorContext = {
    status,
    method,
    url,
    hint:
      code === 'locked'
        ? whoLocked(url, locked)
        : (hintOf[problem.code ?? ''] ??
          (isUnsafe ? lookAndWait(response) : undefined) ??
          waitHint(response) ??
          (isOfOwnField ? ofOwnField : undefined) ??
          hintFor(code, request, { ...response, isNamed: namesIt(problem) })),
    reason: problem.code,
    afterUnclearAnswer: response.afterUnclearAnswer,
    article: problem.related,
    locked,
    retryAfterMs: waitMs,
    maybeDone,
    retryable: isForLater && !isUnsafe,
    details: problem.errors,
  };
  return new BlogctlError(
    code,
    `${verbs[method] ?? method} ${url}: ${told(problem, request, response)}`,
    context,
  );
}

/** Words for `code` whose detail says all that the status means (decisions 2). */
const tellsAll: ReadonlySet<string | undefined> = new Set([
  'forbidden',
  'not-found',
  'gone',
  'locked',
  'too-many-requests',
  'not-implemented',
  'unavailable',
  'store-changed',
  'insufficient-storage',
  'outcome-unknown',
  'damaged-article',
]);

/** What the status means and what the service says of it: once, where it says the same. */
function told(
  { code, detail, title }: Problem,
  request: HttpRequest,
  response: HttpResponse,
): string {
  const meaning = meaningOf(request, response);
  // Which field a token goes in concerns nobody who has the command send it.
  const isOfField = code === 'anonymous' && response.tokenRefused !== true;
  const said = isOfField ? '' : (detail ?? title ?? '');
  if (said === '') return `${meaning}.`;
  const isSame = said.toLowerCase().includes(meaning) || (tellsAll.has(code) && said === detail);
  return isSame && response.tokenRefused !== true ? said : `${meaning}: ${said}`;
}

/** With the blog that an address of a blog's articles, or of all blogs, is likely to be meant for. */
export function addressNear(url: string): Hint {
  const { origin, pathname } = new URL(url);
  const [above] = /^.*\/blogs\/[^/]+(?=\/+[^/])/.exec(pathname) ?? [];
  if (above !== undefined) return `Try ${origin}${above} instead. ${anAddress}`;
  const [all] = /^.*\/blogs(?=\/*$)/.exec(pathname) ?? [];
  return all === undefined ? anAddress : `Name one of its blogs: ${origin}${all}/1, for example.`;
}

/** Nothing at the one address we were given is another mistake than an article that is not there. */
export function missingBlog(error: unknown, blogUrl: string): unknown {
  const isMissing = error instanceof BlogctlError && error.context.status === 404;
  if (!isMissing) return error;
  const missing = new BlogctlError(error.code, `There is no blog at ${blogUrl}.`, {
    ...error.context,
    hint: addressNear(blogUrl),
  });
  const bare = blogUrl.replace(/\/+$/, '');
  // The slash of an address without a path stands there whether it was typed or not, and without
  // that of `…/blogs/` there is no blog either.
  const isTyped = bare !== blogUrl && !/^\/$|\/blogs\/+$/.test(new URL(blogUrl).pathname);
  return isTyped ? missing.hinting(`Leave out the slash at its end: ${bare}.`) : missing;
}

const codes: Readonly<Record<number, ErrorCode>> = {
  401: 'authentication-required',
  403: 'forbidden',
  404: 'not-found',
  406: 'not-acceptable',
  409: 'conflict',
  410: 'gone',
  412: 'precondition-failed',
  422: 'unprocessable',
  423: 'locked',
  424: 'failed-dependency',
  429: 'rate-limited',
};

/** A status we do not know means what its class means (RFC 9110, 15). */
function codeOf(status: number): ErrorCode {
  const below500 = status >= 400 ? 'bad-request' : 'broken-contract';
  return codes[status] ?? (status >= 500 ? 'service-failed' : below500);
}

const meanings: Readonly<Record<number, string>> = {
  401: 'a token is needed',
  403: 'this token may not do that',
  404: 'not found',
  409: 'in conflict with the present state',
  410: 'was there and has been deleted',
  412: 'changed since it was read',
  422: 'understood, but not valid',
  423: 'locked',
  424: 'depends on another action that failed',
  429: 'too many requests',
  501: 'the service does not support this',
  503: 'the service is busy or being maintained',
  507: 'the service has no room left',
};

function meaningOf(
  { method, headers }: HttpRequest,
  { status, tokenRefused }: HttpResponse,
): string {
  if (tokenRefused === true) return 'the token was refused';
  if (status === 406) return `the service cannot answer in ${headers['accept']}`;
  // None goes with a read (interface, Authentication, rule 2).
  if (status === 403 && (method === 'GET' || method === 'HEAD')) return 'not allowed';
  const meaning = meanings[status];
  if (meaning !== undefined) return meaning;
  if (status >= 500) return 'the service failed';
  return status >= 400 ? 'the request was refused' : 'an answer that is not understood';
}

const verbs: Readonly<Record<string, string>> = {
  GET: 'Reading',
  POST: 'Creating at',
  PUT: 'Updating',
  DELETE: 'Deleting',
};

/** Where the service's own word says more than the status. */
const hintOf: Readonly<Record<string, Hint>> = {
  'store-changed':
    'Somebody edited the store file: restart that service, or serve it with --watch; its log says more.',
  'payload-too-large': 'A store of your own takes more with blogctl serve --max-body <bytes>.',
  'insufficient-storage': 'Where its disk is full, free space there and run the same again.',
};

const ofOwnField: Hint =
  'It is the one that the request brought itself; without its -H X-Access-Token the one that blogctl auth status shows is sent.';
/** To set a token would not help (`tokenWithheld`). */
export const byYourWord: Hint =
  'No token goes where only a project file leads: name the blog yourself with --blog, or run blogctl auth login <blog-url>.';

const seeAll: Hint = 'See with -vvv what was sent and answered.';

function namesIt({ detail, title, errors = [] }: Problem): boolean {
  return (detail ?? title ?? '') !== '' || errors.length > 0;
}

function hintFor(
  code: ErrorCode,
  request: HttpRequest,
  { status, tokenRefused, tokenWithheld, isNamed }: HttpResponse & { readonly isNamed: boolean },
): Hint | undefined {
  const { url, method } = request;
  const [blog] = /^.*?\/blogs\/[^/?#]+/.exec(url) ?? ['<blog-url>'];
  if (tokenRefused === true) {
    return `See where it comes from with blogctl auth status; BLOGCTL_TOKEN or --token-file gives another, blogctl auth login ${blog} keeps one.`;
  }
  if (method === 'GET' && (status === 401 || status === 403)) return noTokenHelps;
  if (status === 501) {
    return method === 'PATCH'
      ? 'An article is replaced whole, by PUT; blogctl articles update changes a part of it.'
      : 'That service will not do it: see what it offers with blogctl links.';
  }
  const hints: Partial<Record<ErrorCode, Hint>> = {
    'authentication-required':
      tokenWithheld === true
        ? byYourWord
        : `Store a token for ${new URL(url).origin} with blogctl auth login ${blog}; BLOGCTL_TOKEN or --token-file gives one for once.`,
    forbidden: 'Use a token with that right for this blog (blogctl token create --allow …).',
    'not-found': 'See blogctl articles list for what is there.',
    gone: 'See blogctl articles list for what is there; what articles delete or sync apply took is in blogctl runs list where they ran, what api took is in none.',
    'precondition-failed':
      method === 'DELETE'
        ? 'See it as it is now with blogctl articles get; the same line, without an --if-match that it may have, deletes it as it is then.'
        : 'See it as it is now with blogctl articles get; repeat the change, or overwrite it without that condition (blogctl articles update --force).',
    'not-acceptable': 'Check the address of the blog: what answers there is no blog service.',
    unprocessable: isNamed ? 'Mend what is named above and send it again.' : seeAll,
    'failed-dependency': 'See to that action first, then try again.',
    conflict: isNamed ? 'Mend what is named above and send it again.' : seeAll,
    'rate-limited': `Try again later${mayRepeat(request) ? ', or with more --retries' : ''}.`,
    'service-failed':
      (method === 'PUT' || method === 'DELETE') && !saysNo(status)
        ? `${lookAgain(url)} -v shows the exchange.`
        : 'Try again later; -v shows the exchange.',
    'broken-contract': 'Check the address of the blog, and what stands between.',
    'bad-request': seeAll,
  };
  return hints[code];
}

/** What stands for the file or the database of a blog where it is not known. */
export const storeToName = '--store <store>';

/** What is locked, as the words of the service name it (decisions 33); others may name neither. */
function lockedIn(method: string, detail = ''): ErrorContext['locked'] {
  if (/\breading only\b|\bread-only\b/i.test(detail)) return 'service';
  if (method === 'POST') return 'blog';
  const [isOfBlog, isOfArticle] = [/\bblog\b/i.test(detail), /\barticle\b/i.test(detail)];
  if (isOfBlog === isOfArticle) return 'article or blog';
  return isOfArticle ? 'article' : 'blog';
}

/** Both are named where the service says neither. */
function whoLocked(url: string, locked: ErrorContext['locked']): Hint {
  if (locked === 'service')
    return 'Make the change at a service that is not for reading only: its operator started it so.';
  const [, blog = '1', id] = /\/blogs\/(\d+)(?:\/articles\/(\d+))?/.exec(url) ?? [];
  const which = `${blog === '1' ? '' : ` --on-blog ${blog}`} ${storeToName}`;
  const lines = [
    id === undefined || locked === 'blog'
      ? []
      : [`blogctl store unlock --article ${id}${which} opens the article`],
    id !== undefined && locked === 'article' ? [] : [`blogctl store unlock${which} opens the blog`],
  ].flat();
  return `Its operator has locked it; of a store of your own, ${lines.join(', ')}.`;
}
