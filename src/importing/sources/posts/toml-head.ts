import { parse, TomlError } from 'smol-toml';

import { membersNamed, saysDraft, type Head } from './head.ts';
import { Flaw } from '../source.ts';

/** Reads TOML front matter. Line numbers of errors are those of the file. */
export function readTomlHead(text: string): Head {
  const members = Object.entries(parseToml(text)).map(([key, value]) => ({ key, value }));
  return {
    title: titleText(membersNamed(members, 'title').at(-1)?.value),
    draft: saysDraft(wordOf(members, 'draft'), wordOf(members, 'published')),
    notices: [],
  };
}

function parseToml(text: string): Record<string, unknown> {
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

function titleText(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new Flaw(
    'title',
    `The "title" is not a text but ${JSON.stringify(value)}; put it in quotes.`,
  );
}

function wordOf(members: readonly { key: string; value: unknown }[], name: string): string {
  return String(membersNamed(members, name).at(-1)?.value);
}
