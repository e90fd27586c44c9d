import type { Command } from 'commander';
import type { Hint } from '../../errors.ts';
import { ownName } from '../../terminal/view.ts';
import { curlyQuoted } from '../arguments.ts';
import { ofArticles } from './article-habits.ts';
import { ofOthers } from './known-habits.ts';
import { commandOf, optionOf, scopeOf } from '../lazy-command.ts';
import { flags, pairsOfWords, verbs } from './named-commands.ts';
import { noCounterpart } from './no-counterpart.ts';
import { isHint, isValue, withParts } from './rewording.ts';
import { flagPatterns, type Habits, type Line, type Meant, ofServices } from './synonyms.ts';
import { ofSettings, ofWrites } from './written-lines.ts';

/**
 * As gh takes it: `-L=5` is `-L 5`, and `--json id,title` is `--json --fields id,title` where nothing else can be meant by the names: the
 * command takes no arguments, or articles alone; `-q` is then `--jq`.
 */
export async function asMeant(
  typed: readonly string[],
  program: Command,
): Promise<readonly string[]> {
  const words = await withValues(typed, program);
  const at = words.findIndex((word, index) => word === '--json' && isNames(words[index + 1]));
  const fields = words[at + 1];
  if (at === -1 || fields === undefined) return words;
  const others = words.toSpliced(at + 1, 1);
  const command = await commandOf(program, others);
  const isTaken = (await commandOf(program, words.slice(0, at + 2))) !== command;
  const [argument] = command.registeredArguments;
  const isFree = argument === undefined || argument.name() === 'article';
  if (command.commands.length > 0 || isTaken || !isFree) return words;
  return withFilter(words.toSpliced(at + 1, 1, '--fields', fields));
}

/** The line with the fields of articles, and a file that is a blog, as they are called here: `--fields=ID,post_title`, `--blog db.json`. */
export function withOwnNames(line: readonly string[]): {
  readonly words: readonly string[];
  /** A field that is none was left out. */
  readonly isLess: boolean;
} {
  const words = line.map((word, at) =>
    line[at - 1] === '--blog' ||
    /^(?:config set blog|profile add \S+)$/.test(line.slice(at - 3, at).join(' '))
      ? word.replace(/^[\w./~-]+\.json$/, 'file:$&')
      : word,
  );
  const shown = words.find((word) => Object.hasOwn(fieldsOf, word)) ?? '';
  const known = fieldsOf[shown];
  if (known === undefined) return { words, isLess: false };
  // What these tell of articles has names of its own.
  const isReport = words.some((word) => /^(?:import|delete|links)$/.test(word));
  let isLess = false;
  const kept: string[] = [];
  const asked: string[] = [];
  for (const word of words) {
    const isBehind = /^--fields?$/.test(kept.at(-1) ?? '');
    const [, flag = '', names = ''] = /^(--fields?=)?(.*)$/s.exec(word) ?? [];
    if (!isBehind && flag === '') {
      kept.push(word);
      continue;
    }
    asked.push(...names.split(','));
    const all = [...new Set(names.split(',').map(ownName))];
    const ours = all.filter((name) => isReport || known.includes(name));
    isLess ||= ours.length < all.length;
    if (ours.length > 0) kept.push(flag + ours.join(','));
    else kept.push(...(isBehind ? [] : [flag.slice(0, -1)]), '<names>');
  }
  // A filter asks for the fields by the names that they were given: `-q .body`.
  const renamed = new Map(asked.map((name) => [name, ownName(name)]));
  const asOurs = (filter: string) =>
    filter.replaceAll(/\.(\w+)/g, (all, name: string) => `.${renamed.get(name) ?? all.slice(1)}`);
  const filtered = kept.map((word, at) => (kept[at - 1] === '--jq' ? asOurs(word) : word));
  return { words: filtered, isLess };
}

