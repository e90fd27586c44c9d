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
  // No command removes a blog that was added, so it is proposed only where `add` was written.
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

/** A placeholder stands as it is. */
export function lineOf(words: Words): string {
  const shown = words.map((word) => (isPlaceholder(word) ? word : inShell(word)));
  return ['blogctl', ...shown].join(' ');
}

export function isPlaceholder(word: string): boolean {
  return /^<[^<>]*>$/.test(word);
}
