import {
  Command,
  CommanderError,
  type CommandOptions,
  type ErrorOptions,
  type Option,
} from 'commander';
import type { Context } from './context.ts';
import { readDuration, readWholeNumber } from '../settings/values.ts';

/** A line that a command refuses; `code` and `message` are commander's. */
export class RefusedLine extends CommanderError {
  readonly command: Command;

  constructor(command: Command, message: string, { exitCode = 1, code = '' }: ErrorOptions = {}) {
    super(exitCode, code, message);
    this.command = command;
  }
}

/** A line that a command would take, had it these words too. */
export class IncompleteLine extends Error {
  readonly missing: string;

  constructor(missing: string) {
    super(`${missing} is missing.`);
    this.missing = missing;
  }
}

/** A command known by name and summary; its options are defined when it is called or described. */
export class LazyCommand extends Command {
  #define: (() => Promise<void>) | undefined;
  /** What `--fields` can name. */
  fields: readonly string[] | undefined;

  /** `define` runs at most once. */
  defineLater(define: () => Promise<void>): this {
    this.#define = define;
    return this;
  }

  async defineNow(): Promise<void> {
    const define = this.#define;
    this.#define = undefined;
    await define?.();
  }

  override error(message: string, options?: ErrorOptions): never {
    throw new RefusedLine(this, message, options);
  }

  /** Of two values for what can have one, neither is silently dropped. */
  override setOptionValueWithSource(name: string, value: unknown, source?: string): this {
    const isAgain = source === 'cli' && this.getOptionValueSource(name) === 'cli';
    const option = this.options.find((each) => each.attributeName() === name);
    if (isAgain && option?.required === true && typeof value !== 'object') {
      this.error(`option '${option.flags}' is given twice`, { code: 'blogctl.repeatedOption' });
    }
    return super.setOptionValueWithSource(name, value, source);
  }

  /** Commander takes whatever follows as the value, also the next flag; with `=` it may be one. */
  override parseOptions(words: string[]): ReturnType<Command['parseOptions']> {
    for (let at = 0; at < words.length && words[at] !== '--'; at += 1) {
      const option = this.options.find(({ long, short }) => [long, short].includes(words[at]));
      if (option?.required !== true) continue;
      at += 1;
      if (!looksLikeFlag.test(words[at] ?? '')) continue;
      this.error(`error: option '${option.flags}' argument missing`, {
        code: 'commander.optionMissingArgument',
      });
    }
    return super.parseOptions(words);
  }

  override createCommand(name?: string): LazyCommand {
    return new LazyCommand(name);
  }
}

const looksLikeFlag = /^-(?:[a-z]|-[a-z][\w-]*(?:=.*)?)$/is;

/** Says what `--fields` can name, so that a refused line is mended by it; else names stay as they were typed. */
export function showsFields(command: Command, fields: readonly string[]): Command {
  if (command instanceof LazyCommand) command.fields = fields;
  return command;
}

export function fieldsShownBy(command: Command): readonly string[] | undefined {
  return command instanceof LazyCommand ? command.fields : undefined;
}

export function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

/** Defines a command and everything beneath it. */
export async function defineTree(command: Command): Promise<void> {
  if (command instanceof LazyCommand) await command.defineNow();
  for (const each of command.commands) await defineTree(each);
}

/** The command beneath a group, by its name or a second one. */
export function findCommand(group: Command, word: string): Command | undefined {
  return group.commands.find((each) => each.name() === word || each.aliases().includes(word));
}

/** The command that the words name, defined. */
export async function commandOf(program: Command, words: readonly string[]): Promise<Command> {
  let command = program;
  for (const word of words) {
    if (command instanceof LazyCommand) await command.defineNow();
    command = findCommand(command, word) ?? command;
  }
  if (command instanceof LazyCommand) await command.defineNow();
  return command;
}

