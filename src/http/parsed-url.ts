let last: { readonly text: string; readonly url: Readonly<URL> } | undefined;

/**
 * The parts of an address. The last one is kept: a long run asks for the same one a million times,
 * and to take it apart costs as much as to make its request.
 */
export function parsedUrl(text: string): Readonly<URL> {
  if (last?.text !== text) last = { text, url: new URL(text) };
  return last.url;
}
