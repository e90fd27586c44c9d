import { type Command, type CommandOptions, Help } from 'commander';
import { addGlobalFlags } from './commands/global-flags.ts';
import { LazyCommand } from './commands/lazy-command.ts';
import type { Context } from './context/context.ts';
import { BlogctlError } from './errors.ts';
import { type Format, isReport } from './terminal/view.ts';

/** What the file of a command offers: its options and what it does, loaded when it is called. */
export type Definition = {
  define(command: Command, context: Context): void;
};

type Load = () => Promise<Definition>;

/** An empty program with the global flags; it throws instead of ending the process. */
export function createProgram(write: (text: string) => void): Command {
  const program = new LazyCommand('blogctl')
    .description('Manage the articles of a blog, import them in bulk, serve them from one file.')
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError()
    // Arguments are known only once a command is defined; the list of commands names it alone.
    // Our help has no colours: looking for them takes longer than all the rest of it.
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      formatItem,
      displayWidth: (text) => text.length,
    })
    .addHelpText('afterAll', ({ command }) =>
      command.parent === null
        ? '\nMore: blogctl help environment, exit-codes, formatting or import; blogctl --version'
        : '\nFlags that every command takes: blogctl --help',
    )
    .configureOutput({
      writeOut: write,
      writeErr: write,
      outputError: () => {},
      stripColor: String,
    });
  addGlobalFlags(program);
  program.hook('preAction', (_program, called) => {
    refuseEmptyValues(called);
    refuseTwoFormats(program.opts());
    refuseReport(called);
  });
  return defineWhenCalled(program);
}

const narrow = 60;

/** On a narrow screen what a word means stands beneath it, and no word is broken. */
function formatItem(
  this: Help,
  term: string,
  termWidth: number,
  description: string,
  helper: Help,
): string {
  const width = this.helpWidth ?? 80;
  if (width >= narrow)
    return Help.prototype.formatItem.call(this, term, termWidth, description, helper);
  const inset = '      ';
  const lines: string[] = [''];
  for (const word of description.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line !== '' && inset.length + line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return [`  ${term}`, ...lines.map((line) => inset + line)].join('\n').trimEnd();
}

/**
 * What is empty was mostly an unset variable: taken as not given it would let the command work on
 * another blog, file or article than was meant. Only a text may be empty.
 */
function refuseEmptyValues(called: Command): void {
  const [empty] = [...emptyFlags(called), ...emptyArguments(called)];
  if (empty === undefined) return;
  throw new BlogctlError('usage', `${empty} is given an empty value.`, {
    hint: 'a variable may be unset: give a value, or leave it out',
  });
}

function refuseTwoFormats({ json, format }: { json?: true; format?: string }): void {
  if (json !== true || format === undefined || format === 'json') return;
  throw new BlogctlError('usage', `--json and --format ${format} ask for two formats.`, {
    hint: 'give one of them',
  });
}

/** Before anything is done: what only `check` can write is no format of another command. */
function refuseReport(called: Command): void {
  const { format } = called.optsWithGlobals<{ format?: Format }>();
  const isCheck = called.name() === 'check' && called.parent?.parent === null;
  if (!isReport(format) || isCheck) return;
  throw new BlogctlError('usage', `--format ${format} is for blogctl check alone.`, {
    hint: 'choose table, json, ndjson, csv, tsv, ids or md',
  });
}

function emptyFlags(command: Command): readonly string[] {
  const own = command.options.flatMap((option) => {
    const name = option.attributeName();
    const isGiven = command.getOptionValueSource(name) === 'cli';
    const isText = option.flags.includes('<text>');
    return isGiven && !isText && hasEmpty(command.getOptionValue(name)) ? [`${option.long}`] : [];
  });
  return command.parent === null ? own : [...own, ...emptyFlags(command.parent)];
}

function emptyArguments({ registeredArguments, processedArgs }: Command): readonly string[] {
  return registeredArguments.flatMap((argument, at) => {
    const isText = argument.name() === 'text';
    return !isText && hasEmpty(processedArgs[at]) ? [`<${argument.name()}>`] : [];
  });
}

function hasEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.includes(''));
}

