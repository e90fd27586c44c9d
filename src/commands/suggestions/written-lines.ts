import { existsSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Hint } from '../../errors.ts';
import { inShell } from '../../terminal/text.ts';
import { withPort } from '../arguments.ts';
import { optionOf, scopeOf } from '../lazy-command.ts';
import { beginsAs, statsOf, toBackUp, toServe, withSeed } from '../open-file.ts';
import {
  isFlag,
  isFolder,
  isHint,
  isPlaceholder,
  operandsOf,
  reads,
  type Words,
} from './rewording.ts';
import * as said from './no-counterpart.ts';
import { placed } from './own-names.ts';
import { type Habits, type Line, ofPosts } from './synonyms.ts';

/** Where in a line a flag or a word stands that is asked about. */
export type LinePosition = {
  readonly command: Command;
  readonly words: Words;
  /** Where the command is named. */
  readonly path: readonly number[];
  readonly at: number;
  /** What stood behind the `=` of a flag. */
  readonly given?: string | undefined;
};

/** What is typed of profiles and settings. */
export const ofSettings: Habits = {
  auth: { 'switch use': '`blogctl profile use <name>` chooses another blog.' },
  'auth token': [[/^(?:create|new|add|generate|list|ls|revoke|rm|delete)$/, '/token $0']],
  'auth status, auth logout, auth token': [[/^[a-z][\w-]*$/i, '--profile $0', said.noProfile]],
  profile: [['set', 'add', 'use']],
  'profile add': [
    [/^((?:https?|file):\S+) ([\w-]+)$/, '$2 $1'],
    [/^([\w-]+)=((?:https?|file):.+|.+\.json)$/, '$1 $2'],
    [/^(?:https?|file):.+$/, '<name> $0'],
    [/^--(?:url|store|file|address)=(.+)$/, '--blog $1'],
    [/^--blog=(.+)$/, '$1'],
  ],
  'profile use': [
    [
      '--user -u',
      'There are no users: `blogctl profile use <name>` chooses another blog, and with it its token.',
    ],
    ['--global --local', ''],
    [/^(?:file:)?(.+\.json)$/, '/config set blog file:$1'],
  ],
  config: [
    [/^(timeout|max-wait) (\d+)$/, 'set $1 $2s'],
    [/^(timeout|max-wait|retries|profile|blog) (?!-)(.+)$/, 'set $1 $2'],
    [/^(timeout|max-wait)=(\d+)$/, 'set $1 $2s'],
    [/^(\w[\w-]*)=(.+)$/s, 'set $1 $2'],
    [/^(?:\w*url|host|server|site) ((?:https?|file):\S+)$/, 'set blog $1'],
    [/^\w[\w-]*$/, 'get $0', 'set $0'],
  ],
  'config set, config get, config': [
    [/^user\.\w+$/, said.noUsers],
    ['url blog_url blog-url default_blog default-blog', 'blog'],
    [/^(?:host|server|site) ((?:https?|file):.+)$/, 'blog $1'],
    [/^(?:core\.)?(?:editor|pager|browser)$/, said.ofTools],
  ],
  'config get': [
    [/^(?:blog|profile|timeout|retries|max-wait) [a-z-]+$/, '/config list'],
    ['host site', 'blog'],
    ['blogname', '/blog --field title'],
    ['siteurl home', '/blog'],
    ['blogdescription', '/blog --field description'],
  ],
  'config set': [
    ['prompt', 'Nothing is asked with --no-input.'],
    ['blogname', '/store edit-blog --title'],
    ['blogdescription', '/store edit-blog --description'],
    [/^(\d+) (?:([shd])|(m)(?=in|$))[a-z]*$/, '$1$2$3', '$1'],
    [/^(\d+) (?:times|tries|retries|attempts|x)$/, '$1'],
    [/^(timeout|max-wait)=(\d+)$/, '$1 $2s'],
    [/^(\w[\w-]*)=(.+)$/s, '$1 $2'],
    [/^file (.+\.json)$/, 'file:$1'],
  ],
};

export const namespaces = /^--(?:post|article|new|blog)-[a-z]+$/;
const ofFiles = /^(?:files?|fil|filename|path|from|source|src)$/;
const ofTexts = /^(?:conten?ts?|body|text|message|markdown|md)$/;
const ofWhole = /^(?:post|article|input|json|html|data|new)$/;

/** `--text-file a.txt` names a file, whose name is never the text itself. */
export function fileOf({ command }: LinePosition, flag: string, value = ''): readonly Line[] {
  const [, verb] = /^articles (create|update|edit)$/.exec(scopeOf(command)) ?? [];
  const parts = flag.slice(2).split('-');
  const isNamed =
    parts.some((part) => ofFiles.test(part)) || (parts.includes('md') && /\.\w+$/.test(value));
  const isKnown = parts.every((part) => [ofFiles, ofTexts, ofWhole].some((all) => all.test(part)));
  if (
    !verb ||
    !isNamed ||
    !isKnown ||
    optionOf(command, flag) !== undefined ||
    /^#?\d+$/.test(value)
  )
    return [];
  const isText = parts.some((part) => ofTexts.test(part)) || /\.txt$/i.test(value);
  const route = verb === 'edit' ? ['articles', 'update'] : [];
  return [{ route, rest: [isText ? '--content-file' : '--from-file'] }];
}

/** Without its flag the value of one would be one more thing that is changed: `delete 3 --confirm 4`. */
export function leavesOne(
  words: Words,
  at: number,
  command: Command,
  { route, rest }: Line,
): boolean {
  const { registeredArguments: all, commands } = command;
  const isTaken = rest.length === 0 || all.length === 0 || all.at(-1)?.variadic === true;
  if (route.length > 0 || reads(command) || commands.length > 0 || !isTaken) return false;
  if (isFlag(words[at + 1] ?? '--')) return false;
  const most = all.filter((each) => each.required || !each.variadic).length;
  const isAnother = (each: number) => each !== at + 1;
  return operandsOf(words, command)[1].filter(isAnother).length >= most;
}

