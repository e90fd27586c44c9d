import type { Argument, Command } from 'commander';
import { BlogctlError, type Hint } from '../../errors.ts';
import { inShell, withoutSecrets } from '../../terminal/text.ts';
import {
  commandOf,
  findCommand,
  hasFlag,
  IncompleteLine,
  LazyCommand,
  longFlags,
  nameOf,
  optionOf,
  RefusedLine,
  rootOf,
  scopeOf,
} from '../lazy-command.ts';
import { nearest } from '../../terminal/diff.ts';
import { flagAndValue } from './flag-meanings.ts';
import { conditions, inStep, noSecret, nothingElse } from './no-counterpart.ts';
import { lineOf, isFlag, operandsOf, reads, type Words } from './rewording.ts';
import { meaningsOf } from './typed-words.ts';

/** A line that was refused, and why. */
export type RefusedWords = Pick<RefusedLine, 'command' | 'code' | 'message'> & {
  readonly words: Words;
};

type Ends = Readonly<Partial<Record<'told' | 'end', RefusedWords>>>;

/** Of several flags that are not known, the one that means nothing here. */
export function culpritOf({ told, end }: Ends): RefusedWords | undefined {
  if (told === undefined || end === undefined) return told;
  const areFlags = [told, end].every(({ code }) => code === 'commander.unknownOption');
  return areFlags && nameOf(told.command) === nameOf(end.command) ? end : told;
}

export function toldOf(refused: RefusedLine, command: Command, words: Words): RefusedWords {
  const { code, message } = refused;
  return { command, code, message, words };
}

/** Why a line that is one of ours is refused all the same, and what to do then. */
export async function saidBy(
  refused: unknown,
  words: Words,
  program: Command,
): Promise<Hint | undefined> {
  if (!(refused instanceof BlogctlError) || refused.hint === undefined) return undefined;
  return `Of ${scopeOf(await commandOf(program, words))}: ${refused.message} ${refused.hint}`;
}

/** What a line lacks to be accepted: arguments only where nothing else can be meant. */
export function lackedBy(
  refused: unknown,
  words: Words,
  mayBeArgument: boolean,
): string | undefined {
  if (refused instanceof IncompleteLine) return refused.missing;
  if (!(refused instanceof RefusedLine)) return undefined;
  const { command, code, message } = refused;
  if (mayBeArgument && code === 'commander.missingArgument')
    return hasChoices(command, words)
      ? missingArguments(command, words).map(placeholder).join(' ')
      : undefined;
  const isKnown = knowsAll(command, words);
  if (mayBeArgument && code === 'commander.optionMissingArgument' && isKnown)
    return optionOf(command, words.at(-1) ?? '')?.flags.replace(/^[^<]*/, '') || undefined;
  const isElseWhole =
    isKnown && operandsOf(words, command)[1].length <= command.registeredArguments.length;
  const [, flags = ''] = /^error: required option '(?:-\w, )?(.*)' not/.exec(message) ?? [];
  return flags !== '' && isElseWhole ? flags : undefined;
}

function knowsAll(command: Command, words: Words): boolean {
  const isKnown = (word: string) => optionOf(command, flagAndValue(word, command)[0]) !== undefined;
  return words.every((word) => !isFlag(word) || isKnown(word));
}

function missingArguments(command: Command, words: Words): readonly Argument[] {
  const { length } = operandsOf(words, command)[1];
  return command.registeredArguments.slice(length).filter(({ required }) => required);
}

/** What is given for an argument is one of its choices. */
function hasChoices(command: Command, words: Words): boolean {
  const [, operands] = operandsOf(words, command);
  return operands.every((at, index) => {
    const { argChoices } = command.registeredArguments[index] ?? {};
    return argChoices === undefined || argChoices.includes(words[at] ?? '');
  });
}

function placeholder(argument: Argument): string {
  return `<${argument.name()}${argument.variadic ? '...' : ''}>`;
}

/** Whose list shows what a command takes. */
const ofLists = { article: 'articles', run: 'runs', setting: 'config', 'id|name': 'token' };

/** What stands for an argument in a line, in words. */
export function aboutArguments(command: Command, words: Words): string {
  const flag = optionOf(command, words.at(-1) ?? '');
  if (flag?.required) return `: ${flag.description}`;
  const [first] = missingArguments(command, words);
  return first === undefined ? '' : aboutArgument(first);
}

function aboutArgument(argument: Argument, typed = ''): string {
  const list = new Map(Object.entries(ofLists)).get(argument.name());
  const isLast = /^(?:last|latest|newest|recent)$/i.test(typed);
  const search = /^\p{L}[\p{L}\d ]{2,}$/u.test(typed) ? ` --search ${inShell(typed)}` : '';
  const shown =
    list === undefined
      ? ''
      : `; \`blogctl ${list} list${isLast ? ' --reverse --limit 1' : search}\` shows them`;
  return `: ${argument.argChoices?.join(', ') ?? argument.description}${shown}`;
}