/** The command tree, one line a command. What stands beneath a group is added when it is called. */
export function addCommands(program: Command, context: Context): void {
  program.hook('preAction', (_program, called) => useNamedBlog(called, program, context));
  const { add, group } = adders(context);
  add(program, 'blog', 'Show the blog', () => import('./commands/blog.ts'));
  group(program, 'articles', 'List, read and change articles', addArticles);
  group(program, 'sync', 'Keep a folder and its blog in step', addSync);
  group(program, 'runs', 'What was changed: list it, undo it', addRuns);
  group(program, 'auth', 'Log in to a blog and out of it', addAuth);
  group(program, 'profile', 'Blogs under names of your own', addProfile);
  group(program, 'config', 'Settings and where they come from', addConfig);
  add(program, 'links', 'Show what can be followed', () => import('./commands/links.ts'));
  add(program, 'api', 'Send a request of your own', () => import('./commands/api.ts'));
  add(program, 'serve', 'Serve a store file over HTTP', () => import('./commands/serve.ts'));
  add(program, 'check', 'Check a service by the rules', () => import('./commands/check.ts'));
  group(program, 'store', 'Make and look after store files', addStore);
  group(program, 'token', 'Access tokens of a store file', addToken);
  add(program, 'completion', 'Print a completion script', () => import('./commands/completion.ts'));
  add(program, 'commands', 'Describe every command', () => import('./commands/commands.ts'));
  add(program, 'help', 'Help on a command or a topic', () => import('./commands/help.ts'));
  add(program, '__complete', '', () => import('./commands/complete.ts'), { hidden: true });
}

/** An article of a file names its blog too: `articles get file:blog.json#7` needs no --blog. */
async function useNamedBlog(called: Command, program: Command, context: Context): Promise<void> {
  const named = called.processedArgs
    .flat()
    .flatMap((argument: { store?: string } | undefined) => argument?.store ?? []);
  const [first] = named;
  if (first === undefined) return;
  if (program.opts()['blog'] === undefined) program.setOptionValue('blog', first);
  const { requireChosen } = await import('./commands/articles/named-articles.ts');
  for (const store of named) await requireChosen(store, context);
}

function addArticles(articles: Command, { add }: Adders): void {
  add(articles, 'list', 'List the articles', () => import('./commands/articles/list.ts'));
  add(articles, 'get', 'Show articles', () => import('./commands/articles/get.ts'));
  add(articles, 'create', 'Create an article', () => import('./commands/articles/create.ts'));
  add(articles, 'update', 'Change an article', () => import('./commands/articles/update.ts'));
  add(articles, 'edit', 'Change one in your editor', () => import('./commands/articles/edit.ts'));
  add(articles, 'delete', 'Delete articles', () => import('./commands/articles/delete.ts'));
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
  add(articles, 'links', 'Show the links of one', () => import('./commands/articles/links.ts'));
}

function addSync(sync: Command, { add }: Adders): void {
  add(sync, 'plan', 'Say what apply would do', () => import('./commands/sync/plan.ts'));
  add(sync, 'apply', 'Bring a folder to its blog', () => import('./commands/sync/apply.ts'));
  add(sync, 'pull', 'Bring changes of the blog here', () => import('./commands/sync/pull.ts'));
}

function addRuns(runs: Command, { add }: Adders): void {
  add(runs, 'list', 'List them', () => import('./commands/runs/list.ts'));
  add(runs, 'show', 'Show one', () => import('./commands/runs/show.ts'));
  add(runs, 'resume', 'Go on with an import', () => import('./commands/runs/resume.ts'));
  add(runs, 'undo', 'Take back what one changed', () => import('./commands/runs/undo.ts'));
  add(runs, 'prune', 'Forget old ones', () => import('./commands/runs/prune.ts'));
}

