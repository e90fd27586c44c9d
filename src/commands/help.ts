import type { Command } from 'commander';
import type { Context } from './context.ts';
import { BlogctlError, type ErrorCode, exitStatusOf, type Hint } from '../errors.ts';
import { helpWidth } from '../terminal/terminal.ts';
import { commandOf, defineTree, nameOf, rootOf } from './lazy-command.ts';

export function define(command: Command, context: Context, run = showHelp): void {
  command
    .argument('[topic...]', 'a command, or environment, exit-codes, formatting, import, pages')
    .addHelpText('after', '\nExamples:\n  blogctl help articles update\n  blogctl help exit-codes')
    .action((topic: readonly string[]) => run(topic, command, context));
}

/** Shows a topic, or the help of a command as --help does. */
async function showHelp(
  words: readonly string[],
  command: Command,
  { terminal }: Context,
): Promise<void> {
  const [word = ''] = words;
  const topic = words.length === 1 ? topics[word] : undefined;
  if (topic !== undefined) {
    const { wrapWords } = await import('../terminal/table.ts');
    return terminal.write(wrapWords(topic(), helpWidth(terminal)));
  }
  const root = rootOf(command);
  // Most ask for a verb of articles without naming its group.
  for (const named of [words, ['articles', ...words]]) {
    if ((await namesOf(named, root)).length < named.length) continue;
    await root.parseAsync([...named, '--help'], { from: 'user' });
    return;
  }
  throw new BlogctlError('usage', `There is no help on "${words.join(' ')}".`, {
    hint: await nearest(words, root),
  });
}

/** The names of the command that words name, as far as they name one. */
async function namesOf(words: readonly string[], root: Command): Promise<readonly string[]> {
  return nameOf(await commandOf(root, words))
    .split(' ')
    .slice(1);
}

async function nearest(words: readonly string[], root: Command): Promise<Hint> {
  const { alike } = await import('../terminal/diff.ts');
  const all = Object.keys(topics);
  const name = words.join('-').toLowerCase();
  const begun = () => all.find((each) => name.length > 2 && each.startsWith(name));
  const isShape = /^(?:jq|templates?|outputs?|json|csv|fields?)$/.test(name);
  const topic = isShape ? 'formatting' : (alike(name, all) ?? begun());
  if (/^(?:reference|all|-a)$/.test(name)) return 'Run `blogctl commands`.';
  if (/^(?:markdown|front-?matter|wordpress|wxr)$/.test(name)) return 'Run `blogctl help import`.';
  const meant = topic === undefined ? await commandMeant(words, root) : [topic];
  if (typeof meant === 'string') return meant;
  // What stands behind a command or a topic has no help of its own.
  if (words.length > 1 && ['', words.join(' ')].includes(meant.join(' ')))
    return nearest(words.slice(0, -1), root);
  if (meant.length > 0) return `Run \`blogctl help ${meant.join(' ')}\`.`;
  return `See blogctl help for the commands; other topics are ${all.join(', ')}.`;
}

/** The command that other words name, as `post gt` names `articles get`; or what is said of them. */
async function commandMeant(
  words: readonly string[],
  root: Command,
  rounds = words.length * 3,
): Promise<readonly string[] | Hint> {
  let at = 0;
  while (at < words.length && (await namesOf(words.slice(0, at + 1), root)).length > at) at += 1;
  const known = words.slice(0, at);
  const command = await commandOf(root, known);
  if (at === words.length || command.commands.length === 0) return namesOf(known, root);
  const { forGroup } = await import('./suggestions/meanings.ts');
  await defineTree(root);
  const [path, operands] = [[...known.keys()], [...words.keys()].slice(at)];
  const [meant = []] = forGroup({
    command,
    words,
    path,
    operands,
    search: { program: root, words, folder: '' },
  });
  return typeof meant === 'string' || rounds === 0 ? meant : commandMeant(meant, root, rounds - 1);
}

