import { type Command, CommanderError } from 'commander';
import type { Rehearsal } from './commands/suggestions/flag-meanings.ts';
import type { Context, Host } from './commands/context.ts';
import { createContext } from './commands/create-context.ts';
import { BlogctlError, exitStatusOf } from './errors.ts';
import { missingIn } from './commands/global-flags.ts';
import {
  findCommand,
  IncompleteLine,
  RefusedLine,
  refuseValue,
  scopeOf,
} from './commands/lazy-command.ts';
import { addCommands, createProgram } from './program.ts';
import { OutputClosed } from './terminal/streams.ts';
import { helpWidth } from './terminal/terminal.ts';
import { asBlogctlError } from './terminal/messages.ts';

type Stop = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** A process as far as we use it. */
export type Process = Host & {
  readonly argv: readonly string[];
  on(event: Stop, listener: () => void): unknown;
  off(event: Stop, listener: () => void): unknown;
};

/**
 * Runs one command line and answers the exit status; what fails is told on stderr. Never ends the
 * process: a pipe would lose what is still unwritten.
 */
export async function main(host: Process): Promise<number> {
  const signal = listenForSignals(host);
  const help: string[] = [];
  const program = createProgram(
    (text) => help.push(text),
    () => helpWidth(context.terminal),
  );
  const context: Context = createContext({
    host,
    flags: () => program.opts(),
    signal,
  });
  addCommands(program, context);
  const words = await readWords(host.argv.slice(2), program);
  const conclude = async (thrown: unknown) => {
    const failed =
      thrown instanceof CommanderError && help.length === 0
        ? await usageError(thrown, {
            words,
            program,
            folder: host.cwd(),
            rehearse: (line) => rehearse(line, host, signal),
            hasFile: () => isFile(host.stdin),
            profiles: () => profilesOf(context),
          })
        : thrown;
    return end(await placedAs(words, failed), context, help.join(''));
  };
  // The second is for help that cannot be written.
  const status = await program
    .parseAsync([...words], { from: 'user' })
    .then(() => 0, conclude)
    .catch(conclude);
  const isUsable = usable.has(status);
  const closing = await context.close(isUsable).then(() => 0, conclude);
  return status === 0 ? closing : status;
}

/** What ended with these wrote a whole answer. */
const usable: ReadonlySet<number> = new Set([
  0,
  exitStatusOf['partly-failed'],
  exitStatusOf.differences,
]);

/** Says how a command line ended that did not run through: help, a pipe closed, a failure. */
async function end(thrown: unknown, { terminal }: Context, help: string): Promise<number> {
  if (thrown instanceof OutputClosed) return 0;
  if (thrown instanceof CommanderError) {
    // Asked for, or shown because a group alone asks for nothing else.
    const width = helpWidth(terminal);
    const isFitting = help.split('\n').every((line) => line.length <= width);
    const table = isFitting ? undefined : await import('./terminal/table.ts');
    await terminal.write(table?.wrapWords(help, width) ?? help);
    return 0;
  }
  await terminal.fail(thrown);
  return asBlogctlError(thrown).exitStatus;
}

/**
 * The first Ctrl-C asks to stop; the second, no longer listened to, ends the process. One that comes
 * when all is done changes nothing: the exit status says what was done. The signal is made for those
 * who look at it: help does without. Whoever hides the cursor or starts a program listens as well, and
 * ends the process where nobody else does: we are there until all of them have heard the first.
 */
function listenForSignals(host: Process): () => AbortSignal {
  let controller: AbortController | undefined;
  let stopped: BlogctlError | undefined;
  const stopAt = (event: Stop, code: 'interrupted' | 'terminated', message: string) => {
    const stop = () => {
      stopped = new BlogctlError(code, message);
      controller?.abort(stopped);
      setImmediate(() => host.off(event, stop));
    };
    host.on(event, stop);
  };
  stopAt('SIGINT', 'interrupted', 'Interrupted.');
  stopAt('SIGTERM', 'terminated', 'Terminated.');
  // The terminal was closed, or the connection to it.
  stopAt('SIGHUP', 'terminated', 'Terminated.');
  return () => {
    controller ??= new AbortController();
    if (stopped !== undefined) controller.abort(stopped);
    return controller.signal;
  };
}

const isHelp = /^(?:--help|-h)$/;

