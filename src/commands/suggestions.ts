import type { Command, CommanderError } from 'commander';
import type { Hint } from '../errors.ts';
import { inShell, withoutSecrets } from '../terminal/text.ts';
import { noSecret } from './known-habits.ts';
import { findCommand, LazyCommand, longFlags, optionOf, RefusedLine } from './lazy-command.ts';
import {
  alike,
  asMeant,
  inWords,
  isFlag,
  isValue,
  type Line,
  meaningsOf,
  operandsOf,
  swallowing,
  verbsOf,
  withNounFirst,
  withOwnNames,
} from './typed-words.ts';

type Words = readonly string[];

/** A line that was refused, and what would be refused of another one: nothing, where it is accepted. */
export type Rehearsal = {
  readonly words: Words;
  readonly program: Command;
  readonly rehearse: (words: Words) => Promise<unknown>;
};

/**
 * What to do instead: a line where every word that was typed stands in its meaning and that our own
 * parser accepts; else a sentence, or what the command takes.
 */
export async function nextStep(thrown: CommanderError, rehearsal: Rehearsal): Promise<Hint> {
  if (!(thrown instanceof RefusedLine)) return 'See `blogctl --help`.';
  const swallowed = /excess/.test(thrown.code) && swallowing(thrown.command);
  if (swallowed) return `The flag behind ${swallowed} is its value: give it one before.`;
  const search: Search = { ...rehearsal, said: [], rehearsed: new Set() };
  const line = await lineFor(thrown, rehearsal.words, search);
  if (line === undefined) return search.said[0] ?? inWords(search.told ?? thrown);
  const shown = ['blogctl', ...withOwnNames(line)].map(inShell).join(' ');
  return withoutSecrets(shown) === shown ? `Run \`${shown}\`.` : noSecret;
}

type Search = Rehearsal & {
  /** Sentences of the table on the way. */
  readonly said: Hint[];
  readonly rehearsed: Set<string>;
  /** What is told, where nothing is found: of a habit of blogctl itself what its command lacks. */
  told?: Pick<RefusedLine, 'command' | 'code'>;
};

/** So many lines are rehearsed before none is named. */
const mostLines = 50;

async function lineFor(refused: unknown, words: Words, search: Search): Promise<Words | undefined> {
  if (refused === undefined) return words;
  if (!(refused instanceof RefusedLine)) return undefined;
  const command = await calledBy(words, refused.command);
  const articles = articlesOf(command);
  if (articles instanceof LazyCommand) await articles.defineNow();
  const isHabit = search.told?.command.parent === null && search.rehearsed.size < 2;
  if (isHabit || search.told === undefined) search.told = { command, code: refused.code };
  for (const meant of meanings(refused, command, { line: words, typed: search.words })) {
    // What a sentence is said of first is no word of another line.
    if (typeof meant === 'string') return void search.said.push(meant);
    const next = await asMeant(meant, search.program);
    const name = JSON.stringify(next);
    if (search.rehearsed.has(name)) continue;
    if (search.rehearsed.add(name).size > mostLines) return undefined;
    const line = await lineFor(await search.rehearse(next), next, search);
    if (line !== undefined) return line;
  }
  return undefined;
}

/** Flags of all commands are refused by blogctl itself, whichever is called. */
async function calledBy(words: Words, above: Command): Promise<Command> {
  if (above instanceof LazyCommand) await above.defineNow();
  const [, [at = -1]] = operandsOf(words, above);
  const next = findCommand(above, words[at] ?? '');
  return next === undefined ? above : calledBy(words, next);
}