/** `create - < post.json`: without a title on the line all of the article comes from there. */
export function asWhole(line: Words, typed: Words, lacks: string | undefined): Words {
  const isOperand = typed.some((word, at) => word === '-' && !isFlag(typed[at - 1]));
  if (lacks !== '--title <text>' || !isOperand) return line;
  return line.map((word) => (word === '--content-file' ? '--from-file' : word));
}

/** All articles are an answer to a line that means all of them. */
export function asBounded(answer: Hint, words: Words, folder: string): Hint {
  const isOfBackup = answer === said.backup;
  const own = answer === ofPosts ? toServe(words, folder) : isOfBackup && toBackUp(words, folder);
  if (own) return own;
  const others = withPort(words).join('\n').replaceAll(placed, '');
  const isAll = others.split(/\n+/).every((word) => meansAll.test(word));
  const isSome = answer === said.deleteAll && !isAll;
  const isBoth = answer.startsWith('Look first') && /^#?\d+$/m.test(others);
  const text = isBoth ? said.notBoth : isSome ? said.whichOnes : answer;
  const shown = filled(text, words, folder);
  return isHint(shown) ? shown : text;
}

/** The article, the run, the file and the folder that were typed stand in the lines of a sentence, where there is one of each. */
function filled(text: string, words: Words, folder: string): string {
  const one = (all: Words) => (typed: string) => (all.length === 1 ? inShell(all[0] ?? '') : typed);
  const matching = (all: Words, pattern: RegExp) => one(all.filter((word) => pattern.test(word)));
  const free = words.filter((_word, at) => !isFlag(words[at - 1]));
  const folders = words.filter((word) => statsOf(word, folder)?.isDirectory());
  return text
    .replaceAll(/(?<=\barticles \w+ )<id>/g, matching(free, /^[1-9]\d*$/))
    .replaceAll(/(?<=\bruns \w+ )<run>/g, matching(free, /^(?=.*\d)[\da-f]{6,}$/))
    .replaceAll(
      /(?<=\barticles import )<source>/g,
      one(words.filter((word) => statsOf(word, folder))),
    )
    .replaceAll(/(?<=create --from-file )<file>/g, matching(words, /^[\w./-]+\.(?:md|html)$/))
    .replaceAll(/(?<=\bsync \w+ )<folder>/g, one(folders));
}

const meansAll =
  /^$|^(?:articles?|posts?|blogs?|sites?|del(?:ete)?|rm|remove|purge|destroy|drop|empty|clear|wipe|all|every(?:thing)?|the|\*|--all|-[ayfrR]+|--yes|--force)$/i;

/** A file that is there, or is in the folder that is named before it, as it is named where its name begins as a flag does. */
export function dashedFile(word: string, operands: Words, folder: string): string | undefined {
  const places = [folder, ...operands.map((each) => resolve(folder, each))];
  const isThere = word.includes('.') && places.some((place) => existsSync(resolve(place, word)));
  return isThere ? `./${word}` : undefined;
}

/** What is there decides: several articles are imported, posts are tried and a store is exported; a folder that is not there is made by an export. */
export async function forFiles(line: Words, folder: string): Promise<Words> {
  const [, verb, named = '', file = '', ...others] = line;
  if (line.join(' ').startsWith('articles create --from-file '))
    return holdsSeveral(resolve(folder, file)) ? ['articles', 'import', file, ...others] : line;
  const path = resolve(folder, named);
  const isAlone = line.length === 3;
  const name = `${line[0]} ${verb}`;
  if (line[0] === 'serve') return withSeed(line, folder);
  const isInit = name === 'store init' && beginsAs(path, /^\s*[[{]/);
  if (isInit && beginsAs(path)) return ['blog', '--blog', `file:${named}`];
  if (isInit) return ['articles', 'import', named];
  if (isAlone && name === 'articles export' && beginsAs(path))
    return ['articles', 'export', '--blog', `file:${named}`];
  if (isAlone && name === 'store check' && holdsSeveral(path))
    return ['articles', 'import', named, '--dry-run'];
  const isFile = /\.(?:md|markdown|mdx)$/i.test(named) && existsSync(path);
  if (isAlone && isFile && name === 'sync apply')
    return ['sync', 'apply', dirname(named), basename(named)];
  if (isAlone && isFile && /^(?:sync plan|articles export)$/.test(name))
    return verb === 'plan'
      ? ['articles', 'import', named, '--dry-run']
      : ['articles', 'create', '--from-file', named];
  if (isAlone && /^sync (?:plan|apply)$/.test(name) && records.test(named))
    return ['articles', 'import', named, ...(verb === 'plan' ? ['--dry-run'] : [])];
  const isMissing = isAlone && !existsSync(path);
  const isWord = line[0] === 'sync' && isMissing && !isFolder(named, folder);
  if (isWord && /^(?:plan|apply)$/.test(verb ?? '') && /^\w[\w-]*$/.test(named))
    return line.with(2, '<folder>');
  return line[0] === 'sync' && verb === 'pull' && isMissing && !isPlaceholder(named)
    ? ['articles', 'export', named]
    : line;
}

const records = /\.(?:[ct]sv|ndjson|jsonl|xml|zip|gz)$/i;

function holdsSeveral(path: string): boolean {
  if (records.test(path) || statsOf(path)?.isDirectory() === true) return true;
  return beginsAs(path, /^\s*(?:\[|\{\s*"(?:posts|articles|db)"\s*:)/);
}
