import { make } from './text.js';

/** Every relation a resource names, with the way to its documentation. */
export function linksOf({ _links: links = {}, _link: pages }) {
  const rows = Object.entries(links)
    .filter(([name]) => name !== 'curies')
    .flatMap(([name, value]) => {
      const documentation = documented(name, links.curies);
      return [value]
        .flat()
        .flatMap((link) => [
          make('dt', {}, documentation ? make('a', { href: documentation }, name) : name),
          make('dd', {}, follow(link, link.href)),
        ]);
    });
  return pages || rows.length === 0 ? [] : [make('h2', {}, 'Links'), make('dl', {}, ...rows)];
}

function documented(name, curies = []) {
  const [prefix, rel] = name.split(':');
  const curie = rel && curies.find((one) => one.name === prefix);
  return curie && curie.href.replace('{rel}', rel);
}

/** A link that stays on this page; a template is filled in with nothing (RFC 6570). */
export function follow(link, text) {
  return make('a', { href: `#${encodeURIComponent(plain(link))}` }, text);
}

export function plain({ href }) {
  return href.replace(/\{\?[^}]*\}/g, '');
}

/** A document as it came, its links to be followed. */
export function inJson(resource) {
  const pieces = (JSON.stringify(resource, null, 2) ?? '').split(/("href": "(?:[^"\\]|\\.)*")/);
  return make('code', {}, ...pieces.map((piece, at) => (at % 2 === 0 ? piece : hrefPiece(piece))));
}

function hrefPiece(piece) {
  const href = JSON.parse(piece.slice('"href": '.length));
  if (href.includes('{rel}')) return piece;
  return make('span', {}, '"href": ', follow({ href }, JSON.stringify(href)));
}
