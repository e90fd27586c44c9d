import type { Command, CommanderError } from 'commander';
import type { Hint } from '../errors.ts';
import { inShell, withoutSecrets } from '../terminal/text.ts';
import {
  commandOf,
  defineTree,
  findCommand,
  IncompleteLine,
  LazyCommand,
  optionOf,
  RefusedLine,
  scopeOf,
} from './lazy-command.ts';
import {
  flagAndValue,
  flagIn,
  forFlag,
  forWord,
  type Place,
  type Told,
  type WordPlace,
} from './meanings.ts';
import { linesByName, linesByVerb, nounFirst, type Spelling } from './named-commands.ts';
import { noSecret } from './no-counterpart.ts';
import { asMeant, inWords, isValue, operandsOf, retyped, withOwnNames } from './typed-words.ts';

type Words = readonly string[];

/** A line that was refused, and what would be refused of another one: nothing, where it is accepted. */
export type Rehearsal = {
  readonly words: Words;
  readonly program: Command;
  readonly rehearse: (words: Words) => Promise<unknown>;
  /** Whether stdin is a file. */
  readonly hasFile: () => Promise<boolean>;
};

/**
 * What to do instead: a line where every word that was typed stands in its meaning and that our own
 * parser accepts; else a sentence, or what the command takes.
 */
export async function nextStep(thrown: CommanderError, rehearsal: Rehearsal): Promise<Hint> {
  if (!(thrown instanceof RefusedLine)) return 'See `blogctl --help`.';
  await defineTree(rehearsal.program);
  const words = retyped(rehearsal.words);
  const search: Search = { ...rehearsal, words, said: [], rehearsed: new Set([inSigns(words)]) };
  const isOther = inSigns(words) !== inSigns(rehearsal.words);
  const line = await lineFor(isOther ? await rehearsal.rehearse(words) : thrown, words, search);
  if (line === undefined) return search.said[0] ?? inWords(search.told ?? thrown);
  return toRun(await withInput(line, rehearsal), search.missing);
}

/** A file that is sent to stdin is the content of an article that has no other. */
async function withInput(line: Words, { program, rehearse, hasFile }: Rehearsal): Promise<Words> {
  const command = scopeOf(await commandOf(program, line));
  const isGiven = line.some((word) => /^--(?:(?:clear-)?content|from-file|editor)/.test(word));
  if (!/^articles (?:create|update)$/.test(command) || isGiven || !(await hasFile())) return line;
  const whole = [...line, '--content-file', '-'];
  return (await rehearse(whole)) === undefined ? whole : line;
}

function toRun(line: Words, missing = ''): Hint {
  const shown = ['blogctl', ...withOwnNames(line)].map(inShell).join(' ') + missing;
  return withoutSecrets(shown) === shown ? `Run \`${shown}\`.` : noSecret;
}

type Search = Rehearsal & {
  /** Sentences of the table on the way. */
  readonly said: Hint[];
  readonly rehearsed: Set<string>;
  /** What is told, where nothing is found: of a habit of blogctl itself what its command lacks. */
  told?: Pick<RefusedLine, 'command' | 'code' | 'message'>;
  visited?: number;
  /** What the line that was found lacks. */
  missing?: string;
};

/** So many lines are rehearsed before none is named. */
const mostLines = 50;

/** A line that is accepted as it was changed goes before one that has to be changed again. */
async function lineFor(refused: unknown, words: Words, search: Search): Promise<Words | undefined> {
  if (refused === undefined) return words;
  if (!(refused instanceof RefusedLine)) return undefined;
  const command = await calledBy(words, refused.command);
  const isSecond = search.told?.command.parent === null && (search.visited ?? 0) === 1;
  search.visited = (search.visited ?? 0) + 1;
  if (isSecond || search.told === undefined) {
    const { code, message } = refused;
    search.told = { command, code, message };
  }
  const tried: (readonly [unknown, Words])[] = [];
  const said: Hint[] = [];
  for (const meant of meanings(refused, command, { line: words, search })) {
    // What a sentence is said of first is no word of another line.
    if (typeof meant === 'string') {
      said.push(meant);
      break;
    }
    const next = await asMeant(meant, search.program);
    const name = inSigns(next);
    if (search.rehearsed.has(name)) continue;
    if (search.rehearsed.add(name).size > mostLines) return undefined;
    const again = await search.rehearse(next);
    if (again === undefined) return next;
    if (again instanceof IncompleteLine && again.missing.startsWith('--')) {
      search.missing = ` ${again.missing}`;
      return next;
    }
    tried.push([again, next]);
  }
  for (const [again, next] of tried) {
    const line = await lineFor(again, next, search);
    if (line !== undefined) return line;
  }
  search.said.push(...said);
  return undefined;
}

