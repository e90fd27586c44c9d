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
  /** The request was sent before without a clear answer: it may have been carried out then. */
  readonly afterUnclearAnswer?: boolean;
  /** A token went with the request, and the answer is 401. */
  readonly tokenRefused?: boolean;
};

/** An address as a request needs it. */
type UrlParts = {
  /** Scheme, host and port. */
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
};

let last: { readonly text: string; readonly parts: UrlParts } | undefined;

/**
 * The parts of an address. The last one is kept: a long run asks for the same one a million times,
 * and to take it apart costs as much as to make its request.
 */
export function parsedUrl(text: string): UrlParts {
  if (last?.text !== text) {
    const { origin, pathname, search } = new URL(text);
    last = { text, parts: { origin, path: pathname + search } };
  }
  return last.parts;
}
