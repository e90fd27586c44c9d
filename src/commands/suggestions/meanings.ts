import type { Command } from 'commander';
import type { Hint } from '../../errors.ts';
import { inPlace, isGuessable, type Rehearsal } from './flag-meanings.ts';
import { findCommand, optionOf, scopeOf } from '../lazy-command.ts';
import { oursFor } from './named-commands.ts';
import {
  commandsFor,
  flagIn,
  groupLeftOut,
  isFolder,
  linesByName,
  linesOf,
  piecesOf,
  type Spelling,
  isFlag,
  reads,
  type Words,
} from './rewording.ts';
import { alike } from '../../terminal/diff.ts';
import type { Line } from './synonyms.ts';
import { meaningsOf, taughtOf } from './typed-words.ts';
import type { LinePosition } from './written-lines.ts';

/** A line, what stands where in it, and the one that was typed. */
type LinePlace = Omit<LinePosition, 'at'> &
  Spelling & { readonly search: Pick<Rehearsal, 'program' | 'words' | 'folder'> };

type WordPlace = LinePlace & { readonly at: number };

/** Nobody types so many words that are all something else: a shell made them of a `*`. */
const mostMeant = 12;

/** No value of a flag that is not known. */
function isFree({ command, words }: LinePlace, at: number): boolean {
  const before = words[at - 1] ?? '';
  return !/^-[^\d=]+$/.test(before) || optionOf(command, before) !== undefined;
}

/** What the words may mean that a command does not take; one it takes is no reason to refuse a flag. */
export function forOperands(
  place: LinePlace,
  code: string,
  isOfFlag: boolean,
): readonly (Words | Hint)[] {
  const { command, path, operands, search } = place;
  const free = operands.filter((at) => isFree(place, at));
  const isExcess = code === 'commander.excessArguments';
  const { length, [length - 1]: last } = command.registeredArguments;
  const most = isOfFlag && last?.variadic ? free.length : length;
  const taken = isOfFlag || isExcess ? most : 0;
  const others = [...free.slice(taken), ...(isOfFlag ? [] : free.slice(0, taken))];
  const isTop = isExcess && path.length === 1;
  return [
    ...(isTop ? linesByName(place, search.program) : []),
    ...others.slice(0, mostMeant).flatMap((index) => forWord({ ...place, at: index })),
  ];
}

/** What the words behind a group may mean, which name none of its commands. */
export function forGroup(place: LinePlace): readonly (Words | Hint)[] {
  const { command, words, operands, search } = place;
  // What stands behind a flag that is not known may be its value, and names nothing: `list --title Post`.
  const own = operands.filter((at) => at === operands[0] || isFree(place, at));
  const named = linesByName({ ...place, operands: own }, search.program);
  const other = command.parent === null ? nounFirst(place, search.program) : undefined;
  if (other !== undefined) return [...named, other];
  const [at] = operands;
  // `articles 'list --json'`
  const parts = at === undefined ? [] : (words[at] ?? '').split(/ +/);
  const isWhole = parts.length > 1 && findCommand(command, parts[0] ?? '') !== undefined;
  if (isWhole && at !== undefined) return [words.toSpliced(at, 1, ...parts)];
  const isOfFolder =
    scopeOf(command) === 'sync' && at !== undefined && isFolder(words[at], search.folder);
  return [
    ...named,
    ...(isOfFolder ? [words.toSpliced(at, 0, 'plan')] : []),
    ...(at === undefined ? [] : forWord({ ...place, at })),
    ...linesByVerb(place, search.program),
  ];
}

