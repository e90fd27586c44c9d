/** Mends XML as it passes; what is not yet complete is kept until more comes. */
export type XmlRepair = { write(text: string): string; end(): string };

const cdataStart = '<![CDATA[';
const cdataEnd = ']]>';
/** Characters that no XML 1.0 document may hold, not even as a reference. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;
const forbiddenReference =
  /&#(?:x0*(?:[0-8bcef]|1[0-9a-f]|fff[ef])|0*(?:[0-8]|1[124-9]|2\d|3[01]));/gi;
const strayAmpersand = /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/gi;
/** A piece that could be the beginning of a mark or of an entity. */
const unfinished = /(?:<!?\[?C?D?A?T?A?|&[#\w]{0,10}|\]{1,2})$/;

/**
 * Removes control characters and turns an ampersand that begins no entity of XML into text. CDATA
 * sections lose control characters only: ampersands are text there already.
 */
export function createXmlRepair(): XmlRepair {
  let kept = '';
  let inCdata = false;

  function mend(text: string): string {
    let mended = '';
    let rest = text;
    for (;;) {
      const mark = inCdata ? cdataEnd : cdataStart;
      const at = rest.indexOf(mark);
      const piece = at === -1 ? rest : rest.slice(0, at + mark.length);
      mended += inCdata ? piece.replace(forbidden, '') : mendMarkup(piece);
      if (at === -1) return mended;
      inCdata = !inCdata;
      rest = rest.slice(piece.length);
    }
  }

  return {
    write(text) {
      const whole = kept + text;
      const tail = unfinished.exec(whole)?.[0] ?? '';
      kept = tail;
      return mend(tail === '' ? whole : whole.slice(0, -tail.length));
    },
    end: () => mend(kept),
  };
}

function mendMarkup(text: string): string {
  return text
    .replace(forbidden, '')
    .replace(forbiddenReference, '')
    .replace(strayAmpersand, '&amp;');
}
