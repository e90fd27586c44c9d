import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Hint } from '../../errors.ts';
import { ownName } from '../../terminal/view.ts';
import { curlyQuoted, withScheme } from '../arguments.ts';
import { ofArticles } from './article-habits.ts';
import { ofOthers } from './known-habits.ts';
import { commandOf, optionOf, scopeOf } from '../lazy-command.ts';
import { flags, pairsOfWords, verbs } from './named-commands.ts';
import { ofDoubts, ofHosts } from './doubts.ts';
import { noCounterpart } from './no-counterpart.ts';
import { asAsked, asQueried, asServed } from './own-names.ts';
import { isFlag, isHint, isValue, withParts, type Words } from './rewording.ts';
import { flagPatterns, type Habits, type Line, ofServices } from './synonyms.ts';
import { ofSettings } from './written-lines.ts';

/** As gh takes it: `-L=5` is `-L 5`, and `--json id,title` is `--json --fields id,title` where the command takes no arguments, or articles alone; `-q` is then `--jq`. */
export async function asMeant(typed: Words, program: Command): Promise<Words> {
  const words = await withValues(typed, program);
  const names = /^[a-z]\w*(?:,[a-z]\w*)*$/i;
  const at = words.findIndex(
    (word, index) => word === '--json' && names.test(words[index + 1] ?? ''),
  );
  const fields = words[at + 1];
  if (at === -1 || fields === undefined) return words;
  if (words[at - 1] === '--search') return words.toSpliced(at, 2, fields, '--json');
  const others = words.toSpliced(at + 1, 1);
  const command = await commandOf(program, others);
  const isTaken = (await commandOf(program, words.slice(0, at + 2))) !== command;
  const [argument] = command.registeredArguments;
  const isFree = argument === undefined || argument.name() === 'article';
  if (command.commands.length > 0 || isTaken || !isFree) return words;
  const isFilter = (word = '') => /^[.[{(]|\w\(|\|/.test(word);
  return words
    .toSpliced(at + 1, 1, '--fields', fields)
    .map((word, place, all) => (word === '-q' && isFilter(all[place + 1]) ? '--jq' : word));
}

/** `-L=5` is `-L 5`, as gh has it; to commander its value would be `=5`. */
async function withValues(words: Words, program: Command): Promise<Words> {
  const command = await commandOf(program, words);
  return words.flatMap((word, at) => {
    const [, flag = '', value = ''] = /^(-[a-zA-Z])=(.*)$/s.exec(word) ?? [];
    const isValued = optionOf(command, flag)?.required === true && !isValue(words, at, command);
    return isValued ? [flag, value] : [word];
  });
}

/** `set title of 3 to New words`: the article stands between a text and what it is. */
const ofField =
  /^(?:(?:articles?|posts?) )?(?:set|update|edit|change|rename) (?:the )?(title|content|body|text) (?:(?:of|for) )?#?([1-9]\d*)(?: (?:to|as|=))?(?= )/;

const ofTitle =
  /^(?:(?:articles?|posts?) (?:create|new|add|make)|(?:create|new)(?= [A-Z])|(?:(?:articles?|posts?) )?update #?\d+)(?= )/;
const noTitle =
  /^(?:#?\d+|(?:title|content|body|text|subject|name|drafts?|private|from|with|to|as|into):?)$/;

/** The words behind its value are the rest of that text. */
const takesText = /^-(?:[bcmt]|-[\w-]*(?:title|name|content|body|text|message))(?:=|$)/;

/** `articles create New title`: words without quotes that are no files are a title together. */
export function titled(typed: Words, folder: string): Words {
  const [said, field = '', id = ''] = ofField.exec(typed.join(' ')) ?? [];
  const behind = typed.slice(said?.split(' ').length);
  const end = behind.findIndex((word) => word.startsWith('-'));
  const most = end === -1 ? behind.length : end;
  const text = [`--${ownName(field)}`, behind.slice(0, most).join(' ')];
  const words =
    said === undefined ? typed : ['articles', 'update', id, ...text, ...behind.slice(most)];
  const begin = ofTitle.exec(words.join(' '))?.[0].split(' ').length ?? words.length;
  const isWord = (word: string, at: number) =>
    at >= begin && !word.startsWith('-') && !/^-[^=]*$/.test(words[at - 1] ?? '');
  const first = words.findIndex(isWord);
  const title = words.filter(isWord);
  const isOther = (word: string, at: number) =>
    word !== words[first + at] ||
    /[\s/\\=@{]|\w\.\w/.test(word) ||
    existsSync(resolve(folder, word));
  const isRest = words.slice(Math.max(0, first - 2), first).some((word) => takesText.test(word));
  const isTitle = title.length > 1 && title.length < 31 && !noTitle.test(title[0] ?? '');
  if (!isTitle || isRest || title.some(isOther)) return words;
  return words.toSpliced(first, title.length, title.join(' '));
}

const dash = /^(?:[‐-―−]{1,2}-?|-[‐-―−])(?=[a-z])/i;

/** What an editor or a page made of a line: long dashes for `--`, curly quotes, in one word or from one to another, and several words in one pair of quotes. */
export function retyped(typed: Words): Words {
  const words = asServed(typed);
  const byHand = asQueried(words) ?? asAsked(words);
  if (byHand !== undefined) return byHand;
  const plain: string[] = [];
  let isOpen = false;
  for (const word of words) {
    const dashed = dash.test(word) ? `--${word.replace(dash, '')}` : word;
    const text = withScheme(dashed.replace(curlyQuoted, '$1$2'));
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
function asOurFilter(words: Words): Words {
  const ofJq = /^(?:-r[cM]?|-c?r|--(?:raw|compact|monochrome)-output)$/;
  const isFiltered = words.some((word) => /^--jq(?:=|$)/.test(word));
  return isFiltered ? words.filter((word) => !ofJq.test(word)) : words;
}

type Row = ReturnType<typeof rowsOf>[number];

function rowsOf(table: Habits) {
  return Object.entries(table).flatMap(([scope, habits]) =>
    [habits].flat().flatMap((habit) => {
      const all = Array.isArray(habit) ? [habit] : Object.entries(habit);
      return all.map(([words, ...meant]) => {
        const typed = typeof words === 'string' ? new Set(words.split(' ')) : words;
        return { scopes: scope.split(', '), isOfAll: scope === '', typed, meant };
      });
    }),
  );
}

const depth = ({ scopes }: Row) => Math.max(...scopes.map((each) => each.split(' ').length));

/** What is said of a word goes before what may be meant by it, and what holds for one command before what holds for all. */
const habits: readonly Row[] = [
  ...rowsOf(noCounterpart).toSorted((one, other) => depth(other) - depth(one)),
  ...[ofDoubts, verbs, ofServices, pairsOfWords, ofArticles, ofOthers, ofSettings, ofHosts].flatMap(
    rowsOf,
  ),
  ...[flagPatterns, flags].flatMap((all) => rowsOf({ '': all })),
].toSorted((one, other) => Number(one.isOfAll) - Number(other.isOfAll));

const habitsBy = new Map<string, readonly Row[]>();

/** The rows for one command: they are asked for each word of each line that may be meant. */
function habitsOf(own: string, ofFlags: boolean): readonly Row[] {
  const key = `${own}${ofFlags ? ' -' : ''}`;
  const isOfIt = (name: string) => name === own || (ofFlags && own.startsWith(`${name} `));
  const found =
    habitsBy.get(key) ?? habits.filter(({ scopes, isOfAll }) => isOfAll || scopes.some(isOfIt));
  habitsBy.set(key, found);
  return found;
}

/** What the table has of a word or two, or of a flag, alone or with its value behind a `=`; of a flag that the command has nothing that is said for all. */
export function meaningsOf(
  command: Command,
  text: string,
  { ofTwo = false } = {},
): readonly (Line | Hint)[] {
  return habitsOf(scopeOf(command), text.startsWith('-')).flatMap(({ isOfAll, typed, meant }) => {
    if (ofTwo !== (typed instanceof RegExp && typed.source.includes(' '))) return [];
    const match = typed instanceof RegExp ? typed.exec(text) : typed.has(text) && [];
    if (!match) return [];
    return meant.flatMap((each) => {
      const [line = '', ...words] = [typeof each === 'string' ? each : each(text)].flat();
      const found = read(line, match);
      if (typeof found === 'string') return isOfAll && optionOf(command, text) ? [] : found;
      return { ...found, rest: [...found.rest, ...words] };
    });
  });
}

/** A word or a flag that the table has for some command is a slip for none. */
export function isOfOthers(word: string): boolean {
  return habits.some(({ typed }) => typed instanceof Set && typed.has(word));
}

/** The words and flags that the table has for a command; '' are all. */
export function taughtOf(own: string): Words {
  return habitsOf(own, false).flatMap(({ scopes, typed }) =>
    typed instanceof Set && scopes.includes(own) ? [...typed] : [],
  );
}

function read(meant: string, found: Words): Line | Hint {
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

/** What is missing may stand behind a flag that means just it: `profile add work --blog <url>`. */
export function asArguments(words: Words, command: Command): readonly Words[] {
  return words.flatMap((word, at) => {
    const [, flag = word, given] = /^(-[^=]*)=(.*)$/s.exec(word) ?? [];
    const value = given ?? words[at + 1] ?? '';
    const meant = isFlag(flag) ? meaningsOf(command, `${flag}=${value}`) : [];
    const isIt = meant.some((each) => typeof each !== 'string' && each.rest.join(' ') === value);
    return isIt ? [[...words.toSpliced(at, given === undefined ? 2 : 1), value]] : [];
  });
}
