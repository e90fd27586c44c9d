import { EventEmitter } from 'node:events';
import { type Command, CommanderError } from 'commander';
import type { Hint } from '../errors.ts';
import { flags, formats, isHint, verbs } from './known-habits.ts';
import { findCommand, LazyCommand } from './lazy-command.ts';

/** Where a line is refused: at an option, a command or an argument, and what may have been meant. */
type Refusal = {
  readonly command: Command;
  readonly words: readonly string[];
  readonly at: 'option' | 'command' | 'argument';
  readonly word: string;
  readonly guess?: string | undefined;
};

/** What to do instead: the line that does what was meant, where other tools' words tell it. */
export async function nextStep(
  thrown: CommanderError,
  program: Command,
  words: readonly string[],
): Promise<Hint> {
  const command = await commandOf(program, words);
  const help: Hint = `See \`${nameOf(command)} --help\`.`;
  if (thrown.code === 'commander.missingArgument') return exampleOf(command) ?? help;
  const [, word = ''] = /unknown \w+ '([^=']*)/.exec(thrown.message) ?? [];
  if (secrets.has(word)) return tokenElsewhere(command);
  const [, flag = '', value = ''] =
    /'(--\w+) <\w+>' argument '(.+?)' is invalid/.exec(thrown.message) ?? [];
  if (flag !== '') return forValue(flag, value, words) ?? help;
  const meant = await lineFor(thrown, program, words);
  return meant === undefined ? help : typeof meant === 'string' ? meant : lineHint(meant);
}

function lineHint(words: readonly string[]): Hint {
  return `Run \`${['blogctl', ...words].map(quoted).join(' ')}\`.`;
}

/** The line for what was meant, a sentence, or nothing: what is said to run is taken. */
async function lineFor(
  thrown: CommanderError,
  program: Command,
  words: readonly string[],
): Promise<readonly string[] | Hint | undefined> {
  const guess = typingError(thrown.message);
  let line = words;
  for (let round = 0; round < 6; round += 1) {
    const refusal = await refusalOf(program, line).catch(asCommanders);
    if (refusal instanceof CommanderError) return undefined;
    if (refusal === undefined) return round === 0 ? undefined : line;
    const meant = meantBy({ ...refusal, guess: round === 0 ? guess : undefined });
    if (meant === undefined || typeof meant === 'string') return meant;
    line = await withJsonFields(meant, program);
  }
  return undefined;
}

/** What a value of a line is refused for. */
function asCommanders(error: unknown): CommanderError {
  if (error instanceof CommanderError) return error;
  throw error;
}

/** Commander also finds words that have little in common: the first letter is seldom mistyped. */
function typingError(message: string): string | undefined {
  const [, wrong = '', guess = ''] =
    /unknown \w+ '-*(\w[^=']*).*\n\(Did you mean (?:one of )?(-*\w[\w-]*)/s.exec(message) ?? [];
  const bare = guess.replace(/^-+/, '');
  if (bare === '' || bare[0] !== wrong[0]) return undefined;
  return Math.abs(bare.length - wrong.length) < 2 ? guess : undefined;
}

/** What commander would refuse of a line; what options would say of their values is left out. */
async function refusalOf(program: Command, words: readonly string[]): Promise<Refusal | undefined> {
  let command = program;
  const operands: string[] = [];
  let rest = [...words];
  for (;;) {
    if (command instanceof LazyCommand) await command.defineNow();
    const parsed = command.parseOptions(rest);
    operands.push(...parsed.operands);
    rest = parsed.unknown;
    const next = findCommand(command, operands[0] ?? '');
    if (next === undefined) break;
    command = next;
    operands.shift();
  }
  const [first = ''] = operands;
  const found = (at: Refusal['at'], word: string) => ({ command, words, at, word });
  if (command.commands.length > 0 && first !== '') return found('command', first);
  const [flag] = rest;
  if (flag?.startsWith('-') === true) return found('option', flag);
  const all = [...operands, ...rest];
  const { registeredArguments: taken } = command;
  const extra = taken.at(-1)?.variadic === true ? undefined : all[taken.length];
  return extra === undefined ? undefined : found('argument', extra);
}

function meantBy(refusal: Refusal): readonly string[] | Hint | undefined {
  if (refusal.at === 'option') return forOption(refusal);
  return refusal.at === 'command' ? forWord(refusal) : forArgument(refusal);
}