/** Texts of `blogctl help <topic>`. */
export const topics: Readonly<Record<string, () => string>> = {
  environment: () => `Environment variables

${rows(Object.entries(environment))}
Flags, also --profile, outrank variables; those outrank .blogctl.json, the profile in use and the
configuration file, in this order. blogctl config list --show-origin shows what decided.
`,

  'exit-codes': () => `Exit codes

${rows(exitCodes().map(({ status, meaning }) => [String(status), meaning]))}
With --json or --format ndjson each line on stderr is one JSON object: error, warning,
notice, progress or trace. The member "code" of an error says more precisely what happened:

${rows(exitCodes().map(({ status, codes }) => [String(status), codes.join(', ')]))}`,

  formatting: () => `Formatting

stdout carries the answer and nothing else; notices, questions, progress and errors go to
stderr. On a terminal the answer is a table, in a pipe tab-separated lines.

${rows([
  ['table', 'for reading; cut to the width of the screen, at 30 rows without --all'],
  ['json', 'one document (--json is the same)'],
  ['ndjson', 'one JSON document a line'],
  ['csv', 'RFC 4180 with a heading; --csv-safe for spreadsheets'],
  ['tsv', 'one line each, no heading; \\t \\n \\r \\\\ and control characters are escaped'],
  ['ids', 'one id a line, for blogctl articles get - and delete -'],
  ['md', 'a Markdown table; an article as articles export writes it'],
])}
  --fields id,title   only these fields, in this order
  --field content     the bare value: into a pipe to the byte
  --jq '.[].title'    filter the JSON with jq
  -o, --output file   write the answer to a file that is there whole or not at all

Control characters of texts never reach a terminal; JSON has them as \\u escapes.
`,

  import: () => `Importing

blogctl articles import takes

${rows([
  ['posts', 'folders and files of Markdown or HTML, with front matter or --title-from'],
  ['records', 'NDJSON, JSON, CSV and TSV; --map says which members are title and content'],
  ['exports', 'of WordPress (WXR) and Ghost (JSON)'],
  ['feeds', 'RSS 2.0, RDF (RSS 1.0), Atom, JSON Feed'],
  ['-', 'any single file of these from stdin'],
])}
Any of them may be compressed by gzip; a zip archive is read as the folder that it holds.
Every record is looked at before anything is sent. What a file is, is seen in what it holds.

A record has an identity: the path of a post, the guid, uuid or id of an item, a member
such as id or slug (--key-field chooses), else its text; never its position. From it comes
the Idempotency-Key, so the same import run again creates nothing twice, from whatever
machine, after whatever interruption. A guid, a uuid or an address is known in any file;
ids, slugs and texts in files whose names differ in dates and numbers alone.

What is not public is skipped and counted by its reason: draft, unpublished, future (a date
to come), password, visibility members, status pending. --drafts takes it too, --status
the states it names.

Wrong records stop the import before the first request (exit 7). --continue-on-error
leaves them out, writes them to --rejects and ends with 10; the rejects file can be
mended and imported again.

The summary on stdout always adds up:
  records = created + replayed + skipped + rejected + inDoubt + unsent

See blogctl articles import --help for the flags.
`,

  pages: () => `Pages

Markdown in the folder docs of the package, one topic each; man blogctl has the flags.

${rows([
  ['docs/terminal.md', 'the command: blogs, tokens, reading, writing'],
  ['docs/import.md', 'sources, identities, what is wrong, taking it back'],
  ['docs/sync.md', 'a folder and its blog, in a terminal and in CI'],
  ['docs/serve.md', 'the service: tokens, proxies, containers'],
  ['docs/store.md', 'the store file: what an answer is worth, damage, edits'],
  ['docs/postgres.md', 'one blog on more than one machine'],
  ['docs/backup.md', 'copies and how they come back'],
  ['docs/testing.md', 'a blog for tests; checking a service'],
  ['docs/agents.md', 'what scripts and agents can count on'],
  ['docs/exit-codes.md', 'exit codes and errors'],
  ['docs/recipes.md', 'small tasks, whole'],
  ['docs/interface.md', 'the interface, sentence by sentence'],
  ['docs/decisions.md', 'what we do where it is silent'],
])}`,
};

