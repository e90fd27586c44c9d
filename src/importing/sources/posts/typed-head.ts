import { parse, TomlError } from 'smol-toml';

import { Flaw } from '../source.ts';
import { signsOf, type Member } from '../publicity-signs.ts';
import { membersNamed, signsInBrokenText, type Head, type Title } from './head.ts';
import { jsonMembers } from './json-front-matter.ts';

/** Reads TOML front matter. Line numbers of errors are those of the file. */
export function readTomlHead(text: string): Head {
  return readTypedHead(text, (toml) => membersOf(parseToml(toml)));
}

/** Reads JSON front matter: an object that `splitFrontMatter` has found the end of. */
export function readJsonHead(text: string): Head {
  return readTypedHead(text, parseMembers);
}

/** What typed values say: a title must be a text there. */
function readTypedHead(text: string, read: (text: string) => readonly Member[]): Head {
  try {
    const members = read(text);
    const lastNamed = (name: string): unknown => membersNamed(members, name).at(-1)?.value;
    const article = lastNamed('article');
    return {
      signs: signsOf(members),
      article: typeof article === 'string' ? article : undefined,
      title: () => titleOf(lastNamed('title')),
    };
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    return brokenHead(text, error);
  }
}

function titleOf(value: unknown): Title {
  if (value === undefined || value === null) return { notices: [] };
  if (typeof value === 'string') return { text: value, notices: [] };
  const shown = JSON.stringify(value);
  throw new Flaw('title', `The "title" is not a text but ${shown}; put it in quotes.`);
}

function brokenHead(text: string, flaw: Flaw): Head {
  return {
    signs: signsInBrokenText(text),
    title() {
      throw flaw;
    },
  };
}

function parseToml(text: string): object {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [, reason = error.message] = /^Invalid TOML document: ([^\n]*)/.exec(error.message) ?? [];
    const line = error.line + 1;
    throw new Flaw('front-matter', `The TOML cannot be read: ${reason} (line ${line})`, {
      cause: error,
    });
  }
}

/** Every member, also those whose name stands twice. */
function parseMembers(text: string): readonly Member[] {
  try {
    parseObject(text);
    return jsonMembers(text).flatMap((member) => membersOf(parseObject(`{${member}}`)));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Flaw('front-matter', `The JSON cannot be read: ${reason}`, { cause: error });
  }
}

function parseObject(text: string): object {
  const value: object = JSON.parse(text);
  return value;
}

function membersOf(object: object): readonly Member[] {
  return Object.entries(object).map(([key, value]) => ({ key, value }));
}
