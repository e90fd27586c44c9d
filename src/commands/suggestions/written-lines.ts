import type { Command } from 'commander';
import { optionOf, scopeOf } from '../lazy-command.ts';
import type { LinePosition } from './flag-meanings.ts';
import { isFlag, type Line, operandsOf, reads } from './typed-words.ts';

type Words = readonly string[];

export const oneOfBoth =
  'What is deleted is named by its id, or found by `blogctl articles list --search <text>`: not both.';

export const namespaces = /^--(?:post|article|new|blog)-[a-z]+$/;
const ofFiles = /^(?:files?|fil|filename|path|from|source|src)$/;
const ofTexts = /^(?:conten?ts?|body|text|message|markdown|md)$/;
const ofWhole = /^(?:post|article|input|json|html|data|new)$/;

/** `--text-file a.txt` names a file, whose name is never the text itself. */
export function fileOf(
  { command }: LinePosition,
  flag: string,
  value = '',
): readonly (Line & { readonly route: readonly string[] })[] {
  const [, verb] = /^articles (create|update|edit)$/.exec(scopeOf(command)) ?? [];
  const parts = flag.slice(2).split('-');
  const isNamed =
    parts.some((part) => ofFiles.test(part)) || (parts.includes('md') && /\.\w+$/.test(value));
  const isKnown = parts.every((part) => [ofFiles, ofTexts, ofWhole].some((all) => all.test(part)));
  if (
    !verb ||
    !isNamed ||
    !isKnown ||
    optionOf(command, flag) !== undefined ||
    /^#?\d+$/.test(value)
  )
    return [];
  const isText = parts.some((part) => ofTexts.test(part)) || /\.txt$/i.test(value);
  const route = verb === 'edit' ? ['articles', 'update'] : [];
  return [{ route, rest: [isText ? '--content-file' : '--from-file'] }];
}

/** Without its flag the value of one would be one more thing that is changed: `delete 3 --confirm 4`. */
export function leavesOne(
  words: Words,
  at: number,
  command: Command,
  { route, rest }: Line,
): boolean {
  const { registeredArguments: all, commands } = command;
  const isTaken = rest.length === 0 || all.at(-1)?.variadic === true;
  if (route.length > 0 || reads(command) || commands.length > 0 || !isTaken) return false;
  if (isFlag(words[at + 1] ?? '--')) return false;
  const most = all.filter((each) => each.required || !each.variadic).length;
  const isAnother = (each: number) => each !== at + 1;
  return operandsOf(words, command)[1].filter(isAnother).length >= most;
}

/** An article takes no PATCH: what is sent by one is an update. */
export function asUpdate(line: Words): Words {
  let article: string | undefined;
  let isPatch = false;
  const given: string[] = [];
  const [first, ...words] = line;
  for (let at = 0; at < words.length; at += 1) {
    const [word = '', next = ''] = words.slice(at);
    const [, name, value = ''] = /^(title|content)=((?!@).*)$/s.exec(next) ?? [];
    const [place, id = '<article>'] = /^\/?articles(?:\/([1-9]\d*))?$/.exec(word) ?? [];
    if (place !== undefined && article === undefined) article = id;
    else if (/^(?:-X|--method)$/.test(word) && /^patch$/i.test(next)) isPatch = true;
    else if (/^(?:-F|--value)$/.test(word) && name !== undefined) given.push(`--${name}`, value);
    else return line;
    if (place === undefined) at += 1;
  }
  const isWhole = first === 'api' && isPatch && article !== undefined && given.length > 0;
  return isWhole ? ['articles', 'update', article ?? '', ...given] : line;
}

/** `create - < post.json`: without a title on the line all of the article comes from there. */
export function asWhole(line: Words, typed: Words, lacks: string | undefined): Words {
  const isOperand = typed.some((word, at) => word === '-' && !isFlag(typed[at - 1]));
  if (lacks !== '--title <text>' || !isOperand) return line;
  return line.map((word) => (word === '--content-file' ? '--from-file' : word));
}