function rows(entries: readonly (readonly [string, string] | readonly string[])[]): string {
  const filled = entries.filter(([, text]) => text !== '');
  const widest = Math.max(...filled.map(([name = '']) => name.length));
  return filled.map(([name = '', text]) => `  ${name.padEnd(widest)}  ${text}\n`).join('');
}

type ExitStatus = 0 | (typeof exitStatusOf)[ErrorCode];

/** What each exit status means; none can be missing. */
const meanings: Readonly<Record<ExitStatus, string>> = {
  0: 'done',
  1: 'a bug in blogctl',
  2: 'the command line is wrong',
  3: 'no token, or one without the right (401, 403)',
  4: 'cancelled at a question',
  5: 'not found, or deleted before (404, 410)',
  6: 'a conflict: changed, locked or there already (409, 412, 423, 424)',
  7: 'the input is not valid (400, 406, 422, other 4xx) or a file cannot be used',
  8: 'too many requests, also after waiting (429)',
  9: 'no answer, a failing service (5xx), or not a blog',
  10: 'done in part: what failed is told',
  11: 'there are differences, or a rule of the interface is broken',
  130: 'interrupted (Ctrl-C)',
  143: 'terminated',
};

type ExitCode = {
  readonly status: number;
  readonly meaning: string;
  /** The `code` members of JSON errors that end with this status. */
  readonly codes: readonly string[];
};

export function exitCodes(): readonly ExitCode[] {
  const codes = Object.entries(exitStatusOf);
  return Object.entries(meanings).map(([status, meaning]) => ({
    status: Number(status),
    meaning,
    codes: codes.flatMap(([code, ends]) => (ends === Number(status) ? [code] : [])),
  }));
}

/** The variables blogctl reads, and what each is for. */
export const environment: Readonly<Record<string, string>> = {
  BLOGCTL_BLOG: 'the blog to work on: an http(s) URL or file:path',
  BLOGCTL_PROFILE: 'the profile to use',
  BLOGCTL_TOKEN: 'the access token',
  BLOGCTL_TOKEN_FILE: 'a file that holds the access token',
  BLOGCTL_TIMEOUT: 'longest wait for a whole answer, like 30s',
  BLOGCTL_RETRIES: 'further attempts where no answer came',
  BLOGCTL_MAX_WAIT: 'longest wait after a 429 or 503, like 5m',
  BLOGCTL_STORE: 'the store of serve, store and token: a file, or postgres://…',
  PGHOST: 'a server, where an address names none; so PGPORT, PGUSER, PGDATABASE',
  PGPASSWORD: 'the password for a database',
  PGPASSFILE: 'a file with passwords for databases, as libpq reads it',
  BLOGCTL_SERVE_TOKEN: 'a token that blogctl serve accepts',
  BLOGCTL_CONFIG_DIR: 'the folder of the configuration file',
  BLOGCTL_DATA_DIR: 'the folder of the local blog, of runs and of unsaved texts',
  BLOGCTL_NO_RUNS: '1 keeps nothing of what a run changed',
  BLOGCTL_EDITOR: 'the editor, before VISUAL and EDITOR',
  BLOGCTL_PAGER: 'the pager, before PAGER; empty for none',
  BROWSER: 'the browser of articles get --web',
  CI: 'set in pipelines: ask nothing, assume no blog, draw nothing',
  NO_COLOR: 'no colours',
  FORCE_COLOR: 'colours in pipes too',
  HTTP_PROXY: 'proxy for http addresses',
  HTTPS_PROXY: 'proxy for https addresses',
  NO_PROXY: 'hosts that are reached without a proxy',
  NODE_EXTRA_CA_CERTS: 'a file with further certificate authorities to trust',
};
