import type { Hint } from '../../errors.ts';
import { asAddress } from '../../settings/values.ts';
import { textsIn } from '../arguments.ts';
import * as said from './no-counterpart.ts';

/**
 * Words of one command line, or a sentence where no line does it. A slash names another command, up to the
 * first flag; `$1` is the first group of the pattern. Of a list all but the first are words that may have blanks.
 */
export type Meant = string | ((typed: string) => string | readonly string[]);

/** Words or flags, some with their value, and the one thing that is meant by each of them. */
export type Meanings = Readonly<Record<string, Meant>>;

/** Words or a pattern, and what may be meant by them: the first that is accepted counts. */
type Row = readonly [typed: string | RegExp, ...meant: readonly Meant[]];

/**
 * What is typed to which commands. What is said of a flag to a group holds for each of its commands, and '' are all.
 */
export type Habits = Readonly<Record<string, Meanings | readonly (Meanings | Row)[]>>;

/** Words of the table: where they name another command, `route` is its name. */
export type Line = { readonly route: readonly string[]; readonly rest: readonly string[] };

/** Flags and words that are typed to whichever command, as in known-habits.ts. */
export const flagPatterns: Habits[string] = [
  [
    /^(?:@|--(?:site|context|namespace)=)(?:all|\*)$/,
    'One blog is asked at a time: `blogctl profile list` shows those that have a name, for --profile <name>.',
  ],
  [/^(?:help|\/?\?)$/, '--help'],
  [/^(--fields?)=(.*,)?url(,.*)?$/, '$1 $2address$3'],
  [/^-q=([.[{(].*)$/s, '--jq $1'],
  [
    /^(?:-[Ru]|--(?:repo|url|path|site|blog|to|into|on|in|server|host|hostname|endpoint|api|remote|target|instance|account|workspace))=((?:https?|file):.+)$/,
    '--blog $1',
  ],
  [
    /^(?:-b|--(?:url|path|file|db|store|to|into|in|target|remote|instance|blog))=(?:file:)?([\w./~-]+\.json)$/,
    '--blog file:$1',
  ],
  [/^--to=([^:]+\.(?:[ct]sv|ndjson|jsonl|md))$/, '--output $1'],
  [/^--(?:max-time|connect-timeout|request-timeout)=([1-9]\d*)$/, '--timeout $1s'],
  [/^--(?:max-time|connect-timeout|request-timeout|timeout)=0s?$/, ''],
  [
    /^(?:-[apPR]|--(?:app|repo|url|path|site|blog|to|into|on|in|context|namespace|cluster|env|environment|remote|target|account|instance|workspace|org|tenant))=([a-zA-Z][\w-]*)$/,
    '--profile $1',
    said.noProfile,
  ],
  [/^--format=(?:html|pdf|txt)$/, '--format md'],
  [/^--format=(?:xml|wxr|rss|atom|toml)$/, '--format json'],
  [/^@([a-z][\w-]*)$/i, '--profile $1', said.noProfile],
  [/^-p=(\d+)$/, '--page $1'],
  [/^--log-?level=(?:debug|trace|verbose)$/, '-v'],
  [/^--([a-z-]+[a-z])(\d+)$/, '--$1 $2'],
  [/^--(?:hostname|host|server)=(?!file:|.*:\/\/).+$/, (typed) => `--blog ${asAddress(typed)}`],
  [
    /^(?:-o|--output|--format|--template)=(?:jsonpath|go-template|custom-columns|.*\{\{)/,
    said.noTemplate,
  ],
  [/^(?:file:.+|postgres.+|[^-].*\.json)$/, '--store $0'],
  [/^(https?:.+?)(?:\/articles\/?)?$|^(file:.+)$/, '--blog $1$2'],
  ['-n', '--limit', '--dry-run', '--name'],
  [/^--json=([\w,]+)$/, '--json --fields $1'],
  ['--no-header --no-headers', '--format tsv', 'Only CSV has a heading.'],
  [
    '--config --conf --config-file --config-dir --kubeconfig',
    'BLOGCTL_CONFIG_DIR names the folder of the configuration: `blogctl config list --show-origin` shows what counts.',
  ],
  ['-R --repo --url --path', 'A blog is named by --blog <url>, or by --blog file:<file>.'],
];

const noGraph =
  'There is no GraphQL: `blogctl links` lists what leads on, `blogctl api --follow <rel>` goes there.';
const noSql =
  'SQL is no source: WordPress exports WXR, which `blogctl articles import <file.xml>` reads.';
/** Where a store is to be served, and something else is named. */
export const ofPosts: Hint = 'A store file is named as blog.json.';
const storeFiles = '`blogctl articles` exports and imports, with --blog file:<store>.';

/** What takes an article from the blog is named, and never taken for another. */
export function deleting(typed: string): Hint {
  const id = typed.replace(/\D+/, '');
  return `There is no trash, and no state: \`blogctl articles delete ${id}\` takes it away, after a question, and \`runs undo <run>\` creates it again with another id.`;
}

const ofBodies = 'A body comes by --input <file>, - for stdin, or by -F.';

/** The body of a request. */
const valuesOf = (method: string) => (typed: string) => {
  const texts = textsIn(typed);
  if (texts?.every(([, text]) => !text.startsWith('@')) !== true) return ofBodies;
  return [method, ...texts.flatMap(([name, text]) => ['-F', `${name}=${text}`])];
};

/** What is to be seen later, or not by all; what is said to be public is. */
const unpublished =
  /^--(?:no-|un|pre-|is-)?(?:post-)?(?:publi[cs]|drafts?|schedul|status|state|visib|live|private|embargo|go-live|release|unlisted|hidden)(?!.*(?:file|slug)).*?(?:=(?!(?:true|yes|1|on|now|publi(?:c|sh|shed)|live|any|all)$).*|(?<=^--(?:no-|un).*)|(?<=-(?:later|at|on|date))|(?<=drafts?|private|embargo|unlisted|hidden))$/;

/** What is typed to whoever serves a blog, to what asks it by hand, and to what changes something. */
export const ofServices: Habits = {
  'articles create, articles update, articles edit': [[unpublished, said.noStates]],
  'sync plan': [
    { [`--dry-run -n ${said.dryWords}`]: '' },
    [/^--(?:to|plan-file)=([^:]+)$/, '--output $1'],
  ],
  'sync apply': [
    [/^--plan(?:-file)?=(.+\.json)$/, '$1'],
    { [`--dry-run -n ${said.dryWords}`]: '/sync plan', '--exit-code': '/sync plan --exit-code' },
  ],
  api: [
    [
      /^(?:-[ot]|--(?:output|format|template))=(?:go-template=|jsonpath=)?\{+\.(\w+)\}+$/,
      '--jq .$1',
    ],
    [/^(?:(?:-d|--(?:data\S*|body|json))=)?\{.*\}$/s, valuesOf('-X POST'), valuesOf('')],
    // A text for them, for -F a file.
    [/^(?:-f|--raw-field)=\w+=@/, ofBodies],
    [
      /^(?:-d|--(?:data|data-raw|data-binary|body|json))=@(.+)$/,
      '-X POST --input $1',
      '--input $1',
    ],
    [/^--json=[{[]|^(?:-d|--(?:data\S*|body))$/, ofBodies],
    [
      '-s -sS -sf -fsS -sSf -sL -fsSL -sSL -L --location --fail --show-error --compressed --slurp',
      '',
    ],
    [/^--(?:form|url)=(?!https?:)([^=]+)$/, '$1'],
    [/^-O=([^.]+)$/, '$1 -o <file>'],
    { '-O': '-o <file>', '--silent': 'The answer goes to stdout: -o <file> puts it elsewhere.' },
    [/^-m=(\d+)$/, '--timeout $1s'],
    [/^-q=(\.\[.*)$/s, '--paginate --jq $1'],
    [/^(?:-f|-F|--(?:raw-)?field)=query=/, noGraph],
    [/^(GET|POST|PUT|PATCH|DELETE|HEAD) (\S+)$/i, '-X $1 $2'],
    [/^(?:GET|POST|PUT|PATCH|DELETE|HEAD)$/i, '-X $0'],
    [/^(?:-f|--(?:raw-)?field)=(?:per_page|limit)=(\d+)$/, '-F pageSize=$1'],
    [/^(?:-f|--(?:raw-)?field)=page=(\d+)$/, '-F pageIndex=$1'],
    [/^([A-Z][\w-]*):(?!\/\/)(.+)$/, '-H $1:$2'],
    [
      /^(?:-G|--get)$/,
      'What is asked is part of the address, as `blogctl api "articles?pageSize=2"`.',
    ],
    [/^(?:--(?:query|params?)=(\w+)=|(\w+)==)(.*)$/s, '-F $1$2=$3'],
    [/^(?:-d|--data(?:-raw|-urlencode)?)=(\w+=(?!@)[^&]*)$/s, '-X POST -F $1', '-F $1'],
    [/^(?:--(?:(?:raw-)?field|form)=)?(\w+=.*)$/s, '-X POST -F $1', '-F $1'],
    [/^--(?:cache|preview)=/, ''],
    ['-f --raw-field', '-X POST -F', '-F'],
    { '-I --head': '-X HEAD -i', '--headers': '-i' },
    [/^--json=/, 'The answer is JSON as it is: --jq takes what is wanted out of it.'],
  ],
  check: [
    [/^(?:--rules?=)?(\d+\.\d+)$/, '--only $1'],
    [/^([^:]+\.json)$/, '/store check $1'],
  ],
  serve: [
    {
      '--detach --daemon --background --fork -d':
        'It stays in the foreground: `&` of the shell or a service of the system takes it elsewhere.',
      '--open --browser --navigate-to-changed -o': 'It prints the address of its page: open that.',
      'start run up --create --init --new --no-cors --no-gzip --nc --ng --livereload --disable-fast-render --incremental --drafts --buildDrafts --build-drafts -D':
        '',
      '--token': `${said.noToken} set BLOGCTL_SERVE_TOKEN, or use the one that is shown.`,
      '--no-token --no-auth --auth':
        'Whoever changes something needs a token: BLOGCTL_SERVE_TOKEN says which. Readers need none.',
      'stop restart reload': said.runsUntil,
      status: 'One that runs is asked at its address: `blogctl blog --blog <url>`.',
      '--https --ssl --tls --cert --tls-cert':
        'It speaks HTTP; what stands before it is said by --base-url and --trust-proxy.',
      '--static -s --routes -r --middlewares -m --snapshots -S --id -i --foreignKeySuffix':
        'It serves the articles of a blog, and nothing else: see `blogctl serve --help`.',
      '--config -c':
        '`blogctl serve` reads no file of settings: what is wanted stands on its line.',
      '--pid-file --pidfile':
        'Its process is that of the shell: `& echo $! > <file>` behind the line keeps it.',
      '--log-level --loglevel --log --no-log --verbose-level':
        'The log goes to standard error: 2> <file> keeps it, --log json makes lines for programs.',
    },
    [/^(?:(?:--port=|-p=)?:?|--(?:listen|bind)=)(\d+)$/, '--port $1'],
    [/^--(?:static|routes|middlewares|snapshots|id|foreignKeySuffix)=/, ''],
    [/^(.+\.json):(\d+)$/, '$1 --port $2'],
    [/^([\w.-]+):(\d+)$/, '--host $1 --port $2'],
    [/^(?:-p|--port)=(\d+):\d+$/, '--port $1'],
    [
      /^(?:-[dsf]|--(?:dir|root|folder|content|posts|db|database|file|path|data))=(?![\d-]+$|.*\.json$|postgres)(.+)$/,
      '$1',
    ],
    [/^(?:-[fd]|--(?:db|database|file|path|data))=(.+\.json|postgres.+)$/, '--store $1'],
    [/^-d=([\d-]+)$/, '--delay $1'],
    [/^(?:-b|--baseurl)=(https?:.+)$/i, '--base-url $1'],
    [/^--base-?url=\//i, 'A base URL is whole, as --base-url https://example.org.'],
    [/^\S+\.json \S+\.json$/, 'One service serves one store file: name one.'],
    [/^(?!:?\d+$|[\w.-]+:\d+$|.*\.json$)[^-]/, ofPosts],
    [
      /^--(?:host|listen|bind|addr|address)=([\w.-]+):(\d+)$/,
      '--host $1 --port $2',
      'A port is named once: by --port, or behind the host.',
    ],
    [
      /^--(?:cors|cors-origin|allow-origin)=\*$/,
      'Each origin is named: --cors http://localhost:3000.',
    ],
  ],
  store: [
    [/^(?:export|dump) (\S+)\.sql$/, '/articles export $1.ndjson'],
    [/^(?:export|dump) (\S+)$/, '/articles export $1'],
    [/^(?:import|load) (?!.*\.sql$)(\S+)$/, '/articles import $1'],
    [/^(?:import|load) \S+\.sql$/, noSql],
    ['export dump', '/articles export backup.ndjson', storeFiles],
    ['import load seed', storeFiles],
    [/^restore \S+\.\w+$/, said.backup],
    [/^(?:search|find|grep) (?!-)(.+)$/s, '/articles list --search $1'],
  ],
  'store copy': [[/^(?!-)|^--(?:from|to)$/, 'Name both: `blogctl store copy <from> <to>`.']],
  'store lock': [
    [/^(?:on|activate|enable|start|true|mode)$/, ''],
    [/^(?:off|deactivate|disable|stop|end|false)$/, '/store unlock'],
    ['status', '/store check'],
  ],
  'store check': { '--repair --fix': '/store repair' },
  'store edit-blog': [[/^([1-9]\d*)$/, '--on-blog $1']],
  // The least is locked that can be meant.
  'store lock, store unlock': [[/^(?:#|articles?\/)?([1-9]\d*)$/, '--article $1']],
  'store lock, store unlock, store edit-blog': [[/^--blog=([1-9]\d*)$/, '--on-blog $1']],
  'store init, store add-blog, store edit-blog': [
    [/^(?!-|\d+$|.*\.json$|https?:|file:|postgres(?:ql)?:\/\/).+$/s, '--title $0', said.ofStore],
  ],
  'token create': [
    [/^\w[\w\s-]*$/, '--name $0'],
    [/^-n=(.+)$/, '--name $1'],
    [/^--blog=([1-9]\d*)$/, '--for-blog $1'],
    [/^--read-?only$|^--allow=read/, 'Readers need no token: --allow says what may be changed.'],
    { '--expires=never': '' },
  ],
  'token list': [
    [
      /^(?!-|.*\.json$|file:|postgres(?:ql)?:\/\/)/,
      'A token is shown once, as it is made: `blogctl token list` names them.',
    ],
  ],
};

/** What the first of some spellings means that means anything. */
export function firstOf<Found>(
  spellings: readonly string[],
  meant: (spelling: string) => readonly Found[],
): readonly Found[] {
  return spellings.map(meant).find((each) => each.length > 0) ?? [];
}
