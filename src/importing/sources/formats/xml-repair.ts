import { escapeText } from './xml-markup.ts';

/** Takes XML as it comes and gives it on; what is not yet complete is kept until more comes. */
export type XmlFilter = { write(text: string): string; end(): string };

/** Where entities mean nothing: sections by how they start, and how each ends. */
const sectionStart = /<!\[CDATA\[|<!--|<\?/;
const sectionEnds: Readonly<Record<string, string>> = {
  '<![CDATA[': ']]>',
  '<!--': '-->',
  '<?': '?>',
};

/** Characters that no XML 1.0 document may hold, not even as a reference. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const forbiddenReference =
  /&#(?:x0*(?:[0-8bcef]|1[0-9a-f]|fff[ef])|0*(?:[0-8]|1[124-9]|2\d|3[01]));/gi;
const strayAmpersand = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-fA-F]+);)/g;
const htmlEntity = /&(?!(?:amp|lt|gt|quot|apos);)([a-zA-Z][a-zA-Z\d]{1,40});/g;
/** What could be the beginning of a section or of an entity. */
const unfinished = /[<&][^<&;>\s]{0,45}$/;

/**
 * Removes what stands in front of the first `<` and control characters, gives entities of HTML their
 * characters and turns any other ampersand that begins no entity of XML into text. Where those mean
 * nothing, as in CDATA, only control characters are removed.
 *
 * @param decode The text with its entities of HTML as characters.
 */
export function createXmlRepair(decode: (entity: string) => string): XmlFilter {
  let isFirst = true;

  function mendMarkup(text: string): string {
    return text
      .replace(forbidden, '')
      .replace(forbiddenReference, '')
      .replace(htmlEntity, (entity) => escapeText(decode(entity)))
      .replace(strayAmpersand, '&amp;');
  }

  return createSectionFilter({
    markup: (text) => {
      const whole = isFirst ? text.replace(/^[\s\uFEFF]+/, '') : text;
      isFirst &&= whole === '';
      return mendMarkup(whole);
    },
    other: (text) => {
      isFirst = false;
      return text.replace(forbidden, '');
    },
  });
}

export type XmlSpot = { readonly line: number; readonly column: number; readonly found: string };

/** Where the first ampersand stands that begins no entity of XML. */
export async function findStrayAmpersand(
  texts: AsyncIterable<string>,
): Promise<XmlSpot | undefined> {
  let line = 1;
  let column = 1;
  let spot: XmlSpot | undefined;

  function pass(text: string): string {
    const lines = text.split('\n');
    line += lines.length - 1;
    column = (lines.length === 1 ? column : 1) + (lines.at(-1)?.length ?? 0);
    return '';
  }

  const filter = createSectionFilter({
    markup: (text) => {
      const at = spot === undefined ? text.search(strayAmpersand) : -1;
      if (at === -1) return pass(text);
      pass(text.slice(0, at));
      const [found = ''] = /^&[\w#]*;?/.exec(text.slice(at)) ?? [];
      spot = { line, column, found };
      return '';
    },
    other: pass,
  });
  for await (const text of texts) {
    filter.write(text);
    if (spot !== undefined) return spot;
  }
  filter.end();
  return spot;
}

/** Parts markup from sections, wherever chunks end, and passes each on by its own function. */
function createSectionFilter(
  pass: Readonly<Record<'markup' | 'other', (text: string) => string>>,
): XmlFilter {
  let kept = '';
  let sectionEnd: string | undefined;

  /** The first part of a text that is whole: markup up to a section, or a section to its end. */
  function firstPart(text: string): { passed: string; length: number } | undefined {
    if (sectionEnd !== undefined) {
      const at = text.indexOf(sectionEnd);
      if (at === -1) return undefined;
      const length = at + sectionEnd.length;
      sectionEnd = undefined;
      return { passed: pass.other(text.slice(0, length)), length };
    }
    const start = sectionStart.exec(text);
    if (start === null) return undefined;
    sectionEnd = sectionEnds[start[0]];
    const passed = pass.markup(text.slice(0, start.index)) + pass.other(start[0]);
    return { passed, length: start.index + start[0].length };
  }

  function passRest(text: string): string {
    return sectionEnd === undefined ? pass.markup(text) : pass.other(text);
  }

  return {
    write(text) {
      let rest = kept + text;
      let passed = '';
      for (let part = firstPart(rest); part !== undefined; part = firstPart(rest)) {
        passed += part.passed;
        rest = rest.slice(part.length);
      }
      kept =
        sectionEnd === undefined
          ? (unfinished.exec(rest)?.[0] ?? '')
          : rest.slice(Math.max(0, rest.length - sectionEnd.length + 1));
      return passed + passRest(rest.slice(0, rest.length - kept.length));
    },
    end() {
      return passRest(kept);
    },
  };
}
