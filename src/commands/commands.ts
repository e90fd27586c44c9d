import type { Argument, Command, Option } from 'commander';
import type { Context } from '../context/context.ts';
import { environment, exitCodes } from './help.ts';
import { defineTree, findCommand, rootOf, scopeOf } from './lazy-command.ts';
import { inShell } from '../terminal/text.ts';
import { oursFor } from './named-commands.ts';

type Words = readonly string[];

export function define(command: Command, context: Context, run = describeCommands): void {
  command
    .addHelpText(
      'after',
      `
Examples:
  blogctl commands
  blogctl commands --json | jq '.commands[].name'`,
    )
    .action(() => run(command, context));
}

/** The whole command line as data: commands, arguments, flags, variables and exit codes. */
async function describeCommands(command: Command, { terminal }: Context): Promise<void> {
  const root = rootOf(command);
  await defineTree(root);
  const commands = leavesOf(root).map(describe);
  if (terminal.format === 'json') {
    const document = {
      name: root.name(),
      flags: root.options.filter(isShown).map(describeFlag),
      commands,
      environment,
      exitCodes: exitCodes(),
    };
    return terminal.show({ one: document, columns: ['name'] });
  }
  await terminal.show({
    many: commands,
    columns: ['name', 'summary'],
    fields: ['name', 'summary', 'arguments', 'flags'],
    id: 'name',
  });
}

function leavesOf(command: Command): Command[] {
  const shown = command.createHelp().visibleCommands(command);
  return shown.length === 0 ? [command] : shown.flatMap(leavesOf);
}

function describe(command: Command) {
  return {
    name: nameOf(command),
    summary: command.description(),
    arguments: command.registeredArguments.map(describeArgument),
    flags: command.options.filter(isShown).map(describeFlag),
  };
}

function nameOf(command: Command): string {
  const above = command.parent;
  return above === null || above.parent === null
    ? command.name()
    : `${nameOf(above)} ${command.name()}`;
}

function describeArgument(argument: Argument) {
  const { description, required, variadic, argChoices: choices } = argument;
  return { name: argument.name(), description, required, variadic, ...(choices && { choices }) };
}

function isShown({ hidden }: Option): boolean {
  return !hidden;
}

function describeFlag(option: Option) {
  const { flags, description, argChoices, defaultValue, required } = option;
  return {
    flags,
    description,
    takesValue: required,
    ...(argChoices && { choices: argChoices }),
    ...(defaultValue !== undefined && { default: defaultValue as unknown }),
  };
}

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

export function piecesOf(words: Words, places: readonly number[]): readonly string[] {
  return places.flatMap((at) => (words[at] ?? '').toLowerCase().split(/[\s/:._-]+/));
}

type Found = { readonly leaf: Command; readonly cost: number };

export function commandsFor(pieces: Words, program: Command): readonly Found[] {
  return leavesOf(program)
    .flatMap((leaf) => {
      const cost = costOf(pieces, leaf);
      return cost === undefined ? [] : [{ leaf, cost }];
    })
    .toSorted((one, other) => one.cost - other.cost);
}

export function linesOf(
  found: readonly Found[],
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
  // A blog that was added stays: that has to be
  if (leaf.name() === 'add-blog' && !pieces.includes('add')) return undefined;
  const isOfFiles =
    /^(?:import|export|create)$/.test(leaf.name()) && takesFiles.test(pieces.join(' '));
  if (isOfFiles) return undefined;
  const [left, ...more] = missing;
  if (left === undefined) return cost;
  const group = leaf.parent?.name();
  const mayBeLeft = isGrouped && (left === group || (left === 'blog' && pieces.length > 1));
  return more.length === 0 && mayBeLeft ? cost + groupLeftOut : undefined;
}

/** The only one that is a slip or two of the finger away, or that it begins, the shortest first. */
export function alike(word: string, known: readonly string[]): string | undefined {
  if (known.includes(word)) return word;
  // Two letters of a flag are mostly enough to tell it, of a word they are not.
  const begins = (each: string) =>
    word.length > (word.startsWith('--') ? 3 : 2) && each.startsWith(word);
  const near = [...new Set(known)]
    .map((each) => ({ each, slips: begins(each) ? 0 : slipsTo(word, each) }))
    .filter(({ slips }) => slips !== undefined);
  const least = Math.min(...near.map(({ slips = 0 }) => slips));
  const [only = '', ...others] = near
    .flatMap(({ each, slips }) => (slips === least ? [each] : []))
    .toSorted((one, other) => one.length - other.length);
  // `--pag` is --page and not --page-size.
  const isOne = others.every((other) => least === 0 && other.startsWith(only));
  return isOne && only !== '' ? only : undefined;
}

/** Letters too many, too few, others or in the wrong order, if they are few for so short a word. */
function slipsTo(typed: string, known: string): number | undefined {
  const [one = '', other = ''] = [typed, known].map((word) => word.replace(/^-+/, ''));
  const isSwapped = one.slice(0, 2) === other.slice(1, 2) + other.slice(0, 1);
  if (one[0] !== other[0] && !isSwapped) return undefined;
  // Two letters are mostly a word of their own: one may be missing, no more.
  if (Math.min(one.length + 1, other.length) < 3) return undefined;
  const slips = editDistance(one, other);
  const [ours, theirs] = [one, other].map((word) => word.split('').toSorted().join(''));
  // Of a short word another letter makes another word.
  if (one.length < 5 && one.length === other.length && ours !== theirs) return undefined;
  return slips <= (one.length < 6 ? 1 : 2) ? slips : undefined;
}

/** Damerau and Levenshtein: letters to add, to take, to change, or two to swap. */
function editDistance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_each, at) => at)];
  for (let y = 1; y <= one.length; y += 1) {
    const [row, before = [], twoBefore] = [[y], rows[y - 1], rows[y - 2]];
    for (let x = 1; x <= other.length; x += 1) {
      const cost = one[y - 1] === other[x - 1] ? 0 : 1;
      const isSwap = x > 1 && one[y - 1] === other[x - 2] && one[y - 2] === other[x - 1];
      const swapped = isSwap ? (twoBefore?.[x - 2] ?? Infinity) + 1 : Infinity;
      const [left = 0, above = 0, corner = 0] = [row[x - 1], before[x], before[x - 1]];
      row.push(Math.min(left + 1, above + 1, corner + cost, swapped));
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}

/** A placeholder stands as it is. */
export function lineOf(words: Words): string {
  const shown = words.map((word) => (isPlaceholder(word) ? word : inShell(word)));
  return ['blogctl', ...shown].join(' ');
}

export function isPlaceholder(word: string): boolean {
  return /^<[^<>]*>$/.test(word);
}
