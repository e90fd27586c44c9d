import type { Command, CommanderError } from 'commander';
import type { Hint } from '../errors.ts';
import { findCommand, LazyCommand } from './lazy-command.ts';

/** A line that was refused: the command it reached, and its words after `blogctl`. */
type Refused = { readonly command: Command; readonly words: readonly string[] };

/** What to do instead: the line that does what was meant, where other tools' words tell it. */
export async function nextStep(
  thrown: CommanderError,
  program: Command,
  words: readonly string[],
): Promise<Hint> {
  const command = await commandOf(program, words);
  const [, guess] = /\n\(Did you mean (?:one of )?([\w-]+)/.exec(thrown.message) ?? [];
  const [, word = ''] = /unknown \w+ '([^=']*)/.exec(thrown.message) ?? [];
  if (thrown.message.includes("--format <format>' argument 'count'")) return countOfArticles;
  if (secrets.has(word)) return tokenElsewhere(command);
  const meant =
    thrown.code === 'commander.unknownOption'
      ? forOption({ command, words }, word, guess)
      : thrown.code === 'commander.unknownCommand'
        ? forWord({ command, words }, word, guess)
        : forArgument({ command, words }, thrown.code);
  if (meant === undefined) return `See \`${nameOf(command)} --help\`.`;
  const target = await commandOf(program, meant);
  const line = meant.flatMap((each) => flagOf(target, each)).map(quoted);
  return `Run \`${['blogctl', ...line].join(' ')}\`.`;
}

/**
 * `--json id,title` is `--json --fields id,title` where nothing else can be meant by the names: the
 * command takes no arguments, or articles alone.
 */
export async function withJsonFields(
  words: readonly string[],
  program: Command,
): Promise<readonly string[]> {
  const at = words.findIndex((word, index) => word === '--json' && isNames(words[index + 1]));
  const fields = words[at + 1];
  if (at === -1 || fields === undefined) return words;
  const others = words.toSpliced(at + 1, 1);
  const command = await commandOf(program, others);
  const isTaken = (await commandOf(program, words.slice(0, at + 2))) !== command;
  const [argument] = command.registeredArguments;
  const isFree = argument === undefined || argument.name() === 'article';
  if (command.commands.length > 0 || isTaken || !isFree) return words;
  return words.toSpliced(at + 1, 1, '--fields', fields);
}

function isNames(word: string | undefined): boolean {
  return word !== undefined && /^[a-z]\w*(?:,[a-z]\w*)*$/i.test(word);
}

/** The command that the words name, defined. */
async function commandOf(program: Command, words: readonly string[]): Promise<Command> {
  let command = program;
  for (const word of words) {
    if (command instanceof LazyCommand) await command.defineNow();
    command = findCommand(command, word) ?? command;
  }
  if (command instanceof LazyCommand) await command.defineNow();
  return command;
}