/** The words of the line; without any, help is asked for. */
async function readWords(words: readonly string[], program: Command): Promise<readonly string[]> {
  if (words.length === 0) return ['--help'];
  const [first = '', second = '', ...others] = words;
  // psql and gh have it for the host.
  const isHost = (word = '') => /^localhost$|[.:]/.test(word) && !/^https?$/.test(first);
  if (first === '-h' && isHost(second)) return ['--host', second, ...others];
  if (isHelp.test(first) && second !== '') return readWords([second, ...others, first], program);
  // What is no command has no help, or that of the command of articles that it names.
  if (!first.startsWith('-') && findCommand(program, first) === undefined) {
    const named = words.filter((word) => !word.startsWith('-'));
    const isAsked = words.includes('--help') || words.at(-1) === '-h';
    const ofHost = words.map((word, at) =>
      word === '-h' && isHost(words[at + 1]) ? '--host' : word,
    );
    return isAsked ? ['help', ...named] : ofHost.filter((word) => word !== '-h');
  }
  if (second === 'help' && !/^-|^help$/.test(first)) return ['help', first, ...others];
  const hasNames = !(words[words.indexOf('--json') + 1] ?? '-').startsWith('-');
  const hasValues = words.some((word) => /^-[a-zA-Z]=/.test(word));
  if (!hasValues && !(hasNames && words.includes('--json'))) return words;
  const { asMeant } = await import('./commands/suggestions/typed-words.ts');
  return asMeant(words, program);
}

/** Commander's last line, in parentheses, may say what was meant; what is before it, what is wrong. */
async function usageError(thrown: CommanderError, rehearsal: Rehearsal): Promise<BlogctlError> {
  const { nextStep } = await import('./commands/suggestions/suggestions.ts');
  const [, what = ''] = /^(?:error: )?(.*?)(?:\n\(.*\))?$/s.exec(thrown.message) ?? [];
  const [, short = ''] = /^unknown option '-(\w+)'$/.exec(what) ?? [];
  // Of `-version` commander takes the -v.
  const typed = rehearsal.words.find((word) => /^-\w\w/.test(word) && word.endsWith(short));
  const named = short === '' || typed === undefined ? what : `unknown option '${typed}'`;
  const plain = named.replace(
    /^command-argument value ('.*') is invalid for argument '/s,
    "$1 is no '",
  );
  return new BlogctlError('usage', plain, { hint: await nextStep(thrown, rehearsal) });
}

/** The lines that a failure offers are about the blog or the store that was typed. */
async function placedAs(words: readonly string[], thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof BlogctlError) || !thrown.hint?.includes('blogctl ')) return thrown;
  const { atItsPlace } = await import('./commands/suggestions/own-names.ts');
  const hint = atItsPlace(thrown.hint, words);
  return hint === thrown.hint
    ? thrown
    : new BlogctlError(thrown.code, thrown.message, { ...thrown.context, hint });
}

/** What is refused of a line that is not carried out; nothing where it would be. */
async function rehearse(
  words: readonly string[],
  host: Host,
  signal: () => AbortSignal,
): Promise<unknown> {
  const program = createProgram(() => {});
  const flags = () => ({ ...program.opts(), quiet: true });
  const context = createContext({ host, flags, signal });
  program.hook('preAction', async (_program, called) => {
    const missing = await missingIn(called, context);
    if (missing !== undefined) throw new IncompleteLine(missing);
    await refuseUrl(called, context);
    refuseValue(called);
    throw new CommanderError(0, 'blogctl.accepted', '');
  });
  addCommands(program, context);
  const thrown: unknown = await program
    .parseAsync([...words], { from: 'user' })
    .catch((error: unknown) => error);
  return thrown instanceof CommanderError && !(thrown instanceof RefusedLine) ? undefined : thrown;
}

/** What is in a file has an address alone: it is refused where the answer would be shown. */
async function refuseUrl(called: Command, context: Context): Promise<void> {
  const { field, fields = [] } = called.optsWithGlobals<{ field?: string; fields?: string[] }>();
  const isUrl = [field, ...fields].includes('url');
  if (!isUrl || !/^(?:articles (?:list|get)|blog)$/.test(scopeOf(called))) return;
  const chosen = await context.chosen().catch(() => undefined);
  if (chosen?.value.kind !== 'file') return;
  const flag = field === undefined ? '--fields' : '--field';
  const code = 'commander.invalidArgument';
  throw new RefusedLine(called, `error: option '${flag}' argument 'url' is invalid.`, { code });
}

async function profilesOf(context: Context): Promise<readonly string[]> {
  try {
    return Object.keys((await (await context.config()).read()).profiles);
  } catch {
    // What is wrong with the file is told by whoever needs it.
    return [];
  }
}

async function isFile({ fd }: Host['stdin'] & { readonly fd?: unknown }): Promise<boolean> {
  if (typeof fd !== 'number') return false;
  const { fstatSync } = await import('node:fs');
  return fstatSync(fd).isFile();
}