/** What a command takes, where no line can be made of what was typed. */
export function inWords(told: RefusedWords): Hint {
  const { command, code, message } = told;
  if (code === 'blogctl.repeatedOption') return 'Give it once.';
  if (code === 'commander.conflictingOption') return 'Leave one of them out.';
  const list = scopeOf(command) === 'profile' ? '`blogctl profile list` and ' : '';
  const help = `see ${list}\`${nameOf(command)} --help\``;
  if (command.commands.length > 0) {
    const all = command.createHelp().visibleCommands(command);
    const names = all.map((each) => each.name()).join(', ');
    if (scopeOf(command) === 'sync') return inStep;
    if (command.parent === null) return nothingElse;
    return `Its commands are ${names}, and none for that: ${help}.`;
  }
  const [, flag] = /unknown option '(--?[^' =]+)/.exec(message) ?? [];
  const usual = usage(command, help);
  // A word of others is no slip.
  const isKnown =
    hasFlag(rootOf(command), flag ?? '') || meaningsOf(command, flag ?? '').length > 0;
  const isSlip = flag?.startsWith('--') && !isKnown;
  const { all: near } = nearest(flag ?? '', isSlip ? longFlags(command) : []);
  if (near.length > 0) return `There is no ${flag} here, but ${near.join(', ')}: ${help}.`;
  // A name with a dot is that of a file, which may be there.
  const isFile = flag?.includes('.') === true;
  const none: Hint = isFile ? `A file of that name is ./${flag}.` : `There is no ${flag} here.`;
  return corrected(told) ?? (flag ? `${none} ${usual}` : usual);
}

function usage(command: Command, help: string): Hint {
  if (scopeOf(command) === 'articles list') return `${conditions} For all flags, ${help}.`;
  const flags = command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long }) => (long && long !== '--help' ? [long] : []));
  const shown = flags.length > 7 ? [...flags.slice(0, 6), 'others'] : flags;
  const listedFlags = shown.join(', ').replace(/, ([^,]*)$/, ' and $1');
  const all = command.registeredArguments.filter(({ required }) => required);
  const line = [nameOf(command), ...all.map(placeholder)].join(' ');
  // It would run, without what the flag meant.
  const isRun = !reads(command) && /^blogctl (?!articles|api)[^<]*$/.test(line);
  return `It ${isRun ? `takes ${listedFlags || 'no flag of its own'}` : `is \`${line}\`${listedFlags && `, with ${listedFlags}`}`}: ${help}.`;
}

/** The line with a placeholder where a value is wrong or missing. */
function corrected({ command, code, message, words }: RefusedWords): Hint | undefined {
  if (!/invalidArgument|optionMissingArgument/.test(code) || !knowsAll(command, words))
    return undefined;
  const [, flag = ''] = /option '(?:-\w, )?(--[\w-]+)/.exec(message) ?? [];
  const option = optionOf(command, flag);
  const isIt = new Set([option?.long, option?.short]);
  const [, value, name] = /value '(.*)' is invalid for argument '(.*?)'/s.exec(message) ?? [];
  const argument = command.registeredArguments.find((each) => each.name() === name);
  const at =
    argument === undefined
      ? words.findIndex((word) => isIt.has(flagAndValue(word, command)[0]))
      : words.indexOf(value ?? '');
  if (at === -1) return undefined;
  if (argument !== undefined) {
    const [, places] = operandsOf(words, command);
    // What a shell made of a * are files, and none of them is one; nobody reads many ids again.
    const isGone = (each: number) =>
      places.length > 12 || (each > at && !/^#?\d+$/.test(words[each] ?? ''));
    const others = places.filter((each) => argument.variadic && each !== at && isGone(each));
    const line = lineOf(
      words.with(at, placeholder(argument)).filter((_word, each) => !others.includes(each)),
    );
    return `Write \`${line}\`${aboutArgument(argument, name === 'article' ? value : '')}.`;
  }
  const [, stands = ''] = /(<.*>)/.exec(option?.flags ?? '') ?? [];
  const isJoined = flagAndValue(words[at] ?? '', command)[1] !== undefined;
  const isAlone = isJoined || code === 'commander.optionMissingArgument';
  const line = lineOf(words.toSpliced(at, isAlone ? 1 : 2, flag, stands));
  return `Write \`${line}\`: ${option?.description}.`;
}

/** Flags of all commands are refused by blogctl itself, whichever is called. */
export async function calledBy(words: Words, above: Command): Promise<Command> {
  if (above instanceof LazyCommand) await above.defineNow();
  const [, [at = -1]] = operandsOf(words, above);
  const next = findCommand(above, words[at] ?? '');
  return next === undefined ? above : calledBy(words, next);
}

export function secretless(hint: Hint): Hint {
  return withoutSecrets(hint) === hint ? hint : noSecret;
}

/** What is known to change how an answer looks or how it is fetched, and neither which articles it has nor what becomes of them. */
const shaping =
  /^--?(?:no-|show-|with-|use-|print-|force-|max-|auto-)*(?:colou?rs?|ansi|theme|style|pretty|indent(?:ation)?|wide|width|wrap|truncate|trunc|compact|table|grid|borders?|box|headings?|titles|legend|emoji|icons?|symbols|unicode|ascii|utf-?8|human(?:-readable)?|pager|paging|progress|spinner|banner|timing|time|stats|debug|verbose|verbosity|cached?|refresh|keep-?alive|threads?|workers?|parallel|concurrency|retry-?\w*|allow-root|clobber|force|interactive|lang|locale|encoding|charset|(?<=no-)(?:content|body)|raw(?:-output)?|compact-output|sort-keys|[rcf])$/;

const ofShape =
  /^(?:\d+|true|false|yes|no|on|off|auto|always|never|none|dark|light|plain|utf-?8|[a-z]{2}(?:[-_][A-Z]{2})?)$/;

/** Those of them that never stand alone: what is behind them is no word to search for. */
const valued = /^--?max-|(?:theme|style|encoding|charset|locale|width|lang)$/;

/** A line that reads without such a flag, and a value that is of nothing else; any other may say which articles are meant. */
export function withoutShape(words: Words, at: number, isValued: boolean): readonly Words[] {
  const [flag = '', next = '-'] = words.slice(at);
  const isOfShape = ofShape.test(next);
  const isTaken = isValued || (valued.test(flag) && !isFlag(next));
  if (!shaping.test(flag) || (isTaken && !isOfShape)) return [];
  return [words.toSpliced(at, isOfShape ? 2 : 1)];
}
