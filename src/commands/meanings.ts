import type { Command } from 'commander';
import type { Hint } from '../errors.ts';
import { findCommand, longFlags, optionOf, scopeOf } from './lazy-command.ts';
import { oursFor } from './synonyms.ts';
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
  const likely = guess === undefined ? meant(taught ?? '') : [{ route: [], rest: [guess] }];
  const others = known.length > 0 ? known : likely;
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

/** The tree of all commands, and the line as it was typed. */
export type Told = { readonly program: Command; readonly words: Words };

export type WordPlace = Place & { readonly search: Told };

/** A word that is no command, or one too many, or no value of an argument. */
export function forWord({ at, ...place }: WordPlace): readonly (Words | Hint)[] {
  const { command, words, search } = place;
  const word = words[at] ?? '';
  const pair = isFlag(words[at - 1]) ? meaningsOf(command, `${words[at - 1]}=${word}`) : [];
  const both = [at - 1, at].flatMap((first) => {
    const [one, other] = words.slice(first, first + 2);
    if (one === undefined || other === undefined || isFlag(one) || isFlag(other)) return [];
    const meant = meaningsOf(command, `${one} ${other}`, { ofTwo: true });
    return meant.map((meaning) => inPlace({ ...place, at: first }, meaning, 2));
  });
  const known = meaningsOf(command, word).filter((each) => isOfGroup(each, command));
  const articles = command.parent === null ? findCommand(search.program, 'articles') : undefined;
  const isTaught =
    known.length === 0 && articles !== undefined && taughtOf('articles').includes(word);
  const meant = known.map((meaning) => inPlace({ ...place, at }, meaning));
  const text = joined(at, place);
  return [
    ...pair.map((meaning) => inPlace({ ...place, at: at - 1 }, meaning, 2)),
    ...both,
    ...withDashes(place, at),
    ...(typeof known[0] === 'string' || text.isList
      ? [...text.lines, ...meant]
      : [...meant, ...text.lines]),
    ...(isTaught ? [words.toSpliced(at, 1, 'articles', word)] : []),
    ...(known.length > 0 || isTaught ? [] : guessed(word, articles, { ...place, at })),
  ];
}

/** What is said of several groups is a command of some of them. */
function isOfGroup(meaning: Line | Hint, group: Command): boolean {
  if (typeof meaning === 'string' || group.commands.length === 0) return true;
  const [first = '--help'] = meaning.rest;
  return (
    meaning.route.length > 0 ||
    (group.parent === null && first.startsWith('--')) ||
    findCommand(group, first) !== undefined
  );
}

/** One slip of the finger away from a command, a word of the table or a choice. */
function guessed(word: string, articles: Command | undefined, place: WordPlace): readonly Words[] {
  const { command, words, at } = place;
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const groups = [command, articles].filter((each) => each !== undefined);
  if (oursFor(word).length > 1) return [];
  const small = word.toLowerCase();
  const guess =
    alike(small, [...groups.flatMap(namesIn), ...choices]) ??
    alike(small, groups.map(scopeOf).flatMap(taughtOf));
  return guess === undefined ? [] : [words.with(at, guess)];
}

/** `limit 3` and `limit=3`: a flag without its dashes. */
function withDashes(
  { command, words }: Pick<Place, 'command' | 'words'>,
  at: number,
): readonly Words[] {
  const [, name = '', value] = /^([a-z][a-z-]+)(?:[=:](.*))?$/is.exec(words[at] ?? '') ?? [];
  if (command.commands.length > 0 || optionOf(command, `--${name}`)?.required !== true) return [];
  if (value !== undefined) return [words.toSpliced(at, 1, `--${name}`, value)];
  return words[at + 1] === undefined || isFlag(words[at + 1]) ? [] : [words.with(at, `--${name}`)];
}

/** The rest of a text that was typed without quotes, or of names with blanks between them. */
function joined(
  at: number,
  { command, words, search }: Omit<WordPlace, 'at'>,
): { readonly lines: readonly Words[]; readonly isList: boolean } {
  const [flag = '', before = '', word = ''] = words.slice(Math.max(0, at - 2), at + 1);
  const name = isFlag(before) ? flagIn(before) : flag;
  const { flags = '' } = optionOf(command, name) ?? {};
  const isText = /<(?:words|text|duration|days)>/.test(flags);
  const isList = /<(?:names|numbers|rights|list)>/.test(flags);
  const isTyped = search.words.some((each) => each === name || each.startsWith(`${name}=`));
  const isOfOne = isTyped || (/list|update/.test(command.name()) && !/\s/.test(before + word));
  if (!(isText || isList) || !isOfOne || word === '-') return { lines: [], isList: false };
  return {
    lines: [
      words.toSpliced(
        at - 1,
        2,
        isList ? `${before.replace(/,$/, '')},${word}` : `${before} ${word}`,
      ),
    ],
    isList,
  };
}

function namesIn(group: Command): readonly string[] {
  return group.commands.flatMap((each) => [each.name(), ...each.aliases()]);
}
