import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Hint } from '../../errors.ts';
import { inShell } from '../../terminal/text.ts';
import { withPort } from '../arguments.ts';
import { findCommand, leavesOf, nameOf, optionOf, scopeOf } from '../lazy-command.ts';
import { oursFor } from './named-commands.ts';

/** Those of a line. */
export type Words = readonly string[];

/** A line, and where in it the words stand that name a command, and those behind them. */
export type Spelling = {
  readonly words: Words;
  readonly path: readonly number[];
  readonly operands: readonly number[];
};

/**
 * Lines in which the first words name a command of ours, in whatever order, number and joint they stand, the likeliest
 * first: `create token`, `edit-post`, `articles/list`, `remote add`, `sync posts plan`.
 */
export function linesByName(spelling: Spelling, program: Command): readonly Words[] {
  const { words, path, operands } = spelling;
  const [first, second, third] = operands;
  const group = path.length === 1 ? findCommand(program, words[path[0] ?? 0] ?? '') : undefined;
  const mayStandBehind = group?.name() === 'sync' || /^#?\d+$/.test(words[first ?? -1] ?? '');
  const isBehind = mayStandBehind && group && findCommand(group, words[second ?? -1] ?? '');
  const spans = [[first, second, third], [first, second], isBehind ? [second] : [], [first]];
  // A noun may stand before the one that is meant: `blog articles list`.
  for (const begin of path.length === 1 ? [path, []] : [path]) {
    for (const span of spans) {
      const named = span.filter((at) => at !== undefined);
      const pieces = piecesOf(words, [...begin, ...named]);
      if (named.length < span.length || span.length === 0 || pieces.length < 2) continue;
      const found = commandsFor(pieces, program);
      if (found.length > 0) return linesOf(found, { ...spelling, operands: named });
    }
  }
  return [];
}

export function piecesOf(words: Words, places: readonly number[]): Words {
  return places.flatMap((at) => (words[at] ?? '').toLowerCase().split(/[\s/:._-]+/));
}

type LikelyCommand = { readonly leaf: Command; readonly cost: number };

export function commandsFor(pieces: Words, program: Command): readonly LikelyCommand[] {
  return leavesOf(program)
    .flatMap((leaf) => {
      const cost = costOf(pieces, leaf);
      return cost === undefined ? [] : [{ leaf, cost }];
    })
    .toSorted((one, other) => one.cost - other.cost);
}

export function linesOf(
  found: readonly LikelyCommand[],
  { words, path, operands }: Spelling,
): readonly Words[] {
  const named = new Set([...path, ...operands]);
  const begin = Math.min(...named);
  return found.map(({ leaf }) =>
    words.flatMap((word, at) => [
      ...(at === begin ? scopeOf(leaf).split(' ') : []),
      ...(named.has(at) ? [] : [word]),
    ]),
  );
}

export const groupLeftOut = 100;
/** More than any word has of ours. */
const mostOurs = 10;

/** Behind a verb that takes files stands a folder, which may be called posts. */
const takesFiles = /^(?:im|ex)port \w+$|^\w+ posts$/;

/** How far what was typed is from the name of a command; the group may have been left out. */
function costOf(pieces: Words, leaf: Command): number | undefined {
  const missing = scopeOf(leaf).split(/[ -]/);
  const isGrouped = missing.length > 1;
  // `get profiles` asks for all of them.
  const isOfAll = pieces.some((piece) => piece.endsWith('s') && !missing.includes(piece));
  let cost = isOfAll && leaf.name() !== 'list' ? mostOurs : 0;
  for (const piece of pieces) {
    const ours = oursFor(piece);
    const near = ours.findIndex((word) => missing.includes(word));
    if (near === -1) return undefined;
    missing.splice(missing.indexOf(ours[near] ?? ''), 1);
    cost += near;
  }
  // No command removes a blog that was added, so it is proposed only where `add` was written.
  if (leaf.name() === 'add-blog' && !pieces.includes('add')) return undefined;
  if (/^(?:import|export|create)$/.test(leaf.name()) && takesFiles.test(pieces.join(' ')))
    return undefined;
  const [left, ...more] = missing;
  if (left === undefined) return cost;
  const group = leaf.parent?.name();
  const mayBeLeft = isGrouped && (left === group || (left === 'blog' && pieces.length > 1));
  return more.length === 0 && mayBeLeft ? cost + groupLeftOut : undefined;
}

