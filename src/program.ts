import { type Command, Help } from 'commander';
import { curlyQuoted } from './commands/arguments.ts';
import { addGlobalFlags, refuseSenselessWords } from './commands/global-flags.ts';
import { type Adders, adders, defineWhenCalled, LazyCommand } from './commands/lazy-command.ts';
import type { Context } from './commands/context.ts';

/** An empty program with the global flags; it throws instead of ending the process. */
export function createProgram(write: (text: string) => void, width = () => 80): Command {
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
        ? '\nMore: blogctl help environment, exit-codes, formatting, import, pages; --version'
        : '\nFlags that every command takes: blogctl --help',
    )
    .configureOutput({
      writeOut: write,
      writeErr: write,
      outputError: () => {},
      stripColor: String,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
      getOutHelpWidth: width,
      getErrHelpWidth: width,
    });
  addGlobalFlags(program);
  program.hook('preAction', (_program, called) => refuseSenselessWords(called));
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

/** The command tree, one line a command. What stands beneath a group is added when it is called. */
export function addCommands(program: Command, context: Context): void {
  program.hook('preAction', () => context.terminal.prepare());
  program.hook('preAction', (_program, called) => noteCurlyQuotes(called, context));
  program.hook('preAction', (_program, called) => useNamedBlog(called, program, context));
  const { add, group } = adders(context);
  const blog = async () => ({ define: (await import('./commands/links.ts')).defineBlog });
  add(program, 'blog', 'Show the blog', blog);
  group(program, 'articles', 'List, read and change articles', addArticles);
  group(program, 'sync', 'Keep a folder and its blog in step', addSync);
  group(program, 'runs', 'Imports, syncs, deletions: list, undo', addRuns);
  group(program, 'auth', 'Log in to a blog and out of it', addAuth);
  group(program, 'profile', 'Blogs under names of your own', addProfile);
  group(program, 'config', 'Settings and where they come from', addConfig);
  add(program, 'links', 'Show what can be followed', () => import('./commands/links.ts'));
  add(program, 'api', 'Send a request of your own', () => import('./commands/api.ts'));
  add(program, 'serve', 'Serve a store over HTTP', () => import('./commands/serve.ts'));
  add(program, 'check', 'Check a service by the rules', () => import('./commands/check.ts'));
  group(program, 'store', 'Make and look after stores', addStore);
  group(program, 'token', 'Access tokens of a store', addToken);
  add(program, 'completion', 'Print a completion script', () => import('./commands/completion.ts'));
  add(program, 'commands', 'Describe every command', () => import('./commands/commands.ts'));
  add(program, 'help', 'Help on a command or a topic', () => import('./commands/help.ts'));
  const complete = async () => ({
    define: (await import('./commands/completion.ts')).defineComplete,
  });
  add(program, '__complete', '', complete, { hidden: true });
}

/** A text may be meant to stand between them; mostly they come from a page that was copied. */
async function noteCurlyQuotes(called: Command, { terminal }: Context): Promise<void> {
  const words: unknown[] = [...called.args, ...Object.values(called.optsWithGlobals())];
  const word = words.find((each) => typeof each === 'string' && curlyQuoted.test(each));
  if (typeof word !== 'string') return;
  await terminal.notice(`The quotes of ${word} are part of it: a shell takes away " and ' alone.`);
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
  add(articles, 'links', 'Show the links of one', async () => ({
    define: (await import('./commands/links.ts')).defineArticleLinks,
  }));
}

function addSync(sync: Command, { add }: Adders): void {
  add(sync, 'plan', 'Say what apply would do', () => import('./commands/sync/plan.ts'));
  add(sync, 'apply', 'Bring a folder to its blog', () => import('./commands/sync/apply.ts'));
  add(sync, 'pull', 'Bring changes of the blog here', () => import('./commands/sync/pull.ts'));
}

function addRuns(runs: Command, { add, addVerbs }: Adders): void {
  addVerbs(runs, () => import('./commands/runs.ts'), {
    list: 'List them',
    show: 'Show one',
    resume: 'Go on with an import',
    prune: 'Forget old ones',
  });
  add(runs, 'undo', 'Take back what one changed', () => import('./commands/runs-undo.ts'));
}

function addAuth(auth: Command, { add, addVerbs }: Adders): void {
  add(auth, 'login', 'Keep the token for a blog', () => import('./commands/login.ts'));
  addVerbs(auth, () => import('./commands/auth.ts'), {
    status: 'Say which blog and token are used',
    logout: 'Forget the token for a blog',
    token: 'Print the token for a blog',
  });
}

function addProfile(profile: Command, { addVerbs }: Adders): void {
  addVerbs(profile, () => import('./commands/profile.ts'), {
    add: 'Keep a blog under a name',
    list: 'List the profiles',
    use: 'Choose the one in use',
    show: 'Show a profile',
    remove: 'Take a profile away',
  });
}

function addConfig(config: Command, { addVerbs }: Adders): void {
  addVerbs(config, () => import('./commands/config.ts'), {
    list: 'List the settings',
    get: 'Show a setting',
    set: 'Set a setting for good',
    unset: 'Take a setting back',
    path: 'Say where the file is',
  });
}

function addStore(store: Command, { addVerbs }: Adders): void {
  addVerbs(store, () => import('./commands/store.ts'), {
    init: 'Make a store: a file or a database',
    upgrade: 'Bring a database to this version',
    copy: 'Copy a file into a database, or a database out of it',
    'add-blog': 'Add a blog',
    'edit-blog': 'Change the title or description of a blog',
    lock: 'Refuse changes',
    unlock: 'Allow changes again',
  });
  addVerbs(store, () => import('./commands/store-repair.ts'), {
    check: 'Look for damage',
    repair: 'Save what can be saved',
    compact: 'Put a file in order',
  });
}

function addToken(token: Command, { addVerbs }: Adders): void {
  addVerbs(token, () => import('./commands/token.ts'), {
    create: 'Make a token',
    list: 'List the tokens',
    revoke: 'Take a token back',
  });
}