/** Lines and sentences that may be meant, the likeliest first. */
function* meanings(
  { message, code, command: above }: RefusedLine,
  command: Command,
  { line, typed }: { readonly line: Words; readonly typed: Words },
): Generator<Words | Hint, void, void> {
  const [, refused = ''] = /option '(?:-\w, )?(-[^' =]+)/.exec(message) ?? [];
  const [flag] = flagAndValue(refused, command);
  const isIt = new Set([flag, optionOf(command, flag)?.short]);
  const at = line.findIndex(
    (word, index) => isIt.has(flagAndValue(word, command)[0]) && !isValue(line, index, command),
  );
  const [name, given] = flagAndValue(line[at] ?? '', command);
  const words = given === undefined ? line : line.toSpliced(at, 1, name, given);
  const [path, operands] = operandsOf(words, command);
  const turned = command.parent === null && withNounFirst(words, operands);
  if (turned) {
    yield turned;
    return;
  }
  const isGroup = command.commands.length > 0;
  const isUnknown = code === 'commander.unknownOption';
  const { length, [length - 1]: last } = command.registeredArguments;
  const isOfFlag = isUnknown || (code === 'commander.invalidArgument' && refused !== '');
  const most = isOfFlag && last?.variadic ? operands.length : length;
  const taken = isOfFlag || code === 'commander.excessArguments' ? most : 0;
  // Words that the command takes are no reason to refuse a flag.
  const others = [...operands.slice(taken), ...(isOfFlag ? [] : operands.slice(0, taken))];
  // It may be the value of a flag that is not known.
  const isFree = (index: number) =>
    !/^-[^\d=]+$/.test(words[index - 1] ?? '') || optionOf(command, words[index - 1] ?? '');
  const free = isGroup ? others : others.filter(isFree);
  const forWords = (isGroup ? free.slice(0, 1) : free).flatMap((index) =>
    forWord({ command, words, path, at: index, typed }),
  );
  const forFlags = at === -1 ? [] : forFlag({ command, words, path, at, given });
  if (/repeatedOption|optionMissingArgument/.test(code)) return;
  // It may be one of a command that is named behind it.
  const isEarly = isUnknown && above.commands.length > 0;
  const moved = [1, 2].map((more) => [...words.toSpliced(at, more), ...words.slice(at, at + more)]);
  if (isGroup) yield* forWords;
  yield* [...forFlags, ...(isEarly ? moved : [])];
  if (!isGroup) yield* forWords;
}

/** A flag, and the value that stands in the same word: `--format=json`, `-ojson`. */
function flagAndValue(word: string, command: Command): readonly [string, string | undefined] {
  const [, name = word, value] = /^(-[^=]*)=(.*)$/s.exec(word) ?? [];
  // One dash may be too few: `-limit`, `-output`.
  const long = alike(`-${name}`, longFlags(command));
  if (long === `-${name}`) return [long, value];
  const [, short, attached] = /^(-[a-zA-Z])([^=].*)$/s.exec(word) ?? [];
  if (short === undefined) return [name, value];
  const isTaught = long === undefined && meaningsOf(command, short).length > 0;
  const isShort = optionOf(command, short)?.required === true || isTaught;
  return isShort ? [short, attached] : [name, value];
}

type Place = {
  readonly command: Command;
  readonly words: Words;
  /** Where the command is named. */
  readonly path: readonly number[];
  readonly at: number;
  /** The line as it was typed. */
  readonly typed?: Words;
  /** What stood behind the `=` of a flag. */
  readonly given?: string | undefined;
};

/** A word that is no command, or one too many, or no value of an argument. */
export function forWord({ at, ...place }: Place): readonly (Words | Hint)[] {
  const { command, words } = place;
  const word = words[at] ?? '';
  const pair = isFlag(words[at - 1]) ? meaningsOf(command, `${words[at - 1]}=${word}`) : [];
  const names = verbsOf(command);
  // What is said of several groups is a command of some of them.
  const isNone = (each: Line | Hint) =>
    names.length > 0 &&
    typeof each !== 'string' &&
    each.route.length === 0 &&
    findCommand(command, each.rest[0] ?? '') === undefined;
  const known = meaningsOf(command, word).filter((each) => !isNone(each));
  const articles = articlesOf(command);
  const verbs = verbsOf(articles);
  const isVerb = known.length === 0 && verbs.includes(word);
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const guess = alike(word.toLowerCase(), [...names, ...verbs, ...choices]);
  const guessed = known.length > 0 || isVerb || guess === undefined ? [] : [words.with(at, guess)];
  const isSaid = typeof known[0] === 'string';
  return [
    ...pair.map((meaning) => inPlace({ ...place, at: at - 1 }, meaning, 2)),
    ...(isSaid ? joined(at, place) : []),
    ...known.map((meaning) => inPlace({ ...place, at }, meaning)),
    ...(isSaid ? [] : joined(at, place)),
    ...(isVerb ? [words.toSpliced(at, 1, 'articles', nameIn(articles, word))] : []),
    ...guessed,
  ];
}