function addAuth(auth: Command, { add }: Adders): void {
  add(auth, 'login', 'Keep the token for a blog', () => import('./commands/auth/login.ts'));
  add(
    auth,
    'status',
    'Say which blog and token are used',
    () => import('./commands/auth/status.ts'),
  );
  add(auth, 'logout', 'Forget the token for a blog', () => import('./commands/auth/logout.ts'));
  add(auth, 'token', 'Print the token for a blog', () => import('./commands/auth/token.ts'));
}

function addProfile(profile: Command, { add }: Adders): void {
  add(profile, 'add', 'Keep a blog under a name', () => import('./commands/profile/add.ts'));
  add(profile, 'list', 'List the profiles', () => import('./commands/profile/list.ts'));
  add(profile, 'use', 'Choose the one in use', () => import('./commands/profile/use.ts'));
  add(profile, 'show', 'Show a profile', () => import('./commands/profile/show.ts'));
  add(profile, 'remove', 'Take a profile away', () => import('./commands/profile/remove.ts'));
}

function addConfig(config: Command, { add }: Adders): void {
  add(config, 'list', 'List the settings', () => import('./commands/config/list.ts'));
  add(config, 'get', 'Show a setting', () => import('./commands/config/get.ts'));
  add(config, 'set', 'Set a setting for good', () => import('./commands/config/set.ts'));
  add(config, 'unset', 'Take a setting back', () => import('./commands/config/unset.ts'));
  add(config, 'path', 'Say where the file is', () => import('./commands/config/path.ts'));
}

function addStore(store: Command, { add }: Adders): void {
  add(store, 'init', 'Make a store file', () => import('./commands/store/init.ts'));
  add(
    store,
    'upgrade',
    'Bring a database to this version',
    () => import('./commands/store/upgrade.ts'),
  );
  add(
    store,
    'copy',
    'Copy a file into a database, or a database out of it',
    () => import('./commands/store/copy.ts'),
  );
  add(store, 'check', 'Look for damage', () => import('./commands/store/check.ts'));
  add(store, 'repair', 'Save what can be saved', () => import('./commands/store/repair.ts'));
  add(store, 'compact', 'Put a file in order', () => import('./commands/store/compact.ts'));
  add(store, 'add-blog', 'Add a blog', () => import('./commands/store/add-blog.ts'));
  add(store, 'lock', 'Refuse changes', () => import('./commands/store/lock.ts'));
  add(store, 'unlock', 'Allow changes again', () => import('./commands/store/unlock.ts'));
}

function addToken(token: Command, { add }: Adders): void {
  add(token, 'create', 'Make a token', () => import('./commands/token/create.ts'));
  add(token, 'list', 'List the tokens', () => import('./commands/token/list.ts'));
  add(token, 'revoke', 'Take a token back', () => import('./commands/token/revoke.ts'));
}

type Add = (
  parent: Command,
  name: string,
  summary: string,
  load: Load,
  options?: CommandOptions,
) => void;

type AddGroup = (parent: Command, name: string, summary: string, addBeneath: AddBeneath) => void;

type Adders = {
  /** Hangs a command in by name and summary; its file is loaded when it is called or described. */
  readonly add: Add;
  readonly group: AddGroup;
};

type AddBeneath = (group: Command, adders: Adders) => void;

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

function adders(context: Context): Adders {
  const made: Adders = {
    add: (parent, name, summary, load, options = {}) => {
      const command = parent.command(name, options).description(summary);
      const alias = aliases[name];
      if (alias !== undefined) command.alias(alias);
      if (!(command instanceof LazyCommand)) return;
      command.defineLater(async () => (await load()).define(command, context));
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
function defineWhenCalled<T extends Command>(parent: T): T {
  return parent.hook('preSubcommand', async (_parent, called) => {
    if (called instanceof LazyCommand) await called.defineNow();
  });
}
