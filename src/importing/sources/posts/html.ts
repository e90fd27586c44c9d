import { decodeHTML } from 'entities/decode';

export type HtmlPage = {
  /** What stands in its head as the title. */
  readonly title?: string | undefined;
  /** What stands between its body's tags; the text itself where it is no whole page. */
  readonly body: string;
};

/** What is written in front of a body: comments, document type, and elements of a head. */
const before =
  /\s+|<!--[\s\S]*?(?:-->|$)|<[!?][^>]*>|<\/?(?:html|head)(?=[\s>])[^>]*>|<(?:meta|link|base)(?=[\s/>])(?:"[^"]*"|'[^']*'|[^>"'])*>|<(title|style|script|noscript|template)(?=[\s>])(?:"[^"]*"|'[^']*'|[^>"'])*>([\s\S]*?)<\/\1\s*>/iy;
const bodyTag = /<body(?=[\s>])(?:"[^"]*"|'[^']*'|[^>"'])*>/iy;
const pageTag = /<(?:!doctype|html|head|body)(?=[\s>])/iy;

/** Parts a whole page, one with the tags html, head or body, from its body; a fragment is all body. */
export function htmlPage(text: string): HtmlPage {
  let at = 0;
  let isPage = false;
  let title: string | undefined;
  for (;;) {
    isPage ||= matchAt(pageTag, text, at) !== null;
    const found = matchAt(before, text, at);
    if (found === null) break;
    if (found[1]?.toLowerCase() === 'title') title ??= textOfHtml(found[2] ?? '');
    at += found[0].length;
  }
  if (!isPage) return { title, body: text };
  const opening = matchAt(bodyTag, text, at);
  return { title, body: text.slice(at + (opening?.[0].length ?? 0), endOfBody(text)) };
}

/** The first heading of the first level, else the title of the page. */
export function htmlHeading(text: string): string | undefined {
  const { title, body } = htmlPage(text);
  const shown = body.replaceAll(/<!--[\s\S]*?(?:-->|$)/g, '');
  const start = /<h1(?=[\s>])[^<>]*>/i.exec(shown);
  if (start === null) return title || undefined;
  const rest = shown.slice(start.index + start[0].length);
  const end = rest.search(/<\/h1\s*>/i);
  return textOfHtml(rest.slice(0, Math.max(end, 0))) || title || undefined;
}

/** The last `</body>`, else the last `</html>`, else the end. */
function endOfBody(text: string): number {
  const [body] = [...text.matchAll(/<\/body\s*>/gi)].slice(-1);
  const [html] = [...text.matchAll(/<\/html\s*>/gi)].slice(-1);
  return (body ?? html)?.index ?? text.length;
}

function textOfHtml(html: string): string {
  const text = decodeHTML(html.replaceAll(/<[^<>]*>/g, ''));
  return text.replaceAll(/\s+/g, ' ').trim();
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