/** The rest of a text that was typed without quotes, or of names with blanks between them. */
function joined(at: number, { command, words, typed = [] }: Omit<Place, 'at'>): readonly Words[] {
  const [flag = '', before = '', word = ''] = words.slice(Math.max(0, at - 2), at + 1);
  const name = isFlag(before) ? before.replace(/=.*/s, '') : flag;
  const { flags = '' } = optionOf(command, name) ?? {};
  const between = /<(?:words|text)>/.test(flags) ? ' ' : /<names>/.test(flags) ? ',' : undefined;
  const isTyped = typed.some((each) => each === name || each.startsWith(`${name}=`));
  if (between === undefined || !isTyped || word === '-') return [];
  return [words.toSpliced(at - 1, 2, before + between + word)];
}

/** A flag that the command has under another name, or another command has. */
function forFlag(place: Place): readonly (Words | Hint)[] {
  const { command, words, at } = place;
  const name = words[at] ?? '';
  const isTaken = optionOf(command, name)?.required === true || !isFlag(words[at + 1]);
  const value = place.given ?? (isTaken ? words[at + 1] : undefined);
  const pair = value === undefined ? [] : meaningsOf(command, `${name}=${value}`);
  const known = meaningsOf(command, name);
  const small = name.replaceAll(/_|(?=[A-Z])/g, '-').toLowerCase();
  const guess = known.length === 0 ? alike(small, longFlags(command)) : undefined;
  const others = guess === undefined ? known : [{ route: [], rest: [guess] }];
  const whole = others.filter((each) => typeof each === 'string' || isWhole(each, place, value));
  const choice = alike(value?.toLowerCase() ?? '', optionOf(command, name)?.argChoices ?? []);
  return [
    ...pair.map((meaning) => inPlace(place, meaning, 2)),
    ...(choice === undefined ? [] : [words.with(at + 1, choice)]),
    ...whole.map((meaning) => inPlace(place, meaning)),
  ];
}

/** The flag is one of the command, its value is there, and none is dropped. */
function isWhole({ route, rest }: Line, { command, given }: Place, value?: string): boolean {
  const flag = rest.findLast(isFlag) ?? '';
  const option = optionOf(command, flag);
  const isOther = route.length > 0 || flag === '';
  const takes = flag !== '' && flag === rest.at(-1) && (isOther || option?.required === true);
  const isKnown = isOther || option !== undefined || /^--(?:help|version)$/.test(flag);
  return isKnown && (takes ? value !== undefined : given === undefined);
}

/** Most leave out the group of what they want most. */
function articlesOf(command: Command): Command | undefined {
  return command.parent === null ? findCommand(command, 'articles') : undefined;
}

function nameIn(group: Command | undefined, word: string): string {
  return (group && findCommand(group, word)?.name()) ?? word;
}

/** The line with a meaning in the place of what was typed. */
function inPlace({ words, path, at }: Place, meaning: Line | Hint, replaced = 1): Words | Hint {
  if (typeof meaning === 'string') return meaning;
  const { route, rest } = meaning;
  return words.flatMap((word, index) => {
    const begin = index === (path[0] ?? 0) ? route : [];
    if (index === at) return [...begin, ...rest];
    const isGone = index > at && index < at + replaced;
    return isGone || (route.length > 0 && path.includes(index)) ? begin : [...begin, word];
  });
}
