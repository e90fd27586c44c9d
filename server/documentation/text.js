/* global DOMPurify */

/** Characters that turn the direction of text around, by what they are called (UAX #9). */
const controls = new Map([
  ['\u061c', 'ALM'],
  ['\u200e', 'LRM'],
  ['\u200f', 'RLM'],
  ['\u202a', 'LRE'],
  ['\u202b', 'RLE'],
  ['\u202c', 'PDF'],
  ['\u202d', 'LRO'],
  ['\u202e', 'RLO'],
  ['\u2066', 'LRI'],
  ['\u2067', 'RLI'],
  ['\u2068', 'FSI'],
  ['\u2069', 'PDI'],
]);
const control = new RegExp(`([${[...controls.keys()].join('')}])`);

export function make(name, { dir = '', ...properties }, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(
    ...children.flatMap((child) => (typeof child === 'string' ? shown(child) : child)),
  );
  // Last: a browser looks for the direction of all that is there again with each child that comes.
  if (dir !== '') element.dir = dir;
  return element;
}

/** So many marks above one letter no language has, and browsers take minutes to draw thousands. */
const thinned = (text) => text.replace(/(\p{M}{50})\p{M}+/gu, '$1…');

/** Of one text: a browser takes minutes to lay out a hundred thousand elements in a line. */
const mostPieces = 2000;

/** Of a word without end a browser looks for minutes where its lines could end: they may also end here. */
const longWord = /(\S{2000}\p{M}*)/u;

function breakable(piece) {
  if (!longWord.test(piece)) return piece;
  return piece
    .split(longWord)
    .filter((part) => part !== '')
    .flatMap((part) => [part, document.createElement('wbr')]);
}

/** Text as it is, but for what would turn its direction around: that is named. */
function shown(text) {
  const pieces = thinned(text).split(control);
  const names = pieces.map((piece) => controls.get(piece));
  if (pieces.length > mostPieces)
    return [breakable(pieces.map((piece, at) => names[at] ?? piece).join(''))].flat();
  return pieces.flatMap((piece, at) => {
    if (names[at] === undefined) return breakable(piece);
    const code = `U+${piece.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    const mark = document.createElement('span');
    return Object.assign(mark, { className: 'control', title: code, textContent: names[at] });
  });
}

/** As it is where it is not percent-encoded. */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a body says; undefined for one that is no JSON. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const tags =
  'a abbr b blockquote br caption cite code dd del details div dl dt em figcaption figure h1 h2 h3 ' +
  'h4 h5 h6 hr i ins kbd li mark ol p pre q rp rt ruby s samp small span strong sub summary sup ' +
  'table tbody td tfoot th thead tr u ul var';
const attributes = 'align colspan dir href lang open rowspan start title';

/** Milliseconds: what takes longer was made to. */
const patience = 5000;

/**
 * Markdown as GitHub has it, without anything that runs, loads, looks like this page or sends what
 * is typed into it: no script, style, form, picture, id or class. It is read in a thread of its own, that the page
 * does not wait for; what that gives up, or is not done with, is shown as it was written.
 */
export function rendered(markdown) {
  const box = make('div', { className: 'text' });
  const reader = new Worker(new URL('marked.js', import.meta.url));
  const settle = (html) => {
    clearTimeout(late);
    reader.terminate();
    box.append(...shownAs(html, markdown));
    box.dir = 'auto';
  };
  const late = setTimeout(settle, patience);
  reader.addEventListener('message', ({ data }) => settle(data));
  reader.addEventListener('error', () => settle());
  reader.postMessage(markdown, []);
  return box;
}

function shownAs(html, markdown) {
  try {
    if (html !== undefined) return [sanitized(html)];
  } catch {
    // Nested too deeply, for one: each browser says that in an error of its own.
  }
  const why = 'It could not be rendered, and stands here as it was written.';
  return [make('p', { className: 'quiet' }, why), make('pre', {}, markdown)];
}

function sanitized(html) {
  // What is parsed into a document of its own loads and runs nothing.
  const { body } = new DOMParser().parseFromString(html, 'text/html');
  for (const image of body.querySelectorAll('img, input')) image.replaceWith(instead(image));
  const fragment = DOMPurify.sanitize(body.innerHTML, {
    ALLOWED_TAGS: tags.split(' '),
    ALLOWED_ATTR: attributes.split(' '),
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll('a')) {
    link.rel = 'noopener noreferrer nofollow';
    // It would lead to the start page.
    if (link.getAttribute('href') === '') link.removeAttribute('href');
  }
  nameControls(fragment);
  return fragment;
}

/** A picture is a link to it, or the words of the link it stands in; a box of a list of tasks is a letter. */
function instead(element) {
  const { ownerDocument } = element;
  if (element.localName === 'input') {
    return element.type === 'checkbox'
      ? element.hasAttribute('checked')
        ? '\u2611'
        : '\u2610'
      : '';
  }
  const name = `[picture: ${element.getAttribute('alt') || 'without a description'}]`;
  // Within a link it is what that has to be seen and clicked: links in links there are none.
  if (element.closest('a[href]')) return name;
  const link = ownerDocument.createElement('a');
  link.setAttribute('href', element.getAttribute('src') ?? '');
  link.textContent = name;
  return link;
}

function nameControls(fragment) {
  const walker = document.createTreeWalker(
    fragment,
    NodeFilter.SHOW_ELEMENT + NodeFilter.SHOW_TEXT,
  );
  const found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    if (node.nodeType === Node.TEXT_NODE) found.push(node);
    else if (control.test(node.title)) node.removeAttribute('title');
  }
  for (const text of found) {
    const { data } = text;
    const isOther = control.test(data) || longWord.test(data) || thinned(data) !== data;
    if (isOther) text.replaceWith(...shown(text.data));
  }
}

const lineBreak = /\r\n?|\n/g;

/**
 * `written()` is what the article had where nothing was typed: fields have one kind of line end, and one of a
 * single line has none, where a break would be lost between two words: `isOther` then, and it is a space.
 */
export function field(name, properties, original) {
  const made = make(name, properties);
  made.isOther = name === 'input' && /[\r\n]/.test(original ?? '');
  made.value = made.isOther ? original.replace(lineBreak, ' ') : (original ?? '');
  // Last, as in `make`.
  made.dir = 'auto';
  const before = made.value;
  const hasCrlf = /\r\n/.test(original ?? '') && !/(?<!\r)\n/.test(original ?? '');
  made.written = () => {
    if (made.value === before) return original;
    return hasCrlf ? made.value.replaceAll('\n', '\r\n') : made.value;
  };
  return made;
}