/**
 * `--json id,title` is `--json --fields id,title` where nothing else can be meant by the names: the
 * command takes no arguments, or articles alone; `-q` is then `--jq`.
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
  return withFilter(words.toSpliced(at + 1, 1, '--fields', fields));
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

function forWord(refusal: Refusal): readonly string[] | Hint | undefined {
  const { command, word, words, guess } = refusal;
  const isRoot = command.parent === null;
  const group = isRoot ? '' : command.name();
  const meant = verbs[group]?.[word] ?? guess;
  if (meant !== undefined) return put(refusal, meant);
  if (group === 'sync') return put(refusal, `plan ${word}`);
  if (group === 'config') return put(refusal, `${words.at(-1) === word ? 'get' : 'set'} ${word}`);
  if (!isRoot) return undefined;
  if (word.endsWith('.json')) return put(refusal, `serve ${word}`);
  return /[\\/]|\.\w+$/.test(word)
    ? inPlaceOf(word, ['articles', 'import', word], words)
    : undefined;
}

/** A line of the table in the place of the word, a sentence as it is. */
function put({ word, words }: Refusal, meant: string): readonly string[] | Hint {
  if (isHint(meant)) return meant;
  const at = words.indexOf(word);
  if (!meant.startsWith('/')) return inPlaceOf(word, meant.split(' '), words);
  return [...meant.slice(1).split(' '), ...words.slice(at + 1)];
}

const secrets = new Set(['--token', '--user', '-u']);

/** Whoever looks at the processes of a machine reads the command lines. */
function tokenElsewhere(command: Command): Hint {
  return `A command line is no place for a token: give BLOGCTL_TOKEN=… ${nameOf(command)} …, or --token-file <file>.`;
}

/** A flag in the words of the command, where it has it under another name. */
function forOption({ command, word, words, guess }: Refusal): readonly string[] | Hint | undefined {
  const [name = '', ...value] = word.split('=');
  const known = flags[`${nameOf(command)} ${name}`.replace('blogctl ', '')] ?? flags[name];
  const isMeant = (each: string) => isHint(each) || knows(command, each.split(' ')[0] ?? '');
  const meant = known?.find(isMeant) ?? guess;
  if (meant === undefined || isHint(meant)) return meant;
  const [flag = '', ...more] = meant.split(' ');
  return inPlaceOf(word, [[flag, ...value].join('='), ...more], words);
}

function knows(command: Command, flag: string): boolean {
  const isOne = command.options.some(({ long, short }) => flag === long || flag === short);
  return isOne || (command.parent !== null && knows(command.parent, flag));
}

function forValue(flag: string, value: string, words: readonly string[]): Hint | undefined {
  if (flag === '--format' && value === 'count') return lineHint(['blog', '--field', 'articles']);
  const [, sort] = /^-(\w+)$/.exec(value) ?? [];
  if (flag === '--sort' && sort !== undefined)
    return lineHint(inPlaceOf(value, [sort, '--reverse'], words));
  const format = flag === '--format' ? formats[value] : undefined;
  return format === undefined ? undefined : lineHint(inPlaceOf(value, [format], words));
}

/** One word too many. */
function forArgument(refusal: Refusal): readonly string[] | Hint | undefined {
  const { command, word, words } = refusal;
  const known = verbs[command.name()]?.[word];
  if (known !== undefined) return put(refusal, known);
  const instead = (...meant: readonly string[]) => inPlaceOf(word, meant, words);
  if (word.startsWith('.') && words.includes('-q')) return inPlaceOf('-q', ['--jq'], words);
  if (words[words.indexOf(word) - 1] === '--json') return instead('--fields', word);
  const name = nameOf(command);
  if (/^(?:https?|file|postgres):/.test(word) && !knows(command, '--store'))
    return instead('--blog', word);
  if (name === 'blogctl articles list') {
    return /^\d+$/.test(word) ? ['articles', 'get', word] : instead('--search', word);
  }
  if (name === 'blogctl articles create' && !/^\d+$/.test(word)) {
    return instead(/\.(?:md|markdown|json|html)$/.test(word) ? '--from-file' : '--title', word);
  }
  if (name === 'blogctl articles update') return instead('--title', word);
  if (name === 'blogctl api') return inPlaceOf(words[1] ?? '', ['-X', words[1] ?? ''], words);
  return knows(command, '--store') ? instead('--store', word) : undefined;
}

/** The first example of its help, about no article in particular: it may be run as it stands. */
function exampleOf(command: Command): Hint | undefined {
  const parts: string[] = [];
  // Commander keeps what stands behind a help as listeners.
  const helps: unknown = command;
  if (!(helps instanceof EventEmitter)) return undefined;
  helps.emit('afterHelp', { write: (text: string) => parts.push(text), command, error: false });
  const help = parts.join('').replaceAll(/ \d+\b/g, ' <id>');
  const [, example] = /\n {2}(blogctl .*)/.exec(help) ?? [];
  return example === undefined ? undefined : `Run, for example, \`${example}\`.`;
}

function inPlaceOf(
  word: string,
  meant: readonly string[],
  words: readonly string[],
): readonly string[] {
  return words.toSpliced(words.indexOf(word), 1, ...meant);
}

/** As a shell reads it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
