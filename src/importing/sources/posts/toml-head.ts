import { parse, TomlError } from 'smol-toml';

import { headOfValues, type Head } from './head.ts';
import { Flaw } from '../source.ts';

/** Reads TOML front matter. Line numbers of errors are those of the file. */
export function readTomlHead(text: string): Head {
  return headOfValues(new Map(Object.entries(parseToml(text))));
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
