import { hash } from 'node:crypto';
import { Refusal } from '../errors.ts';
import type { Idempotency } from '../store/store.ts';

/** What a client sends as an article; absent content on PUT removes it (decisions 28, 29). */
export type ArticleInput = { readonly title: string; readonly content?: string };

type Flaw = { readonly pointer: string; readonly detail: string };
type Members = { readonly [member: string]: unknown };

/** Clients send back what they read: what the service itself adds is taken and ignored. */
const members = new Set(['title', 'content', 'id', '_links', '_embedded']);

/**
 * Reads the body of POST, which needs content (interface, Endpoints, rule 12), or of PUT, which does
 * not (interface, Endpoints, rules 3, 4 and 15). 422 names every flaw with its JSON pointer.
 */
export function parseArticle(body: unknown, content: 'required' | 'optional'): ArticleInput {
  if (!isObject(body)) {
    const one = Array.isArray(body) ? ': a request creates one article' : '';
    throw unprocessable([{ pointer: '', detail: `must be an object${one}` }]);
  }
  const { title, content: text } = body;
  const mayLack = content === 'optional' && text === undefined;
  const flaws = [
    ...flawsOf(body, 'title', titleFlaws),
    ...(mayLack ? [] : flawsOf(body, 'content', textFlaws)),
    ...Object.keys(body)
      .filter((name) => !members.has(name))
      .map(unknownMember),
  ];
  if (flaws.length > 0 || typeof title !== 'string') throw unprocessable(flaws);
  return typeof text === 'string' ? { title, content: text } : { title };
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function flawsOf(
  body: Members,
  name: string,
  flawsIn: (text: string) => readonly string[],
): Flaw[] {
  const value = body[name];
  if (typeof value === 'string') {
    return flawsIn(value).map((detail) => ({ pointer: `/${name}`, detail }));
  }
  const detail = Object.hasOwn(body, name) ? 'must be a string' : 'is missing';
  return [{ pointer: `/${name}`, detail }];
}

/** Neither blank nor made of marks that print nothing. */
const visible = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const surrogate = /\p{Surrogate}/u;
const mostTitleCharacters = 1000;

function textFlaws(text: string): readonly string[] {
  return surrogate.test(text) ? ['holds half a surrogate pair, which is no character'] : [];
}

function titleFlaws(title: string): readonly string[] {
  const isLong =
    title.length > mostTitleCharacters && Array.from(title).length > mostTitleCharacters;
  return [
    ...textFlaws(title),
    ...(visible.test(title) ? [] : ['needs at least one visible character']),
    ...(isLong ? [`has more than ${mostTitleCharacters} characters`] : []),
  ];
}

/** An answer many times as long as its request would be a weapon: enough are named. */
const mostFlaws = 20;

function unprocessable(flaws: readonly Flaw[]): Refusal {
  const errors = flaws.slice(0, mostFlaws);
  const named = errors.map(({ pointer, detail }) => `${pointer || 'The body'} ${detail}`);
  const more = flaws.length > mostFlaws ? `; and ${flaws.length - mostFlaws} more` : '';
  return new Refusal('unprocessable', `${named.join('; ')}${more}.`, { errors });
}

function unknownMember(name: string): Flaw {
  const pointer = `/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { pointer, detail: 'is not a member of an article' };
}

const bareKey = /^[\x21\x23-\x2b\x2d-\x5b\x5d-\x7e]{1,255}$/;
const quotedKey = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\]){1,255})"$/;

/**
 * The key of a request, if it has one: visible ASCII, bare or as a quoted string, which mean the
 * same (decisions 38). Read before the body, because bad syntax is 400 whatever the body says.
 */
export function readKey(field: string | undefined): string | undefined {
  if (field === undefined) return undefined;
  if (bareKey.test(field)) return field;
  const quoted = quotedKey.exec(field)?.[1];
  if (quoted !== undefined) return quoted.replaceAll(/\\(["\\])/g, '$1');
  throw new Refusal('bad-request', 'An Idempotency-Key is 1 to 255 visible ASCII characters.');
}

/** Key and meaning of the request as the store keeps them; the spelling of the JSON is no meaning. */
export function identify(key: string, { title, content = '' }: ArticleInput): Idempotency {
  // The title is framed by its quotes, so the rest is the content.
  const request = JSON.stringify(title) + content;
  return { key: hashOfKey(key), request: hash('sha256', request) };
}

/** A key as the store knows it. */
export function hashOfKey(key: string): string {
  return hash('sha256', key);
}
