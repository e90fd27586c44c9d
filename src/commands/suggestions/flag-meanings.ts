import type { Command } from 'commander';
import type { Hint } from '../../errors.ts';
import {
  calledIn,
  commandOf,
  findCommand,
  hasFlag,
  longFlags,
  optionOf,
  rootOf,
  scopeOf,
} from '../lazy-command.ts';
import { alike } from '../../terminal/diff.ts';
import { isFlag, lineOf, operandsOf, reads, type Words } from './rewording.ts';
import { firstOf, type Line } from './synonyms.ts';
import { isOfOthers, meaningsOf, taughtOf } from './typed-words.ts';
import { fileOf, leavesOne, type LinePosition, namespaces } from './written-lines.ts';

/** A line that was refused, and what would be refused of another one: nothing, where it is accepted. */
export type Rehearsal = {
  readonly words: Words;
  readonly program: Command;
  readonly rehearse: (words: Words) => Promise<unknown>;
  readonly folder: string;
  /** Whether stdin is a file. */
  readonly hasFile: () => Promise<boolean>;
  /** The names of the profiles that there are. */
  readonly profiles: () => Promise<Words>;
};

/** A flag, and the value that stands in the same word: `--format=json`, `-ojson`. */
export function flagAndValue(
  word: string,
  command: Command,
): readonly [string, string | undefined] {
  const [, name = word, value] = /^(-[^=]*)=(.*)$/s.exec(word) ?? [];
  // One dash may be too few: `-limit`, `-output`.
  const long = alike(`-${name}`, longFlags(command));
  if (name.length > 3 && long?.startsWith(`-${name}`)) return [long, value];
  if (/^-\w{3}/.test(name) && meaningsOf(command, `-${name}`).length > 0)
    return [`-${name}`, value];
  const [, short, attached] = /^(-[a-zA-Z])([^=].*)$/s.exec(word) ?? [];
  if (short === undefined || meaningsOf(command, word).length > 0) return [name, value];
  const taught = long === undefined ? meaningsOf(command, short) : [];
  const isTaught = taught.some((each) => takesValue(each, command));
  const isShort = optionOf(command, short)?.required === true || isTaught;
  return isShort ? [short, attached] : [name, value];
}

/** What nothing takes as its value would be an argument: `-dash.md` is not `ash.md`. */
function takesValue(meaning: Line | Hint, command: Command): boolean {
  if (typeof meaning === 'string') return true;
  return optionOf(calledIn(command, meaning.route), meaning.rest.at(-1) ?? '')?.required === true;
}