function nameOf(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`;
}

/** What gh, wp-cli, json-server and git call it. Beneath a group: its words; '' is blogctl itself. */
const verbs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': {
    ...Object.fromEntries(
      ['list', 'get', 'create', 'update', 'edit', 'delete', 'import', 'export'].map((verb) => [
        verb,
        `articles ${verb}`,
      ]),
    ),
    ls: 'articles list',
    view: 'articles get',
    show: 'articles get',
    new: 'articles create',
    rm: 'articles delete',
    article: 'articles',
    post: 'articles',
    posts: 'articles',
    issue: 'articles',
    search: 'articles list --search',
    login: 'auth login',
    logout: 'auth logout',
    whoami: 'auth status',
    status: 'auth status',
    use: 'profile use',
    profiles: 'profile',
    tokens: 'token',
    run: 'runs',
    undo: 'runs undo',
    plan: 'sync plan',
    diff: 'sync plan',
    apply: 'sync apply',
    push: 'sync apply',
    pull: 'sync pull',
    init: 'store init',
    check: 'store check',
    doctor: 'store check',
    repair: 'store repair',
    start: 'serve',
    server: 'serve',
    dev: 'serve',
    db: 'store',
    option: 'config',
    version: '--version',
  },
  articles: {
    show: 'get',
    cat: 'get',
    read: 'get',
    add: 'create',
    post: 'create',
    write: 'create --editor',
    change: 'update',
    set: 'update',
    remove: 'delete',
    del: 'delete',
    search: 'list --search',
    find: 'list --search',
  },
  auth: { switch: 'login', whoami: 'status', show: 'status', add: 'login' },
  profile: { create: 'add', delete: 'remove', switch: 'use', get: 'show' },
  config: { remove: 'unset', delete: 'unset', show: 'list' },
  sync: { push: 'apply', diff: 'plan', status: 'plan', run: 'apply' },
  runs: { get: 'show', revert: 'undo', delete: 'prune', rollback: 'undo' },
  store: { create: 'init', new: 'init', verify: 'check', fsck: 'check', vacuum: 'compact' },
  token: { add: 'create', delete: 'revoke', remove: 'revoke' },
};

function forWord(refused: Refused, word: string, guess: string | undefined) {
  const isRoot = refused.command.parent === null;
  const meant = verbs[isRoot ? '' : refused.command.name()]?.[word] ?? guess;
  if (meant !== undefined) return inPlaceOf(word, meant.split(' '), refused);
  if (!isRoot) return undefined;
  if (word.endsWith('.json')) return inPlaceOf(word, ['serve', word], refused);
  return /[\\/]|\.\w+$/.test(word)
    ? inPlaceOf(word, ['articles', 'import', word], refused)
    : undefined;
}

/** Flags of other tools, and ours for the same. */
const flags: Readonly<Record<string, string>> = {
  '-R': '--blog',
  '--repo': '--blog',
  '--url': '--blog',
  '--path': '--blog',
  '-b': '--content',
  '--body': '--content',
  '--post_content': '--content',
  '-t': '--title',
  '--post_title': '--title',
  '--body-file': '--content-file',
  '--file': '--from-file',
  '--per-page': '--limit',
  '--per_page': '--limit',
  '--posts_per_page': '--limit',
  '-n': '--limit',
  '--max': '--limit',
  '--paged': '--page',
  '--orderby': '--sort',
  '--order-by': '--sort',
  '--desc': '--reverse',
  '-j': '--json',
  '--csv': '--format csv',
  '--ids': '--format ids',
  '--porcelain': '--format ids',
  '--out': '--output',
  '--silent': '--quiet',
  '--force': '--yes',
  '-f': '-F',
  '--raw-field': '-F',
  '--request': '--method',
  '--db': '--store',
  '--ro': '--read-only',
  '-d': '--delay',
  '-w': '--watch',
};

const secrets = new Set(['--token', '--user', '-u']);

/** Whoever looks at the processes of a machine reads the command lines. */
function tokenElsewhere(command: Command): Hint {
  return `A command line is no place for a token: give BLOGCTL_TOKEN=… ${nameOf(command)} …, or --token-file <file>.`;
}

function forOption(refused: Refused, flag: string, guess: string | undefined) {
  if (flagOf(refused.command, flag)[0] !== flag) return refused.words;
  const word = refused.words.find((each) => each.split('=')[0] === flag) ?? flag;
  return guess === undefined ? undefined : inPlaceOf(word, [word.replace(flag, guess)], refused);
}

/** A flag in the words of the command, where it has it under another name. */
function flagOf(command: Command, word: string): readonly string[] {
  const [name = '', ...value] = word.split('=');
  const [flag = '', ...more] = flags[name]?.split(' ') ?? [];
  if (knows(command, name) || !knows(command, flag)) return [word];
  return [[flag, ...value].join('='), ...more];
}

function knows(command: Command, flag: string): boolean {
  const isOne = command.options.some(({ long, short }) => flag === long || flag === short);
  return isOne || (command.parent !== null && knows(command.parent, flag));
}

const countOfArticles: Hint = 'Run `blogctl blog --field articles`.';

/** One word too many. */
function forArgument(refused: Refused, code: string): readonly string[] | undefined {
  const { command, words } = refused;
  if (code !== 'commander.excessArguments') return undefined;
  const word = command.args[command.registeredArguments.length] ?? '';
  if (word.startsWith('.') && words.includes('-q')) return inPlaceOf('-q', ['--jq'], refused);
  const name = nameOf(command);
  if (name === 'blogctl articles list') {
    return /^\d+$/.test(word)
      ? ['articles', 'get', ...words.filter((each) => each === word)]
      : inPlaceOf(word, ['--search', word], refused);
  }
  if (name === 'blogctl articles create') {
    const flag = /\.(?:md|markdown|json|html)$/.test(word) ? '--from-file' : '--title';
    return inPlaceOf(word, [flag, word], refused);
  }
  return knows(command, '--store') ? inPlaceOf(word, ['--store', word], refused) : undefined;
}

function inPlaceOf(word: string, meant: readonly string[], { words }: Refused): readonly string[] {
  return words.toSpliced(words.indexOf(word), 1, ...meant);
}

/** As a shell reads it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