export function nameOf(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`;
}

/** The name without blogctl itself, which is its own. */
export function scopeOf(command: Command): string {
  return nameOf(command).replace('blogctl ', '');
}

export function optionOf(command: Command, flag: string): Option | undefined {
  const own = command.options.find(({ long, short }) => flag === long || flag === short);
  return own ?? (command.parent === null ? undefined : optionOf(command.parent, flag));
}

export function longFlags(command: Command): readonly string[] {
  const own = command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []));
  return command.parent === null
    ? [...own, '--help', '--version']
    : [...own, ...longFlags(command.parent)];
}

/** The command that the words of a table name; without any the one of the line. */
export function calledIn(command: Command, route: readonly string[]): Command {
  const start = route.length === 0 ? command : rootOf(command);
  return route.reduce((above, word) => findCommand(above, word) ?? above, start);
}

/** Whether a command of the tree has the flag. */
export function hasFlag(program: Command, flag: string): boolean {
  return leavesOf(program).some((each) => longFlags(each).includes(flag));
}

/** Puts onto a command what it accepts and does. */
type Define = (command: Command, context: Context) => void;

/** The file of one command, loaded when it is called or described. */
type Definition = { readonly define: Define };

/** The file of several commands beneath a group. */
type Verbs<Name extends string> = { readonly verbs: Readonly<Record<Name, Define>> };

/** How commands are hung in by name and summary alone. */
export type Adders = {
  readonly add: (
    parent: Command,
    name: string,
    summary: string,
    load: () => Promise<Definition>,
    options?: CommandOptions,
  ) => void;
  readonly addVerbs: <Name extends string>(
    group: Command,
    load: () => Promise<Verbs<Name>>,
    summaries: Readonly<Record<Name, string>>,
  ) => void;
  readonly group: (
    parent: Command,
    name: string,
    summary: string,
    addBeneath: (group: Command, adders: Adders) => void,
  ) => void;
};

/** Second names that every group has for its verbs, as gh and shells have them. */
const aliases: Readonly<Record<string, string>> = {
  list: 'ls',
  get: 'view',
  show: 'view',
  create: 'new',
  delete: 'rm',
  remove: 'rm',
  revoke: 'rm',
};

export function adders(context: Context): Adders {
  const made: Adders = {
    add: (parent, name, summary, load, options = {}) => {
      const command = parent.command(name, options).description(summary);
      const alias = aliases[name];
      if (alias !== undefined) command.alias(alias);
      if (!(command instanceof LazyCommand)) return;
      command.defineLater(async () => (await load()).define(command, context));
    },
    addVerbs: (group, load, summaries) => {
      for (const name in summaries) {
        made.add(group, name, summaries[name], async () => ({
          define: (await load()).verbs[name],
        }));
      }
    },
    group: (parent, name, summary, addBeneath) => {
      const command = parent.command(name).description(summary).helpCommand(false);
      defineWhenCalled(command);
      if (!(command instanceof LazyCommand)) return;
      command.defineLater(async () => addBeneath(command, made));
    },
  };
  return made;
}

/** Before commander reads the rest of the line, the command that was called gets its options. */
export function defineWhenCalled<T extends Command>(parent: T): T {
  return parent.hook('preSubcommand', async (_parent, called) => {
    if (called instanceof LazyCommand) await called.defineNow();
  });
}

/** The commands of a tree that do something, as its help shows them. */
export function leavesOf(command: Command): Command[] {
  const shown = command.createHelp().visibleCommands(command);
  return shown.length === 0 ? [command] : shown.flatMap(leavesOf);
}

/** What is no value of a setting is refused before it would be kept. */
export function refuseValue(called: Command): void {
  const [name = '', value = ''] = called.args;
  if (!/^config set (?:timeout|retries|max-wait)$/.test(`${scopeOf(called)} ${name}`)) return;
  if ((name === 'retries' ? readWholeNumber : readDuration)(value) !== undefined) return;
  const code = 'commander.invalidArgument';
  const message = `error: command-argument value '${value}' is invalid for argument 'value'.`;
  throw new RefusedLine(called, message, { code });
}
