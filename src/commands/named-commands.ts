import type { Command } from 'commander';
import { oursFor } from './synonyms.ts';
import { findCommand, scopeOf } from './lazy-command.ts';

type Words = readonly string[];

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

/** A command whose group was left out: one of articles, else of the only group that has it. */
export function linesByVerb(spelling: Spelling, program: Command): readonly Words[] {
  const [first] = spelling.operands;
  if (first === undefined || spelling.path.length > 0) return [];
  const all = commandsFor(piecesOf(spelling.words, [first]), program);
  const ofArticles = all.filter(({ leaf }) => leaf.parent?.name() === 'articles');
  const whole = all.filter(({ cost }) => cost < groupLeftOut);
  const found = [whole, ofArticles, all].find((each) => each.length > 0) ?? [];
  if (new Set(found.map(({ leaf }) => leaf.parent)).size !== 1) return [];
  const [{ cost: least } = { cost: 0 }] = found;
  // What is called as it was typed is meant, and nothing else.
  const isExact = least % groupLeftOut === 0;
  const meant = isExact ? found.filter(({ cost }) => cost === least) : found;
  return linesOf(meant, { ...spelling, operands: [first] });
}

/** `export token ci`: a noun behind a verb says whose verb it is, also where that has none. */
export function nounFirst(
  { words, path, operands }: Spelling,
  program: Command,
): Words | undefined {
  const [first = -1, second = -1] = operands;
  const [said = '', named = ''] = [words[first], words[second]];
  const group = oursFor(named).find(
    (name) => (findCommand(program, name)?.commands.length ?? 0) > 0,
  );
  const isNamed = group !== undefined && group !== 'articles';
  const isVerb = oursFor(said).some((verb) =>
    program.commands.some((each) => findCommand(each, verb)),
  );
  if (path.length > 0 || second !== first + 1 || !isNamed || !isVerb) return undefined;
  return words.with(first, group).with(second, said);
}

function piecesOf(words: Words, places: readonly number[]): readonly string[] {
  return places.flatMap((at) => (words[at] ?? '').toLowerCase().split(/[\s/:._-]+/));
}

type Found = { readonly leaf: Command; readonly cost: number };

function commandsFor(pieces: Words, program: Command): readonly Found[] {
  return leavesOf(program)
    .flatMap((leaf) => {
      const cost = costOf(pieces, leaf);
      return cost === undefined ? [] : [{ leaf, cost }];
    })
    .toSorted((one, other) => one.cost - other.cost);
}

function linesOf(found: readonly Found[], { words, path, operands }: Spelling): readonly Words[] {
  const named = new Set([...path, ...operands]);
  const begin = Math.min(...named);
  return found.map(({ leaf }) =>
    words.flatMap((word, at) => [
      ...(at === begin ? scopeOf(leaf).split(' ') : []),
      ...(named.has(at) ? [] : [word]),
    ]),
  );
}

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

const groupLeftOut = 100;
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
  const isOfFiles =
    /^(?:import|export|create)$/.test(leaf.name()) && takesFiles.test(pieces.join(' '));
  if (isOfFiles) return undefined;
  const [left, ...more] = missing;
  if (left === undefined) return cost;
  const group = leaf.parent?.name();
  const mayBeLeft = isGrouped && (left === group || (left === 'blog' && pieces.length > 1));
  return more.length === 0 && mayBeLeft ? cost + groupLeftOut : undefined;
}
