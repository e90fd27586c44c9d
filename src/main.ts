import { type Command, CommanderError } from 'commander';
import { LazyCommand } from './commands/lazy-command.ts';
import type { Context, Host } from './context/context.ts';
import { createContext } from './context/create-context.ts';
import { BlogctlError, exitStatusOf } from './errors.ts';
import { addCommands, createProgram } from './program.ts';
import { OutputClosed } from './terminal/output.ts';
import { asBlogctlError } from './terminal/speaking/failure.ts';
import type { Terminal } from './terminal/terminal.ts';

/** A process as far as we use it. */
export type Process = Host & {
  readonly argv: readonly string[];
  once(event: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
};

/**
 * Runs one command line and answers the exit status; what fails is told on stderr. Never ends the
 * process: a pipe would lose what is still unwritten.
 */
export async function main(host: Process): Promise<number> {
  const signal = listenForSignals(host);
  const help: string[] = [];
  const program = createProgram((text) => help.push(text));
  const context = createContext({
    host,
    flags: () => program.opts(),
    signal,
  });
  addCommands(program, context);
  const line = host.argv.length > 2 ? host.argv : [...host.argv, '--help'];
  const conclude = async (thrown: unknown) =>
    end(
      thrown instanceof CommanderError && help.length === 0
        ? usageError(thrown, await nameOf(program, line))
        : thrown,
      context,
      help.join(''),
    );
  const status = await program.parseAsync([...line]).then(() => 0, conclude);
  const isUsable = status === 0 || status === exitStatusOf['partly-failed'];
  const closing = await context.close(isUsable).then(() => 0, conclude);
  return status === 0 ? closing : status;
}

/** Says how a command line ended that did not run through: help, a pipe closed, a failure. */
async function end(thrown: unknown, { terminal }: Context, help: string): Promise<number> {
  if (thrown instanceof OutputClosed) return 0;
  if (thrown instanceof CommanderError) return showHelp(thrown, terminal, help);
  await terminal.fail(thrown);
  return asBlogctlError(thrown).exitStatus;
}

/** Help that was asked for is the answer; help instead of an answer is a usage error. */
async function showHelp(thrown: CommanderError, terminal: Terminal, help: string): Promise<number> {
  if (thrown.exitCode === 0) {
    await terminal.write(help);
    return 0;
  }
  await terminal.complain(help);
  return exitStatusOf.usage;
}

/**
 * The first Ctrl-C asks to stop; the second, no longer listened to, ends the process. One that comes
 * when all is done changes nothing: the exit status says what was done. The signal is made for those
 * who look at it: help does without.
 */
function listenForSignals(host: Process): () => AbortSignal {
  let controller: AbortController | undefined;
  let stopped: BlogctlError | undefined;
  const stopWith = (code: 'interrupted' | 'terminated', message: string) => () => {
    stopped = new BlogctlError(code, message);
    controller?.abort(stopped);
  };
  host.once('SIGINT', stopWith('interrupted', 'Interrupted.'));
  host.once('SIGTERM', stopWith('terminated', 'Terminated.'));
  return () => {
    controller ??= new AbortController();
    if (stopped !== undefined) controller.abort(stopped);
    return controller.signal;
  };
}

/** Commander's last line, in parentheses, may say what was meant; what is before it, what is wrong. */
function usageError(thrown: CommanderError, command: string): BlogctlError {
  const [, what = '', guess = ''] =
    /^(?:error: )?(.*?)(?:\n\((.*)\))?$/s.exec(thrown.message) ?? [];
  return new BlogctlError('usage', what, {
    hint: guess === '' ? `${command} --help shows what there is` : guess,
  });
}

/** The words of the line that name a command: `blogctl articles list`. */
async function nameOf(program: Command, line: readonly string[]): Promise<string> {
  let command = program;
  const names = [program.name()];
  for (const word of line) {
    if (command instanceof LazyCommand) await command.defineNow();
    const next = command.commands.find((each) => each.name() === word);
    if (next !== undefined) names.push((command = next).name());
  }
  return names.join(' ');
}
