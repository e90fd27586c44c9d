/** One HTTP exchange in plain values; what adds behaviour wraps it (token, trace, retry, rate gate). */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

export type HttpRequest = {
  readonly method: string;
  /** Absolute URL. */
  readonly url: string;
  /** Field names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal;
};

export type HttpResponse = {
  readonly status: number;
  /** Field names in lower case; repeated fields joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Whole body, decoded from its transfer coding; empty where there is none. */
  readonly body: Uint8Array;
  /** Where it came from, if redirects led away from what was asked. */
  readonly url?: string;
  /** The request was sent before without a clear answer: it may have been carried out then. */
  readonly afterUnclearAnswer?: boolean;
  /** The status of the first redirect behind which it came. */
  readonly redirect?: number;
  /** It asks for a longer wait (Retry-After) than was allowed; with more it would have been sent again. */
  readonly isWaitTooLong?: boolean;
  /** A token went with the request, and the answer is 401. */
  readonly tokenRefused?: boolean;
  /** None would go with the request: only a project's file names the service. */
  readonly tokenWithheld?: boolean;
};

/** An address as a request needs it. */
type UrlParts = {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
};

export function parsedUrl(text: string): UrlParts {
  const { origin, pathname, search } = new URL(text);
  return { origin, path: pathname + search };
}