/** What is shown of articles, and of a blog. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  articles: ['id', 'title', 'content', 'url', 'address', 'updated'],
  blog: ['id', 'title', 'description', 'articles', 'url', 'address'],
};

/** `-L=5` is `-L 5`, as gh has it; to commander its value would be `=5`. */
async function withValues(words: readonly string[], program: Command): Promise<readonly string[]> {
  const command = await commandOf(program, words);
  return words.flatMap((word, at) => {
    const [, flag = '', value = ''] = /^(-[a-zA-Z])=(.*)$/s.exec(word) ?? [];
    const isValued = optionOf(command, flag)?.required === true && !isValue(words, at, command);
    return isValued ? [flag, value] : [word];
  });
}

/** gh's -q behind --json and fields: a filter, where what follows can be nothing else. */
function withFilter(words: readonly string[]): readonly string[] {
  const at = words.findIndex(
    (word, index) => word === '-q' && /^[.[{(]|\w\(|\|/.test(words[index + 1] ?? ''),
  );
  return at === -1 ? words : words.with(at, '--jq');
}

function isNames(word: string | undefined): boolean {
  return word !== undefined && /^[a-z]\w*(?:,[a-z]\w*)*$/i.test(word);
}

/** `--reverse true`: a word that says yes or no to a flag that takes none, as one behind its `=`. */
export async function withAnswers(
  words: readonly string[],
  program: Command,
): Promise<readonly string[]> {
  const command = await commandOf(program, words);
  const isAnswer = (at: number) =>
    /^(?:true|false|yes|no|on|off)$/i.test(words[at] ?? '') &&
    optionOf(command, words[at - 1] ?? '')?.required === false;
  return words.flatMap((word, at) =>
    isAnswer(at) ? [] : [isAnswer(at + 1) ? `${word}=${words[at + 1]}` : word],
  );
}

const dash = /^(?:[‐-―−]{1,2}-?|-[‐-―−])(?=[a-z])/i;

/**
 * What an editor or a page made of a line: long dashes for `--`, curly quotes, in one word or from one to
 * another, and several words in one pair of quotes.
 */
export function retyped(words: readonly string[]): readonly string[] {
  const plain: string[] = [];
  let isOpen = false;
  for (const word of words) {
    const dashed = dash.test(word) ? `--${word.replace(dash, '')}` : word;
    const text = dashed.replace(curlyQuoted, '$1$2');
    const isEnd = isOpen && /[”’]$/.test(text);
    if (isOpen) plain.push(`${plain.pop()} ${isEnd ? text.slice(0, -1) : text}`);
    else plain.push(text);
    if (isEnd) isOpen = false;
    const opened = isOpen || isEnd ? null : /^(-[\w-]+=)?[“‘]([^”’]*)$/.exec(text);
    if (opened === null) continue;
    plain.splice(-1, 1, `${opened[1] ?? ''}${opened[2]}`);
    isOpen = true;
  }
  if (isOpen) return words;
  const parted = asOurFilter(withParts(plain));
  // `blog = x` is `blog x`.
  const said = parted
    .filter((word, at) => word !== '=' || at === 0 || parted[at + 1] === undefined)
    .map((word, at) => (word === '-v' && parted[at - 1] === 'grep' ? '--invert-match' : word));
  const [first = '', ...others] = said;
  return /^[a-z]+ /i.test(first) ? [...first.split(/\s+/), ...others] : said;
}

/** Beside --jq texts come without quotes, and results a line each: what jq is told of that is not --reverse. */
function asOurFilter(words: readonly string[]): readonly string[] {
  const ofJq = /^(?:-r[cM]?|-c?r|--(?:raw|compact|monochrome)-output)$/;
  const isFiltered = words.some((word) => /^--jq(?:=|$)/.test(word));
  return isFiltered ? words.filter((word) => !ofJq.test(word)) : words;
}

function linesIn(habitsOf: Habits): readonly Scoped[] {
  return Object.entries(habitsOf).flatMap(([scope, rows]) =>
    rows.flatMap(([typed, ...meant]) =>
      typeof typed === 'string' || typed instanceof RegExp
        ? [{ scope, typed, meant }]
        : taught(scope, typed),
    ),
  );
}

function taught(scope: string, words: Readonly<Record<string, string>>): readonly Scoped[] {
  return Object.entries(words).map(([ours, theirs]) => ({ scope, typed: theirs, meant: [ours] }));
}

const sentences = Object.entries(noCounterpart).flatMap(([scope, all]) =>
  Object.entries(all).map(([typed, sentence]) => ({ scope, typed, meant: [sentence] })),
);
const depth = ({ scope }: Scoped) =>
  Math.max(...scope.split(', ').map((each) => each.split(' ').length));
const ofAll = sentences.filter(({ scope }) => scope === '');

type Scoped = {
  readonly scope: string;
  readonly typed: string | RegExp;
  readonly meant: readonly Meant[];
};

/** What is said of a word goes before what may be meant by it, and what holds for one command before what holds for all. */
export const habits: readonly Scoped[] = [
  ...sentences
    .filter(({ scope }) => scope !== '')
    .toSorted((one, other) => depth(other) - depth(one)),
  ...Object.entries(verbs).flatMap(([scope, words]) => taught(scope, words)),
  ...linesIn(ofWrites),
  ...linesIn(pairsOfWords),
  ...linesIn(ofArticles),
  ...linesIn(ofOthers),
  ...linesIn(ofSettings),
  ...linesIn(ofServices),
  ...ofAll,
  ...linesIn({ '': flagPatterns }),
  ...flags.map(([ours, theirs]) => ({ scope: '', typed: theirs, meant: [ours] })),
];

/** What the table has of a word or two, or of a flag, alone or with its value behind a `=`; of a flag that the command has nothing that is said for all. */
export function meaningsOf(
  command: Command,
  text: string,
  { ofTwo = false } = {},
): readonly (Line | Hint)[] {
  const own = scopeOf(command);
  return habits.flatMap(({ scope, typed, meant }) => {
    const isOfGroup = text.startsWith('-') && own.startsWith(`${scope} `);
    if (scope !== '' && !scope.split(', ').includes(own) && !isOfGroup) return [];
    if (ofTwo !== (typed instanceof RegExp && typed.source.includes(' '))) return [];
    const match = typeof typed === 'string' ? typed.split(' ').includes(text) : typed.exec(text);
    if (match === false || match === null) return [];
    return meant.flatMap((each) => {
      const [line = '', ...words] = [typeof each === 'string' ? each : each(text)].flat();
      const found = read(line, match === true ? [] : match);
      if (typeof found === 'string') return scope === '' && optionOf(command, text) ? [] : found;
      return { ...found, rest: [...found.rest, ...words] };
    });
  });
}

/** The words and flags that the table has for a command; '' are all. */
export function taughtOf(own: string): readonly string[] {
  return habits.flatMap(({ scope, typed }) =>
    typeof typed === 'string' && scope.split(', ').includes(own) ? typed.split(' ') : [],
  );
}

function read(meant: string, found: readonly string[]): Line | Hint {
  if (isHint(meant)) return meant;
  const all = meant
    .replace(/^\//, '')
    .split(' ')
    .filter((word) => word !== '');
  const end = all.findIndex((word) => /^[-$<]/.test(word));
  const route = meant.startsWith('/') ? all.splice(0, end === -1 ? all.length : end) : [];
  const filled = (word: string) =>
    word.replaceAll(/\$(\d)/g, (_all, group: string) => found[Number(group)] ?? '');
  return { route, rest: all.map(filled) };
}

/** What the first of some spellings means that means anything. */
export function firstOf<Found>(
  spellings: readonly string[],
  meant: (spelling: string) => readonly Found[],
): readonly Found[] {
  return spellings.map(meant).find((each) => each.length > 0) ?? [];
}