/** A placeholder stands as it is. */
export function lineOf(words: Words): string {
  const shown = words.map((word) => (isPlaceholder(word) ? word : inShell(word)));
  return ['blogctl', ...shown].join(' ');
}

export function isPlaceholder(word: string): boolean {
  return /^<[^<>]*>$/.test(word);
}

/** The line as our parser reads lines: no sentence, no offset, no profile without its flag. */
export function reworded(words: Words, profiles: Words, folder: string): Words {
  return withProfile(withoutFillers(paged(withPort(words))), profiles, folder);
}

const fillers =
  /^(?:me|us|the|an|my|our|of|as|in|on|to|from|for|with|where|this|these|those|it|is|am|i|please)$/i;
/** Behind these stands a text, or what is lost: every word counts. */
const textual =
  /^(?:create|new|add|init|make|insert|write|compose|draft|post|update|edit|set|put|patch|(?:re)?title|rename|content|name|search|find|grep|query|filter|log|sign|help|api|blog|del|delete|remove|rm|destroy|purge|drop|undo|prune)(?![.\w])/i;

const numbers = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** `show me 3 as json` is `show 3 json`. */
function withoutFillers(words: Words): Words {
  if (words.slice(0, 2).some((word) => textual.test(word))) return words;
  const isFiller = (word = '') => fillers.test(word);
  // `3 to 5` is neither of 3 and 5.
  if (/\d \w+ \d/.test(words.join(' '))) return words;
  const last = /^(?:last|latest|newest|first|top)$/;
  const figures = words.map((word, at) => {
    const figure = numbers.indexOf(word) + 2;
    return figure > 1 && last.test(words[at - 1] ?? '') ? String(figure) : word;
  });
  return figures.filter((word, at) => {
    const before = figures[at - 1] ?? '-';
    const isCounted = /^articles?$|^posts?$/.test(word) && /^\d+$/.test(before);
    if (isCounted && last.test(figures[at - 2] ?? '')) return false;
    return before.startsWith('-') || !(isFiller(word) || (word === 'a' && isFiller(before)));
  });
}

const picking =
  /^(?:-[Sqs]|--(?:s|q|search|query|grep|contains|sort\S*|order\S*|reverse|desc\S*))(?:=|$)/;
const shaping = /^(?:-[oq]|--(?:jq|json|format|fields?|output|all|page\S*))(?:=|$)/;

const listing = /^(?:wp|list|ls|l|all|show|get|search|find|grep|query|articles?|posts?)$/i;

/** `--offset 5 --limit 5` is the second page of five; what is found or sorted has no pages: a filter takes its part. */
function paged(words: Words): Words {
  if (!words.slice(0, 2).every((word) => word.startsWith('-') || listing.test(word))) return words;
  const valueOf = (flag: RegExp) => {
    const at = words.findIndex((word) => flag.test(word));
    const [, joined] = (words[at] ?? '').split('=');
    return { at, size: joined === undefined ? 2 : 1, value: Number(joined ?? words[at + 1]) };
  };
  const from = valueOf(/^(?:offset|--(?:offset|skip|start))(?:=|$)/);
  const most = valueOf(
    /^(?:-[Ln]|limit|--(?:limit|max|first|top|head|take|num\w*|(?:posts.)?per.page))(?:=|$)/,
  );
  const isLess = most.at !== -1;
  if (from.at === -1 || !Number.isInteger(from.value) || (isLess && !Number.isInteger(most.value)))
    return words;
  const isGone = (at: number) =>
    [from, most].some((each) => each.at !== -1 && at >= each.at && at < each.at + each.size);
  const kept = words.filter((_word, at) => !isGone(at));
  const page = from.value / most.value + 1;
  if (isLess && Number.isInteger(page) && !words.some((word) => picking.test(word)))
    return [...kept, '--page', String(page), '--page-size', String(most.value)];
  if (words.some((word) => shaping.test(word))) return words;
  const end = isLess ? String(from.value + most.value) : '';
  return [...kept, '--jq', `.[${from.value}:${end}]`];
}

