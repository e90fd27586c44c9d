import { decodeHTML } from 'entities';
import { Lexer, type Token, type Tokens } from 'marked';
import { dim, displayWidth, type Piece, printableLine, printableText, type Tone } from './text.ts';

type Line = readonly Piece[];

/** What is longer, or nested deeper than the stack, is shown as it is written. */
const longest = 100_000;

/** Markdown (CommonMark, GFM) for reading, in lines of at most `width` columns where words allow. */
export function renderMarkdown(text: string, width: number): readonly Piece[] {
  try {
    if (text.length > longest) return [text];
    return blocks(tokensOf(text), width).flatMap((line) => [...line, '\n']);
  } catch (error) {
    if (error instanceof RangeError) return [text];
    throw error;
  }
}

/** Of all paragraphs: what marks of emphasis belong together takes marked their number times the length. */
const mostSteps = 50_000_000;
const mark = /[*_~`[<]/g;

function tokensOf(text: string): readonly Token[] {
  const lexer = new Lexer();
  lexer.blockTokens(text.replaceAll(/\r\n?/g, '\n'), lexer.tokens);
  let steps = 0;
  for (const { src, tokens } of lexer.inlineQueue) {
    const ours = src.length * (src.match(mark)?.length ?? 0);
    if (steps + ours > mostSteps) {
      tokens.push({ type: 'text', raw: src, text: src });
      continue;
    }
    steps += ours;
    lexer.inlineTokens(src, tokens);
  }
  return lexer.tokens;
}

const narrowest = 20;

function blocks(tokens: readonly Token[], width: number): Line[] {
  const shown = tokens.filter(({ type }) => type !== 'space' && type !== 'def');
  return shown.flatMap((token, at) => {
    const lines = block(token, Math.max(width, narrowest));
    const isApart =
      at > 0 &&
      !(token.type === 'text' || (token.type === 'list' && shown[at - 1]?.type === 'text'));
    return isApart ? [[], ...lines] : lines;
  });
}

function block(token: Tokens.Generic, width: number): Line[] {
  const { type, tokens = [] } = token;
  switch (type) {
    case 'heading':
      return wrap(inline(tokens, 'bold'), width);
    case 'paragraph':
      return wrap(inline(tokens), width);
    case 'text':
      return wrap(inline(token.tokens ?? [token]), width);
    case 'code':
      return linesOf(token['text']).map((line) => ['    ', line]);
    case 'blockquote':
      return blocks(tokens, width - 2).map((line) => [dim('│ '), ...line]);
    case 'list':
      return list(
        {
          items: token['items'],
          ordered: token['ordered'],
          start: token['start'],
          loose: token['loose'],
        },
        width,
      );
    case 'hr':
      return [[dim('─'.repeat(Math.min(width, 40)))]];
    default:
      return linesOf(token.raw.trimEnd()).map((line) => [line]);
  }
}

type List = Pick<Tokens.List, 'items' | 'ordered' | 'start' | 'loose'>;

function list({ items, ordered, start, loose }: List, width: number): Line[] {
  return items.flatMap((item, at) => {
    const number = ordered ? `${Number(start) + at}. ` : '• ';
    const box = item.checked === true ? '[x] ' : '[ ] ';
    const marker = item.task ? `${number}${box}` : number;
    const lines = blocks(
      item.tokens.filter(({ type }) => type !== 'checkbox'),
      width - marker.length,
    );
    const indent = ' '.repeat(marker.length);
    const hanging = (lines.length === 0 ? [[]] : lines).map((line, row): Line => [
      row === 0 ? marker : indent,
      ...line,
    ]);
    return loose && at > 0 ? [[], ...hanging] : hanging;
  });
}

function linesOf(text: string): readonly string[] {
  return printableText(text).split('\n');
}

/** A stretch of text with one look; `\n` alone ends a line. */
type TextRun = { readonly text: string; readonly tone?: Tone | undefined };

function inline(tokens: readonly Token[], tone?: Tone): TextRun[] {
  return tokens.flatMap((each): TextRun[] => {
    const token: Tokens.Generic = each;
    const beneath = () => inline(token.tokens ?? [], tone);
    switch (token.type) {
      case 'strong':
      case 'em':
        return inline(token.tokens ?? [], 'bold');
      case 'del':
        return [{ text: '~~', tone }, ...beneath(), { text: '~~', tone }];
      case 'codespan':
        return [{ text: token['text'], tone: tone ?? 'green' }];
      case 'br':
        return [{ text: '\n' }];
      case 'link':
        return linked({ href: token['href'], text: token['text'] }, beneath());
      case 'image':
        return [
          { text: `[${token['text'] || 'picture'}]`, tone },
          { text: ` ${token['href']}`, tone: 'dim' },
        ];
      case 'html':
        return [{ text: token.raw, tone: 'dim' }];
      default:
        return token.tokens === undefined
          ? [{ text: decodeHTML(token['text'] ?? token.raw), tone }]
          : beneath();
    }
  });
}

function linked({ href, text }: Pick<Tokens.Link, 'href' | 'text'>, name: TextRun[]): TextRun[] {
  const isBare = href === text || href === `mailto:${text}`;
  return isBare ? name : [...name, { text: ` (${href})`, tone: 'dim' }];
}

/** Words of a line that are not parted: what stands between spaces may have several looks. */
function wrap(runs: readonly TextRun[], width: number): Line[] {
  const lines: Piece[][] = [[]];
  let column = 0;
  let word: Piece[] = [];
  let length = 0;
  const endWord = () => {
    if (length === 0) return;
    const gap = column === 0 ? 0 : 1;
    if (column > 0 && column + gap + length > width) lines.push([...word]);
    else lines.at(-1)?.push(...(gap === 1 ? [' '] : []), ...word);
    column = lines.at(-1)?.length === word.length ? length : column + gap + length;
    word = [];
    length = 0;
  };
  for (const { text, tone } of runs) {
    if (text === '\n') {
      endWord();
      lines.push([]);
      column = 0;
      continue;
    }
    for (const part of text.split(/([ \t\n]+)/)) {
      if (/^[ \t\n]/.test(part)) endWord();
      else if (part !== '') {
        const shown = printableLine(part);
        word.push(tone === undefined ? shown : { tone, text: shown });
        length += displayWidth(shown);
      }
    }
  }
  endWord();
  return lines;
}
