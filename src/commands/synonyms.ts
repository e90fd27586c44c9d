import { noGraph, noTemplate, ofPosts } from './no-counterpart.ts';

/**
 * Words of one command line, or a sentence where no line does it. A slash names another command, up to the
 * first flag; `$1` is the first group of the pattern.
 */
export type Meant = string | ((typed: string) => string);

/**
 * What is typed to which commands: words or flags, some with their value, a pattern of them, or what is
 * ours with what others call it. What is said of a flag to a group holds for each of its commands, and ''
 * are all. The first that is accepted counts.
 */
type Habit = readonly [
  typed: string | RegExp | Readonly<Record<string, string>>,
  ...meant: readonly Meant[],
];

export type Habits = Readonly<Record<string, readonly Habit[]>>;

/** Words that are typed for ours, to whichever command: the likeliest of ours first. */
const words: readonly (readonly [theirs: string, ours: string])[] = [
  ['article post posts issue issues pr prs entry entries', 'articles'],
  ['blogs site info repo', 'blog'],
  ['link rels', 'links'],
  ['run log logs history', 'runs'],
  ['tokens', 'token'],
  ['profiles remote remotes context contexts', 'profile'],
  ['settings setting option options', 'config'],
  ['stores db database', 'store'],
  ['show get view cat read print describe inspect list ls whoami current', 'get show list status'],
  ['create new make insert', 'create add init set'],
  ['add', 'create set'],
  ['remove delete del destroy rm', 'delete remove unset revoke'],
  ['set put patch', 'update set'],
  ['edit update change rename replace modify mv amend', 'update edit set'],
  ['use switch select activate default', 'use'],
  ['apply push up deploy', 'apply'],
  ['down', 'pull'],
  ['diff preview', 'plan'],
  ['verify validate fsck', 'check'],
  ['fix mend', 'repair'],
  ['clear reset', 'unset'],
  ['upload load ingest migrate seed', 'import'],
  ['download dump save', 'export'],
  ['vacuum optimize', 'compact'],
  ['continue retry rerun', 'resume'],
  ['signin', 'login'],
  ['signout', 'logout'],
];

/** A word, and those of ours that may be meant by it. */
export function oursFor(word: string): readonly string[] {
  const ours = words.flatMap(([theirs, meant]) =>
    theirs.split(' ').includes(word) ? meant.split(' ') : [],
  );
  return [word, ...ours];
}

/**
 * Flags that are typed for ours, some with their value, to whichever command has it: in small letters, with dashes
 * between the words. What means nothing here is said to be ''.
 */
export const flags: readonly (readonly [ours: string, theirs: string])[] = [
  [
    '',
    '--asc --oldest --order=asc --post-type=post --post-status=publish --status=publish --status=published --allow-root --defer-term-counting --skip-plugins --skip-themes',
  ],
  ['--title', '-t --post-title --subject --heading --name'],
  ['--content', '-b -c --body --post-content --text --message --markdown'],
  ['--content-file', '--body-file -F'],
  ['--from-file', '-f --file --input --from'],
  ['--limit', '--max --first --top --head --take --number --num --numberposts'],
  ['--page', '--paged --page-index'],
  ['--all', '-a --no-limit --paginate'],
  ['--sort', '--orderby --order-by --sort-by --order'],
  ['--reverse', '--order=desc --desc --descending -r'],
  ['--search', '--s --q --query --grep --contains --prefix --title-like -s'],
  ['--concurrency', '-j -c --jobs --parallel --threads --workers'],
  ['--json', '-j'],
  ['--format', '--output-format --as'],
  ['--format json', '--yaml --format=yaml --format=yml -o=yaml -o=yml --output=yaml --output=yml'],
  ['--format ndjson', '--format=jsonl -o=jsonl --output=jsonl'],
  [
    '--format table',
    '--format=wide --format=text --format=pretty -o=wide --output=wide --output=text',
  ],
  ['--format md', '--format=markdown --markdown'],
  ['--format ids', '--format=id --ids --porcelain -o=name'],
  ['/blog --field articles', '--format=count --count'],
  ['--fields', '--columns --select -c'],
  ['--fields id,title,content', '--full --with-content --details --include-content --with-body'],
  ['--output', '--out --outfile --output-file --save -O'],
  ['--overwrite', '--force'],
  ['--quiet', '--silent --no-progress'],
  ['--no-color', '--color=never'],
  ['--no-input', '--non-interactive --no-interactive --no-tty'],
  ['-vvv', '--trace'],
  ['--yes', '--confirm --no-confirm --auto-approve --assume-yes --no-prompt'],
  ['--dry-run', '--dryrun --check --what-if --simulate --noop --preview'],
  ['--continue-on-error', '--skip-errors --ignore-errors --keep-going --continue'],
  ['--prune', '--delete --mirror --destroy'],
  ['--key-field', '--key --id-field'],
  ['--token-file -', '--with-token'],
  ['--store', '--db'],
  ['--name', '-n --label --description'],
  ['--allow', '--scope --scopes --rights --permissions --can'],
  ['--allow create,update,delete', '--allow=all --allow=any --allow=write --allow=*'],
  ['--expires', '--ttl --expires-in --expiry --expiration --valid --valid-for'],
  ['--for-blog', '--blog-id --on-blog'],
  ['--on-blog', '--id --blog-id --for-blog'],
  ['--host', '-H -b --bind --listen --address --addr --ip'],
  ['--port', '-P -l'],
  ['--delay', '-d --latency --slow'],
  ['--ephemeral', '--memory --in-memory --temp --tmp --rm'],
  ['--retries', '--retry'],
  ['--on-changed', '--on-conflict --on-duplicate --on-existing'],
  ['--read-only', '--ro --readonly'],
  ['--watch', '-w'],
  ['--method', '--request'],
  ['--exit-code', '--detailed-exitcode'],
  ['--help', '-?'],
];