/** A flag that the command has under another name, or another command has. */
export function forFlag(place: LinePosition): readonly (Words | Hint)[] {
  const { command, words, at } = place;
  const name = words[at] ?? '';
  const isTaken = optionOf(command, name)?.required === true || !isFlag(words[at + 1]);
  const value = place.given ?? (isTaken ? words[at + 1] : undefined);
  const small = name.replaceAll(/_+|(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
  const spellings = name.startsWith('--') && small !== name ? [name, small] : [name];
  const meant = (text: string) => meaningsOf(command, text);
  const pair = spellings.flatMap((each) =>
    value === undefined
      ? []
      : firstOf([`${each}=${value}`, `${each}=${value.toLowerCase()}`], meant),
  );
  const known = firstOf(spellings, meant);
  // No value goes to where secrets are read from, unless that is named.
  const isOpen = (flag: string) => !flag.startsWith('--token') || small.startsWith('--tok');
  const ours = longFlags(command).filter(isOpen);
  // What another command has is no slip.
  const isSlip = ours.includes(small) || !(hasFlag(rootOf(command), small) || isOfOthers(small));
  const guess = known.length === 0 && isSlip ? alike(small, ours) : undefined;
  const theirs = (own: string) => taughtOf(own).filter((each) => /^-[^=]+$/.test(each) && isSlip);
  const taught = guess ?? alike(small, theirs(scopeOf(command))) ?? alike(small, theirs(''));
  const file = fileOf(place, small, value);
  const likely =
    guess === undefined
      ? meant(taught ?? '').filter((each) => typeof each !== 'string')
      : [{ route: [], rest: [guess] }];
  const format = formatsOf(place, small, value);
  // The beginning of another's word is that word where nothing is changed by it.
  const isWord = guess !== undefined || reads(command) || small.length > (taught?.length ?? 0) - 3;
  const nearest = isWord ? likely.filter((each) => reads(command) || isHarmless(each)) : [];
  const first = known.length > 0 || format.length > 0 ? known : nearest;
  const isKnown = [pair, first, format].some((each) => each.length > 0);
  const others = isKnown ? first : partsOf(place, small, value);
  const whole = (file.length > 0 ? file : others).filter(
    (each) => typeof each === 'string' || isWhole(each, place, value, known.length > 0),
  );
  const choice = alike(value?.toLowerCase() ?? '', optionOf(command, name)?.argChoices ?? []);
  const isOurs = name.startsWith('--') && small !== name && optionOf(command, small) !== undefined;
  return [
    ...(isOurs ? [words.with(at, small)] : []),
    ...withoutTruth(place),
    ...pair.map((meaning) => inPlace(place, meaning, 2)),
    ...(choice === undefined ? [] : [words.with(at + 1, choice)]),
    ...format.map(([meaning, replaced]) => inPlace(place, meaning, replaced)),
    ...whole.map((meaning) => inPlace(place, meaning)),
  ];
}

/** A slip or a guess, unlike a word of others, leads to nothing that asks, keeps or hides less. */
function isHarmless(meaning: Line | Hint): boolean {
  const isMore = /^--(?:yes|prune|overwrite|recreate|drafts|replace|on-drift)$/;
  return typeof meaning === 'string' || !meaning.rest.some((word) => isMore.test(word));
}

/** `--ndjson`, `--as csv`: a format is one under whatever flag. */
function formatsOf(
  { command, given }: LinePosition,
  flag: string,
  value: string | undefined,
): readonly (readonly [Line | Hint, number])[] {
  const choices = optionOf(command, '--format')?.argChoices ?? [];
  const ofName = (name: string, isUs: boolean) =>
    choices.includes(name)
      ? [{ route: [], rest: ['--format', name] }]
      : isUs
        ? meaningsOf(command, `--format=${name}`)
        : [];
  const isText = meaningsOf(command, flag).length > 0 && !reads(command);
  const isOurs = optionOf(command, flag) !== undefined || isText;
  const named =
    flag.startsWith('--') && !isOurs && given === undefined ? ofName(flag.slice(2), true) : [];
  const valued =
    value === undefined || flag === '--format' ? [] : ofName(value.toLowerCase(), false);
  return [...named.map((each) => [each, 1] as const), ...valued.map((each) => [each, 2] as const)];
}

/**
 * `--max-items 2`, `--category-name x`: one part of a long name says what is meant, unless another denies it. Where something is
 * changed it may be a condition, or of something else: `--old-title`, `--seo-title`.
 */
function partsOf(
  { command }: LinePosition,
  flag: string,
  value: string | undefined,
): readonly (Line | Hint)[] {
  const parts = flag.slice(2).split('-');
  const [first = '', ...rest] = parts;
  const denied = /^(?:no|non|not|without|skip|exclude|ignore|keep|disable|un|from)$/;
  if (!flag.startsWith('--') || rest.length === 0 || parts.some((part) => denied.test(part)))
    return [];
  const isName = reads(command) || namespaces.test(flag);
  const found = [first, ...rest.toReversed()].flatMap((part) => {
    const name = `--${part}`;
    if (!isName) return meaningsOf(command, name).filter((each) => typeof each === 'string');
    if (optionOf(command, name) !== undefined) return [{ route: [], rest: [name] }];
    const pair = value === undefined ? [] : meaningsOf(command, `${name}=${value}`);
    return [...pair.filter((each) => typeof each === 'string'), ...meaningsOf(command, name)];
  });
  return found.filter((each) => isHarmless(each) && isGuessable(each));
}

/** A flag of one of a group's commands, or its name: `config --show-origin`, `articles --list`. */
export function ofCommandBeneath({ command, words, path, at }: LinePosition): readonly Words[] {
  const flag = words[at] ?? '';
  if (!flag.startsWith('--') || command.commands.length === 0 || optionOf(command, flag)) return [];
  const isRoot = command.parent === null;
  const articles = isRoot ? findCommand(command, 'articles') : undefined;
  const all = [...command.commands, ...(articles?.commands ?? [])];
  const begin = (path.at(-1) ?? -1) + 1;
  const named = all.filter((each) => each.name() === flag.slice(2));
  const having = all.filter(({ options }) => options.some(({ long }) => long === flag));
  const route = (each: Command) => (isRoot ? scopeOf(each).split(' ') : [each.name()]);
  return [
    ...named.map((each) => words.toSpliced(at, 1, ...route(each))),
    ...having.map((each) => words.toSpliced(begin, 0, ...route(each))),
  ];
}

/** `--reverse=true` is `--reverse`; behind `--json=` may stand names. */
function withoutTruth({ command, words, at, given }: LinePosition): readonly (Words | Hint)[] {
  const flag = words[at] ?? '';
  if (optionOf(command, flag)?.required !== false || given === undefined) return [];
  const line = words.toSpliced(at + 1, 1);
  // kubectl has `--dry-run=client`.
  if (/^(?:true|yes|on|1|client|server)$/i.test(given)) return [line];
  const isOff = /=(?:false|no|off|0)$|^(?:-y|--yes)=$/i.test(`${flag}=${given}`);
  if (isOff) return [words.toSpliced(at, 2)];
  if (flag === '--json') return given === '' ? [line] : [];
  return [`The flag ${flag} takes no value: write \`${lineOf(line)}\`, or leave it out.`];
}

/** The flag is one of the command, its value is there, and none is dropped. */
function isWhole(
  { route, rest }: Line,
  { command, words, at, given }: LinePosition,
  value: string | undefined,
  isKnownWord: boolean,
): boolean {
  const flag = rest.findLast(isFlag) ?? '';
  // `-vvv` is -v three times.
  const option = optionOf(calledIn(command, route), flag.replace(/^(-(\w))\2+$/, '$1'));
  const isOther = route.length > 0 || flag === '';
  const takes = flag !== '' && flag === rest.at(-1) && option?.required === true;
  const isKnown = isOther || option !== undefined || /^--(?:help|version)$/.test(flag);
  // At the end of a line its value may be lacking.
  const isLast = isKnownWord && at === words.length - 1 && words[at]?.startsWith('--') === true;
  if (takes) return isKnown && (value !== undefined || isLast);
  return isKnown && given === undefined && !leavesOne(words, at, command, { route, rest });
}

/** The line with a meaning in the place of what was typed. */
export function inPlace(
  { words, path, at }: LinePosition,
  meaning: Line | Hint,
  replaced = 1,
): Words | Hint {
  if (typeof meaning === 'string') return meaning;
  const { route, rest } = meaning;
  return words.flatMap((word, index) => {
    const begin = index === (path[0] ?? 0) ? route : [];
    if (index === at) return [...begin, ...rest];
    const isGone = index > at && index < at + replaced;
    return isGone || (route.length > 0 && path.includes(index)) ? begin : [...begin, word];
  });
}

/** A file that is sent to stdin is the content of an article that has no other. */
export async function withInput(
  line: Words,
  { program, rehearse, hasFile }: Rehearsal,
): Promise<Words> {
  const command = scopeOf(await commandOf(program, line));
  if (command === 'articles import' && line.at(-1) === 'import' && (await hasFile()))
    return [...line, '-'];
  const isGiven = line.some((word) => /^--(?:(?:clear-)?content|from-file|editor)/.test(word));
  if (!/^articles (?:create|update)$/.test(command) || isGiven || !(await hasFile())) return line;
  const whole = [...line, '--content-file', '-'];
  return (await rehearse(whole)) === undefined ? whole : line;
}

/** A slip leads from a word of others to no command that changes something or logs in. */
export function isGuessable(meaning: Line | Hint): boolean {
  if (typeof meaning === 'string') return true;
  const changes =
    /^(?:log\w+|create|update|edit|delete|import|apply|undo|prune|un?lock|add|set|unset|use|remove|revoke|init|compact|repair|upgrade|copy|resume|edit-blog|add-blog|export|pull)$/;
  return ![...meaning.route, ...meaning.rest].some((word) => changes.test(word));
}

/** Flags alone are answered with the help, which was not asked for. */
export function asksNothing(line: Words, program: Command): boolean {
  const isAsked = line.some((word) => /^(?:--(?:help|version)|-h)$/.test(word));
  return !isAsked && operandsOf(line, program)[1].length === 0;
}
