import { Flaw } from '../source.ts';
import { headOfValues, type Head } from './head.ts';

/** Reads JSON front matter: an object that `splitFrontMatter` has found the end of. */
export function readJsonHead(text: string): Head {
  return headOfValues(new Map(Object.entries(parseObject(text))));
}

function parseObject(text: string): object {
  try {
    const value: object = JSON.parse(text);
    return value;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Flaw('front-matter', `The JSON cannot be read: ${reason}`, { cause: error });
  }
}