/** A folder is what is there, or is called as one; another word behind `sync` is a verb. */
export function isFolder(word: string | undefined, folder: string): boolean {
  return (
    /[\\/.]|^(?:_?posts|content|docs|pages)$/.test(word ?? '') ||
    existsSync(resolve(folder, word ?? ''))
  );
}

/** `--limit:3` and `/limit:3`, and a flag with its value in one pair of quotes. */
export function withParts(words: Words): Words {
  return words.flatMap((word, at) => {
    const [, name, value = ''] = /^(?:--|\/)([a-z][a-z-]+)(?::| +)(\S+)$/.exec(word) ?? [];
    if (name !== undefined && words[at - 1]?.startsWith('-') !== true) return [`--${name}`, value];
    // curl sends a body by --json, PowerShell has `-Confirm`.
    if (word === '--json' && /^\{\s*"/.test(words[at + 1] ?? '')) return ['-d'];
    return [word.replace(/^(?:--_+(?=[a-z])|-(?=[A-Z][a-z]{2}\w*$))/, '--')];
  });
}

const ofProfiles = /profile|remote|context|config|auth|login|logout|use|switch|select|store|token/;

/** The name of a profile alone says which blog is meant: `list staging`. */
function withProfile(words: Words, profiles: Words, folder: string): Words {
  const [first, second = ''] = words;
  if (first === 'profile' && profiles.includes(second)) return words.toSpliced(1, 0, 'use');
  const isOther = (word: string) => textual.test(word) || /^--?(?:blog|p|profile)\b/.test(word);
  if (words.slice(0, 2).some((word) => ofProfiles.test(word)) || words.some(isOther)) return words;
  const [at = -1, ...others] = words.flatMap((word, index) => {
    const isName = profiles.includes(word) && !(words[index - 1] ?? '').startsWith('-');
    return isName && !existsSync(resolve(folder, word)) ? [index] : [];
  });
  const name = words[at];
  if (name === undefined || others.length > 0) return words;
  return [...words.toSpliced(at, 1), '--profile', name];
}

/** The profiles that a line names. */
export function profilesIn(words: Words): Words {
  return words.filter((_word, at) => words[at - 1] === '--profile');
}

/** Where the words stand that are neither flags nor their values: the names of commands, and others. */
export function operandsOf(words: Words, command: Command): readonly [number[], number[]] {
  const isWord = (word: string, at: number) => !isFlag(word) && !isValue(words, at, command);
  const all = words.flatMap((word, at) => (isWord(word, at) ? [at] : []));
  const depth = nameOf(command).split(' ').length - 1;
  return [all.slice(0, depth), all.slice(depth)];
}

/** A command that changes nothing: without a word that it does not know it does no more than was meant. */
export function reads(command: Command): boolean {
  const isOne = /^(?:list|get|show|status|plan|links|path|blog|commands|check)$/;
  return command.commands.length === 0 && isOne.test(command.name());
}

export function isFlag(word: string | undefined): boolean {
  return word !== undefined && /^-[^\d]/.test(word);
}

export function isValue(words: Words, at: number, command: Command): boolean {
  return optionOf(command, words[at - 1] ?? '')?.required === true;
}

export function isHint(meant: string): meant is Hint {
  return meant.endsWith('.') && meant.includes(' ');
}

export function flagIn(word = ''): string {
  return word.replace(/=.*/s, '');
}