function inSigns(words: Words): string {
  return JSON.stringify(words);
}

/** Flags of all commands are refused by blogctl itself, whichever is called. */
async function calledBy(words: Words, above: Command): Promise<Command> {
  if (above instanceof LazyCommand) await above.defineNow();
  const [, [at = -1]] = operandsOf(words, above);
  const next = findCommand(above, words[at] ?? '');
  return next === undefined ? above : calledBy(words, next);
}

type Question = {
  readonly place: Omit<WordPlace, 'at'>;
  readonly operands: readonly number[];
  readonly code: string;
  readonly isOfFlag: boolean;
};

/** Lines and sentences that may be meant, the likeliest first. */
function* meanings(
  { message, code, command: above }: RefusedLine,
  command: Command,
  { line, search }: { readonly line: Words; readonly search: Search },
): Generator<Words | Hint, void, void> {
  const [, refused = ''] = /option '(?:-\w, )?(-[^' =]+)/.exec(message) ?? [];
  const [flag] = flagAndValue(refused, command);
  const isIt = new Set([flag, optionOf(command, flag)?.short]);
  const named = line.findIndex(
    (word, index) => isIt.has(flagAndValue(word, command)[0]) && !isValue(line, index, command),
  );
  // Of several letters behind one dash the first may be known, as -v of -version.
  const isTail = (word: string) => /^-\w\w/.test(word) && word.endsWith(refused.slice(1));
  const at = named === -1 && refused !== '' ? line.findIndex(isTail) : named;
  const [name, given] = flagAndValue(line[at] ?? '', command);
  const words = given === undefined ? line : line.toSpliced(at, 1, name, given);
  if (at !== -1 && name !== flagIn(line[at])) yield words.with(at, name);
  const [path, operands] = operandsOf(words, command);
  const isUnknown = code === 'commander.unknownOption';
  const isOfFlag = isUnknown || (code === 'commander.invalidArgument' && refused !== '');
  const place = { command, words, path, search };
  const isGroup = command.commands.length > 0;
  const forWords = isGroup
    ? forGroup({ ...place, operands })
    : forOperands({ place, operands, code, isOfFlag });
  if (isGroup && !isUnknown) yield* forWords;
  if (!/repeatedOption|optionMissingArgument/.test(code)) {
    if (at !== -1) yield* forFlag({ ...place, at, given });
    // It may be one of a command that is named behind it.
    const isEarly = isUnknown && at !== -1 && above.commands.length > 0;
    const moved = [1, 2].map((more) => [
      ...words.toSpliced(at, more),
      ...words.slice(at, at + more),
    ]);
    if (isEarly) yield* moved;
    if (isUnknown || !isGroup) yield* forWords;
  }
}

/** What the words may mean that a command does not take; one it takes is no reason to refuse a flag. */
function forOperands({ place, operands, code, isOfFlag }: Question): readonly (Words | Hint)[] {
  const { command, words, path, search } = place;
  // It may be the value of a flag that is not known.
  const isFree = (index: number) =>
    !/^-[^\d=]+$/.test(words[index - 1] ?? '') || optionOf(command, words[index - 1] ?? '');
  const free = operands.filter(isFree);
  const isExcess = code === 'commander.excessArguments';
  const { length, [length - 1]: last } = command.registeredArguments;
  const most = isOfFlag && last?.variadic ? free.length : length;
  const taken = isOfFlag || isExcess ? most : 0;
  const others = [...free.slice(taken), ...(isOfFlag ? [] : free.slice(0, taken))];
  const isTop = isExcess && path.length === 1;
  return [
    ...(isTop ? linesByName({ words, path, operands }, search.program) : []),
    ...others.flatMap((index) => forWord({ ...place, at: index })),
  ];
}

type GroupPlace = Omit<Place, 'at'> & Spelling & { readonly search: Told };

/** What the words behind a group may mean, which name none of its commands. */
export function forGroup({ operands, ...place }: GroupPlace): readonly (Words | Hint)[] {
  const { command, words, path, search } = place;
  const spelling = { words, path, operands };
  const named = linesByName(spelling, search.program);
  const other = command.parent === null ? nounFirst(spelling, search.program) : undefined;
  if (other !== undefined) return [...named, other];
  const [at] = operands;
  const forFirst = at === undefined ? [] : forWord({ ...place, at });
  return [...named, ...forFirst, ...linesByVerb(spelling, search.program)];
}
