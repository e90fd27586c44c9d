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