/** A word that is no command, or one too many, or no value of an argument. */
function forWord({ at, ...place }: WordPlace): readonly (Words | Hint)[] {
  const { command, words, search } = place;
  const word = words[at] ?? '';
  const dashed = withDashes(place, at);
  // What the command itself calls so is meant: `title T`.
  if (command.options.some(({ long }) => long === dashed[0]?.[at])) return dashed;
  const pair = isFlag(words[at - 1]) ? meaningsOf(command, `${words[at - 1]}=${word}`) : [];
  const both = [at - 1, at].flatMap((first) => {
    const [one, other] = words.slice(first, first + 2);
    if (one === undefined || other === undefined || isFlag(one) || isFlag(other)) return [];
    const meant = meaningsOf(command, `${one} ${other}`, { ofTwo: true });
    return meant.map((meaning) => inPlace({ ...place, at: first }, meaning, 2));
  });
  // What stands behind a text is a part of it.
  const isRest = words.slice(0, at).some((each) => /^--content(?:=|$)/.test(each));
  const known = meaningsOf(command, word).filter(
    (each) =>
      isOfGroup(each, command) &&
      !(isRest && typeof each !== 'string' && each.rest[0] === '--title'),
  );
  const articles = command.parent === null ? findCommand(search.program, 'articles') : undefined;
  const isTaught =
    known.length === 0 && articles !== undefined && taughtOf('articles').includes(word);
  const meant = known.map((meaning) => inPlace({ ...place, at }, meaning));
  const isFormat = optionOf(command, '--format')?.argChoices?.includes(word) === true;
  const isShown = reads(command) || command.name() === 'export';
  const text = joined(at, place);
  // A pattern may fit any word: a slip is looked for behind it.
  const isSaid = known.some((each) => typeof each === 'string');
  return [
    ...pair.map((meaning) => inPlace({ ...place, at: at - 1 }, meaning, 2)),
    ...both,
    ...dashed,
    ...(isFormat && isShown ? [words.toSpliced(at, 1, '--format', word)] : []),
    ...(typeof known[0] === 'string' || text.isFirst
      ? [...text.lines, ...meant]
      : [...meant, ...text.lines]),
    ...(isTaught ? [words.toSpliced(at, 1, 'articles', word)] : []),
    ...(isSaid || isTaught ? [] : guessed(word, articles, { ...place, at })),
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
  // What begins one of ours is no other word.
  const isKnown = oursFor(word).some((each) => !each.startsWith(word));
  if (isKnown || taughtOf(scopeOf(command)).includes(word)) return [];
  const small = word.toLowerCase();
  // A slip leads from one word of others to another only where it changes nothing and logs in nowhere.
  const safe = groups.flatMap((group) =>
    taughtOf(scopeOf(group)).filter(
      (each) => alike(small, [each]) && meaningsOf(group, each).every(isGuessable),
    ),
  );
  const guess =
    alike(small, [...groups.flatMap(namesIn), ...choices]) ??
    (small.length > 3 ? alike(small, safe) : undefined);
  return guess === undefined ? [] : [words.with(at, guess)];
}

/** `limit 3` and `limit=3`: a flag without its dashes. */
function withDashes(
  { command, words }: Pick<LinePosition, 'command' | 'words'>,
  at: number,
): readonly Words[] {
  if (/^[?_]|&/.test(words[at] ?? '') && reads(command)) {
    // `?_page=2&_limit=3`
    const pairs = [...(words[at] ?? '').matchAll(/[?&_]*([a-z][\w-]*)=([^&]*)/gi)];
    return pairs.length === 0
      ? []
      : [words.toSpliced(at, 1, ...pairs.flatMap(([, name, given = '']) => [`--${name}`, given]))];
  }
  const [, name = '', value] = /^([a-z][a-z-]+)(?:[=:](.*))?$/is.exec(words[at] ?? '') ?? [];
  if (command.commands.length > 0 || optionOf(command, `--${name}`)?.required !== true) return [];
  if (value !== undefined) return [words.toSpliced(at, 1, `--${name}`, value)];
  const next = words[at + 1];
  if (next === undefined || isFlag(next)) return [];
  const isOfFile = /^\S+\.(?:md|html|txt)$/.test(next) && optionOf(command, `--${name}-file`);
  return [words.with(at, isOfFile ? `--${name}-file` : `--${name}`)];
}

/** The rest of a text that was typed without quotes, or of names with blanks between them. */
function joined(
  at: number,
  { command, words, search }: Omit<WordPlace, 'at'>,
): { readonly lines: readonly Words[]; readonly isFirst: boolean } {
  const [flag = '', before = '', word = ''] = words.slice(Math.max(0, at - 2), at + 1);
  const name = isFlag(before) ? flagIn(before) : flag;
  const { flags = '' } = optionOf(command, name) ?? {};
  const isText = /<(?:words|text|duration|days)>/.test(flags);
  const isList = /<(?:names|numbers|rights|list)>/.test(flags);
  // The value of a flag that is gone is no text.
  const end = search.words.findIndex(
    (each, index) =>
      search.words[index + 1] === word &&
      (each.endsWith(`=${before}`) ||
        ` ${before}`
          .replaceAll(',', ' ')
          .trimEnd()
          .endsWith(` ${each.replace(/,$/, '')}`)),
  );
  // As it was typed, which may be another's word for our flag.
  const begin = Math.max(0, end - before.split(' ').length);
  const isTyped = search.words
    .slice(begin, end + 1)
    .some((each) => isFlag(each) || optionOf(command, `--${each}`)?.required);
  // `rename Old New` names no article: neither of them is a part of its title.
  const isNamed = command.name() === 'update' && words.some((each) => /^#?\d+$/.test(each));
  const isOfWord = (isNamed || command.name() === 'list') && !/\s/.test(before + word);
  const isOfOne = isTyped || isOfWord;
  if (!(isText || isList) || !isOfOne || end === -1 || word === '-')
    return { lines: [], isFirst: false };
  const isOther = reads(command) || (name === '--title' && /\s/.test(word));
  const whole = isList
    ? `${before.replace(/,$/, '')},${word}`
    : `${before}${before.endsWith('=') ? '' : ' '}${word}`;
  return { lines: [words.toSpliced(at - 1, 2, whole)], isFirst: isList || (isTyped && !isOther) };
}

function namesIn(group: Command): Words {
  return group.commands.flatMap((each) => [each.name(), ...each.aliases()]);
}

/** A command whose group was left out: one of articles, else of the only group that has it. */
function linesByVerb(spelling: Spelling, program: Command): readonly Words[] {
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
function nounFirst({ words, path, operands }: Spelling, program: Command): Words | undefined {
  const [first = -1, second = -1] = operands;
  const [said = '', named = ''] = [words[first], words[second]];
  const isGroup = (name: string) => (findCommand(program, name)?.commands.length ?? 0) > 0;
  const [own, group] = [said, named].map((word) => oursFor(word).find(isGroup));
  if (own !== undefined && path.length === 0 && taughtOf(own).includes(named))
    return words.with(first, own);
  const isNamed = group !== undefined && group !== 'articles';
  const isVerb = oursFor(said).some((verb) =>
    program.commands.some((each) => findCommand(each, verb)),
  );
  if (path.length > 0 || second !== first + 1 || !isNamed || !isVerb) return undefined;
  return words.with(first, group).with(second, said);
}
