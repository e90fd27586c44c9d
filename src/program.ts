import { Command } from 'commander';
import { addGlobalFlags } from './commands/global-flags.ts';
import type { Context } from './context.ts';

/** What the file of a command offers: its options and what it does, loaded when it is called. */
export type Definition = {
  define(command: Command, context: Context): void;
};

type Load = () => Promise<Definition>;

/** An empty program with the global flags; it throws instead of ending the process. */
export function createProgram(write: (text: string) => void): Command {
  const program = new Command('blogctl')
    .description('Manage the articles of a blog, import them in bulk, serve them from one file.')
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ writeOut: write, writeErr: write, outputError: () => {} });
  addGlobalFlags(program);
  return program;
}

/** The command tree, one line a command. */
export function addCommands(program: Command, context: Context): void {
  const add = adder(context);
  const articles = group(program, 'articles', 'List, read and change articles');
  add(articles, 'list', 'List the articles', () => import('./commands/articles/list.ts'));
  add(
    articles,
    'import',
    'Import articles from files',
    () => import('./commands/articles/import.ts'),
  );
  add(
    articles,
    'export',
    'Write all articles to files',
    () => import('./commands/articles/export.ts'),
  );
}

function group(parent: Command, name: string, summary: string): Command {
  return parent.command(name).description(summary).helpCommand(false);
}

/**
 * Hangs a command in by name and summary. Its file is loaded when it is called or its own help
 * is asked for, before commander reads the rest of the line.
 */
function adder(context: Context) {
  return (parent: Command, name: string, summary: string, load: Load): void => {
    const command = parent.command(name).description(summary);
    parent.hook('preSubcommand', async (_parent, called) => {
      if (called === command) (await load()).define(command, context);
    });
  };
}
