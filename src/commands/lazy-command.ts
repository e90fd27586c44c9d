import { Command } from 'commander';

/** A command known by name and summary; its options are defined when it is called or described. */
export class LazyCommand extends Command {
  #define: (() => Promise<void>) | undefined;

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

  override createCommand(name?: string): LazyCommand {
    return new LazyCommand(name);
  }
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
