import type { Command } from 'commander';
import { firstBlog } from '../../settings/values.ts';
import { ownName } from '../../terminal/view.ts';
import { commandOf, fieldsShownBy, findCommand, scopeOf } from '../lazy-command.ts';
import { oursFor } from './named-commands.ts';
import { reads, type Words } from './rewording.ts';

type Renamed = {
  readonly words: Words;
  /** A field that is none was left out. */
  readonly isLess: boolean;
};

/** The line with the fields of its command, and a file that is a blog, as they are called here: `--fields=ID,post_title`, `--blog db.json`. */
export async function withOwnNames(line: Words, program: Command): Promise<Renamed> {
  const isNamed = /^(?:config set blog|profile add \S+)$/;
  const command = await commandOf(program, line);
  const isOfBlog = reads(command) && !scopeOf(command).startsWith('auth');
  const asOurs = (word: string, before: string) => {
    // Who reads begins at the first blog; what changes something is told which.
    if (before === '--blog' && isOfBlog && /^https?:/.test(word)) return firstBlog(word);
    return before === '--blog' || isNamed.test(before)
      ? word.replace(/^[\w./~-]+\.json$/, 'file:$&')
      : word;
  };
  const words =
    line[0] === 'help'
      ? line.map((word) => oursFor(word).find((each) => findCommand(program, each)) ?? word)
      : line.map((word, at) => {
          const before = line.slice(Math.max(0, at - 3), at).join(' ');
          return asOurs(word, line[at - 1] === '--blog' ? '--blog' : before);
        });
  const fields = fieldsShownBy(command);
  return fields === undefined ? { words, isLess: false } : withOwnFields(words, fields);
}

function withOwnFields(words: Words, known: readonly string[]): Renamed {
  let isLess = false;
  const kept: string[] = [];
  const asked: string[] = [];
  for (const word of words) {
    const isBehind = /^--fields?$/.test(kept.at(-1) ?? '');
    const [, flag = '', names = ''] = /^(--fields?=)?(.*)$/s.exec(word) ?? [];
    if (!isBehind && flag === '') {
      kept.push(word);
      continue;
    }
    asked.push(...names.split(','));
    const all = [...new Set(names.split(',').map(ownName))];
    const ours = all.filter((name) => known.includes(name));
    isLess ||= ours.length < all.length;
    if (ours.length > 0) kept.push(flag + ours.join(','));
    else kept.push(...(isBehind ? [] : [flag.slice(0, -1)]), '<names>');
  }
  // A filter asks for the fields by the names that they were given: `-q .body`.
  const renamed = new Map(asked.map((name) => [name, ownName(name)]));
  const asOurs = (filter: string) =>
    filter.replaceAll(/\.(\w+)/g, (all, name: string) => `.${renamed.get(name) ?? all.slice(1)}`);
  const filtered = kept.map((word, at) => (kept[at - 1] === '--jq' ? asOurs(word) : word));
  return { words: filtered, isLess };
}