/** The same of patterns, as in known-habits.ts. */
export const flagPatterns: readonly Habit[] = [
  [/^(?:help|\/?\?)$/, '--help'],
  [/^id=([1-9]\d*)$/, '$1'],
  [/^-q=([.[{(].*)$/s, '--jq $1'],
  [
    /^(?:-[Ru]|--(?:repo|url|path|site|blog|to|into|on|server|host|endpoint|api))=((?:https?|file):.+)$/,
    '--blog $1',
  ],
  [
    /^(?:-b|--(?:url|path|file|db|store|to|into|blog))=(?:file:)?([\w./~-]+\.json)$/,
    '--blog file:$1',
  ],
  [/^(?:-a|--app)=([a-zA-Z][\w-]*)$/, '--profile $1'],
  [/^--(?:max-time|connect-timeout|request-timeout)=(\d+)$/, '--timeout $1s'],
  [/^--(?:color|colour)=always$/, 'FORCE_COLOR=1 colours what goes to a pipe too.'],
  [
    /^(?:-[pPR]|--(?:repo|url|path|site|blog|to|into|on|context))=([a-zA-Z][\w-]*)$/,
    '--profile $1',
  ],
  [/^@([a-z][\w-]*)$/i, '--profile $1'],
  [/^-p=(\d+)$/, '--page $1'],
  [/^--([a-z-]+[a-z])(\d+)$/, '--$1 $2'],
  [/^--(?:hostname|host|server)=(?!.*:\/\/).+$/, (typed) => `--blog ${asAddress(typed)}`],
  [/^(?:-o|--output|--format)=(?:jsonpath|go-template|custom-columns|.*\{\{)/, noTemplate],
  [/^(?:file:.+|postgres.+|[^-].*\.json)$/, '--store $0'],
  [/^(?:https?|file):.+$/, '--blog $0'],
  ['-n', '--limit', '--dry-run', '--name'],
  [/^--json=([\w,]+)$/, '--json --fields $1'],
  ['--no-header --no-headers', '--format tsv', 'Only CSV has a heading.'],
];

/** What is typed to whoever serves a blog, and to what asks it by hand. */
export const ofServices: Habits = {
  api: [
    [/^(?:-f|-F|--(?:raw-)?field)=query=/, noGraph],
    [/^(?:GET|POST|PUT|PATCH|DELETE|HEAD)$/i, '-X $0'],
    [/^(?:-f|--(?:raw-)?field)=(?:per_page|limit)=(\d+)$/, '-F pageSize=$1'],
    [/^(?:-f|--(?:raw-)?field)=page=(\d+)$/, '-F pageIndex=$1'],
    [/^--(?:raw-)?field=(\w+=.*)$/s, '-X POST -F $1', '-F $1'],
    [/^\w+=.*$/s, '-F $0'],
    [{ '': '--slurp' }],
    ['-f --raw-field', '-X POST -F', '-F'],
    ['-I --head', '-X HEAD -i'],
    [/^--json=[{[]/, 'A body comes by --input <file>, - for stdin, or by -F.'],
    [/^--json=/, 'The answer is JSON as it is: --jq takes what is wanted out of it.'],
  ],
  serve: [
    [/^:?(\d+)$/, '--port $1'],
    [/^--(?:listen|bind)=(\d+)$/, '--port $1'],
    [/^([\w.-]+):(\d+)$/, '--host $1 --port $2'],
    [/^(?:-f|--(?:db|file|path|data))=(.+)$/, '--store $1'],
    ['start run up', ''],
    [/^--base-?url=\//i, 'A base URL is whole, as --base-url https://example.org.'],
    [/^\S+\.json \S+\.json$/, 'One service serves one store file: name one.'],
    [/^(?!:?\d+$|[\w.-]+:\d+$|.*\.json$)[^-]/, ofPosts],
    [/^--(?:listen|bind|addr|address)=([\w.-]+):(\d+)$/, '--host $1 --port $2'],
    [
      /^--(?:cors|cors-origin|allow-origin)=\*$/,
      'Each origin is named: --cors http://localhost:3000.',
    ],
    [
      {
        '': '--no-cors --no-gzip --nc --ng -D --build-drafts --disable-fast-render --livereload --incremental',
      },
    ],
  ],
};

/** gh names a service by its host alone. */
export function asAddress(typed: string): string {
  const host = typed.replace(/^.*?=/, '');
  if (host.includes('://')) return host;
  return `${/^(?:localhost|127\.|\[)/.test(host) ? 'http' : 'https'}://${host}/`;
}
