import type { decodeHTML, decodeHTMLStrict } from 'entities/decode';

/** The library that knows the entities of HTML, loaded when a title needs it. */
export type Entities = {
  /** As a browser does: some names need no semicolon. */
  readonly decodeHTML: typeof decodeHTML;
  readonly decodeHTMLStrict: typeof decodeHTMLStrict;
};

/** Each ends at the next `<`, or takes what is left: a text of a megabyte is gone through once. */
const unseen = /<(script|style|template)\b[^<>]*>[^]*?(?:<\/\1\s*>|$)|<!--[^]*?(?:-->|$)/gi;
const breaks = /<(?:br|hr|\/?(?:p|div|li|ul|ol|blockquote|figure|h[1-6]))\b[^<>]*>/gi;
const tags = /<[a-z/!?](?:[^"'<>]|"[^"]*"|'[^']*')*>/gi;

/** The lines that a reader of HTML sees, without tags, with characters for entities. */
export function linesOfHtml(html: string, entities: Entities | undefined): readonly string[] {
  return html
    .replaceAll(unseen, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(breaks, '\n')
    .replaceAll(tags, '')
    .split('\n')
    .map((line) => oneLine(entities?.decodeHTML(line) ?? line))
    .filter((line) => line !== '');
}

/** White space in a line of XML or HTML has no meaning of its own. */
export function oneLine(text: string): string {
  return text.replaceAll(/[ \t\r\n]+/g, ' ').trim();
}
