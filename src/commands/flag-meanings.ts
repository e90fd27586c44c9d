import type { Command } from 'commander';
import type { Hint } from '../errors.ts';
import { longFlags, optionOf } from './lazy-command.ts';
import { alike, isFlag, type Line, meaningsOf, taughtOf } from './typed-words.ts';

type Words = readonly string[];

/** Where in a line a flag or a word stands that is asked about. */
export type Place = {
  readonly command: Command;
  readonly words: Words;
  /** Where the command is named. */
  readonly path: readonly number[];
  readonly at: number;
  /** What stood behind the `=` of a flag. */
  readonly given?: string | undefined;
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
  const isTaught = long === undefined && meaningsOf(command, short).length > 0;
  const isShort = optionOf(command, short)?.required === true || isTaught;
  return isShort ? [short, attached] : [name, value];
}

export function flagIn(word = ''): string {
  return word.replace(/=.*/s, '');
}

/** A flag that the command has under another name, or another command has. */
export function forFlag(place: Place): readonly (Words | Hint)[] {
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
  const guess = known.length === 0 ? alike(small, longFlags(command)) : undefined;
  const taught = guess ?? alike(small, taughtOf('').filter(isFlag));
  const guessed = guess === undefined ? meant(taught ?? '') : [{ route: [], rest: [guess] }];
  const others = known.length > 0 ? known : guessed;
  const whole = others.filter((each) => typeof each === 'string' || isWhole(each, place, value));
  const choice = alike(value?.toLowerCase() ?? '', optionOf(command, name)?.argChoices ?? []);
  const isOurs = name.startsWith('--') && small !== name && optionOf(command, small) !== undefined;
  return [
    ...(isOurs ? [words.with(at, small)] : []),
    ...withoutTruth(place),
    ...pair.map((meaning) => inPlace(place, meaning, 2)),
    ...(choice === undefined ? [] : [words.with(at + 1, choice)]),
    ...whole.map((meaning) => inPlace(place, meaning)),
  ];
}

/** `--reverse=true` is `--reverse`. */
function withoutTruth({ command, words, at, given = '' }: Place): readonly Words[] {
  const isSwitch = optionOf(command, words[at] ?? '')?.required === false;
  if (!isSwitch || !/^(?:true|false)$/i.test(given)) return [];
  return [/^true$/i.test(given) ? words.toSpliced(at + 1, 1) : words.toSpliced(at, 2)];
}

/** What the first of some spellings means that means anything. */
function firstOf<Meant>(
  spellings: readonly string[],
  meant: (spelling: string) => readonly Meant[],
): readonly Meant[] {
  return spellings.map(meant).find((each) => each.length > 0) ?? [];
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

/** The line with a meaning in the place of what was typed. */
export function inPlace(
  { words, path, at }: Place,
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
