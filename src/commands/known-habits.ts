import type { Hint } from '../errors.ts';

/**
 * Words of one command line, or a sentence where no line does it. A slash names another command, up to the
 * first flag; `$1` is the first group of the pattern.
 */
type Meant = string | ((typed: string) => string);

/**
 * What is typed to which commands: words or flags, some with their value, a pattern of them, or what is
 * ours with what others call it. What is said of a flag to a group holds for each of its commands, and ''
 * are all. The first that is accepted counts.
 */
type Habit = readonly [
  scope: string,
  typed: string | RegExp | Readonly<Record<string, string>>,
  ...meant: readonly Meant[],
];

export function isHint(meant: string): meant is Hint {
  return meant.endsWith('.') && meant.includes(' ');
}

const pages = 'Pages are shown by `blogctl serve`, one article by `articles get <id> --web`.';
const imported = 'Files come to a blog by `blogctl articles import`.';
const noStates = 'Articles have no state: what is on the blog is public.';
const ofStore = 'A blog is changed in its store, by `blogctl store edit-blog --store <file>`.';
const noMeta = 'An article has a title and a content, and nothing else.';
const noComments = 'Comments have a link and no endpoint: docs/interface.md.';
const noTemplate = 'Go templates are not read: --jq takes a filter of jq, such as .[].title.';
const noToken = 'A command line is no place for a token:';
const noGuess = 'no token is sent by guessing';
const loginToken = `${noToken} it is asked for, or read from --token-file <file>.`;
export const noSecret = `${noToken} give --token-file <file>, and a blog without user and password.`;

/** `1-3` and `1..3` from the first to the last, and those between commas. */
function ids(typed: string): string {
  const parts = typed.split(',').flatMap((part) => {
    const [from = 0, to = from] = part.split(/-|\.+/).map(Number);
    return Array.from({ length: Math.max(1, to - from + 1) }, (_, more) => from + more);
  });
  return parts.join(' ');
}

/** Articles get their ids as they are created; names are written small. */
function sorted(typed: string): string {
  const by = typed.toLowerCase().replace(/^--sort=\+?(?:post_)?|[:,]asc$/g, '');
  const isOfChange = /^(?:modified|changed|updated)/.test(by);
  return `--sort ${isOfChange ? 'updated' : by.replace(/^(?:date|created\w*|number)$/, 'id')}`;
}

const named = 'articles get, articles update, articles edit, articles delete';
const written = 'articles create, articles update';
const groups = 'articles, auth, config, profile, runs, store, token';
const noun = /^(?:article|post|issue|pr)s?$/;
const posts = /^[^-].*\.(?:md|markdown|mdx|html?|xml|csv|tsv|ndjson|jsonl|zip|gz)$/;
const severalIds = /^\d+(?:(?:,|-|\.\.)\d{1,5})+,?$/;

/**
 * What gh, wp-cli, json-server, kubectl and git have taught, and ours for the same. What is no command of
 * blogctl is looked for among those of articles.
 */
const taught: readonly Habit[] = [
  ['blogctl, store', 'dump', '/articles export -'],
  ['blogctl', { articles: 'article post posts issue issues pr prs' }],
  ['blogctl', { blog: 'info ping health blogs', 'auth status': 'whoami status st' }],
  ['blogctl', { config: 'settings option', 'runs list': 'log history', 'sync plan': 'plan diff' }],
  ['blogctl', { 'sync apply': 'apply push', 'sync pull': 'pull', 'store check': 'doctor' }],
  ['blogctl', { serve: 'start up server dev json-server', store: 'db', help: 'man' }],
  ['blogctl', { '/serve --watch': '--watch -w', profile: 'remote' }],
  ['blogctl, articles', 'comments comment', noComments],
  ['blogctl', /^log(?:in|out)$/, 'auth $0'],
  ['blogctl', 'alias', 'There are no aliases: `blogctl profile add` keeps a blog under a name.'],
  ['blogctl, articles, runs', 'undo', '/runs undo'],
  ['blogctl, articles', 'revert rollback', '`blogctl runs list` shows what can be undone.'],
  ['blogctl', /^(?:init|repair)$/, 'store $0'],
  ['blogctl', 'run', 'serve', 'runs'],
  ['blogctl', 'stop', '`blogctl serve` ends with Ctrl-C, or with SIGTERM to its process.'],
  ['blogctl, store', 'backup', 'A backup is a copy of the file: docs/backup.md says how.'],
  ['blogctl', 'version', 'Run `blogctl --version`.'],
  ['blogctl', 'upgrade', 'Update it as it was installed: npm install --global blogctl.'],
  ['blogctl', /^([\w./~-]+\.json)$/, 'serve $1'],
  ['blogctl, articles', /^(?:https?:.*\/articles\/\d+|file:.*#\d+)$/, '/articles get $0'],
  ['articles', /^(?:https?|file):.+$/, 'list --blog $0'],
  ['blogctl', /^(?:https?|file):.+$/, 'blog --blog $0'],
  ['blogctl', /^(?:articles?|posts?)\/([1-9]\d*)$/, 'articles get $1'],
  ['blogctl', /^(?:article|post)s?[-:.]([a-z]+)$|^([a-z]+)-(?:article|post)s?$/, 'articles $1$2'],
  ['blogctl', /^(?!-|.*\.json$)[^=?*]*(?:[\\/][^=?*]*|\.\w+)$/, imported],

  [groups, 'show get view cat read print list whoami current', 'get', 'show', 'list', 'status'],
  [groups, 'add create new', 'create', 'add', 'set', 'init'],
  [groups, 'remove delete del destroy', 'delete', 'remove', 'unset', 'revoke'],

  ['articles', 'open browse', 'get --web', pages],
  ['articles', { create: 'post', 'create --editor': 'write', get: 'exists' }],
  ['articles', { update: 'change set patch put rename', 'list --search': 'search find grep' }],
  ['articles', { '/blog --field articles': 'count', '/sync plan': 'sync' }],
  ['articles', 'publish unpublish close reopen archive', noStates],
  ['articles', 'generate', 'Articles to try with stand in examples/posts of the package.'],
  ['articles', 'trash', 'There is no trash: `runs undo` creates again what a delete took.'],
  ['articles', 'restore', 'What a run deleted is created again, with another id, by `runs undo`.'],
  ['articles', 'diff', 'An article and its file are compared by `blogctl sync plan <folder>`.'],
  ['articles', /^#?([1-9]\d*)$/, 'get $1'],
  ['articles', /^--id=([1-9]\d*)$/, '$1'],
  ['articles', /^-[fF]=(title|content)=(.*)$/s, '--$1 $2'],

  ['articles list', noun, ''],
  ['articles list', /^#?([1-9]\d*)$/, '/articles get $1'],
  ['articles list', /^--(?:post__in|include|ids?)=([\d,]+)$/, '/articles get $1'],
  ['articles list', /^([\w./~-]+\.json)$/, '--blog file:$1'],
  ['articles list', /^--sort=(?:-(\w+)|(\w+)[:,]desc)$/i, '--sort $1$2 --reverse'],
  ['articles list', /^--sort=\+?(\w+?)(?:[:,]asc)?$/i, (typed) => sorted(typed)],
  ['articles list', /^-(\d+)$/, '--limit $1'],
  ['articles list', /^--(?:limit|per.page|posts_per_page|page-size)=(?:-1|0|all)$/, '--all'],
  ['articles list, articles create, blog', '--web -w', pages],
  ['articles list', '-l', '--limit'],
  ['articles list', /^(?!file:|https?:|-)|^--(?:title|filter)$/, 'Articles are found by --search.'],

  [named, noun, ''],
  [named, /^(?:article|post|issue)s?\/([1-9]\d*)$/, '$1'],
  ['articles get', noun, '/articles list'],
  ['articles get, articles delete', severalIds, ids],
  ['articles get', /^[^-].*\.md$/, '-o $0'],
  ['articles get', '--open --browser', '--web'],
  [written, /^(title|content)=(.*)$/s, '--$1 $2'],
  [written, /^\{|^(?:-d|--data|--json)$/, 'JSON is read by --from-file <file>, - for stdin.'],
  [written, /^[^-].*\.(?:md|json|html)$/, '--from-file $0'],
  [written, /^[^-]\S*\.txt$/, '--content-file $0'],
  [written, '--dry-run', 'It is a single request: nothing can be said of it before it is sent.'],
  ['articles create', /^(?!-)(?:.*\.(?:md|json|html)|\.+|\S*\/\S*)$/, '/articles import $0'],
  ['articles create', /^(?!#?\d+$|[^=\s]+=|\S+\.\w+$|[-{]).+$/s, '--title $0', '--content $0'],
  [written, /^-$/, 'Stdin is read by --content-file -, or as JSON by --from-file -.'],
  ['articles create', '--edit -e', '--editor'],
  ['articles update', severalIds, 'One is changed at a time: `articles update <id>`.'],
  ['articles edit', '--title -m -t', '/articles update --title'],
  ['articles edit', '--body --content -b', '/articles update --content'],
  ['articles edit', '--body-file -F', '/articles update --content-file'],
  ['articles delete', '--dry-run -n', 'It asks before it deletes: leave out --yes, and say no.'],
  ['articles delete', '--all', 'Name what to delete: `articles list --format ids` shows ids.'],
  ['articles delete', '-f --force --confirm', '--yes'],

  ['articles import', /^(?:-r|--recursive|--authors=.+)$/, ''],
  ['articles import', /^(?:-[dfi]|--(?:dir|file|from-file|input|source|folder))=(.+)$/, '$1'],
  ['articles import', /^(?:-j|--jobs|--parallel)=(\d+)$/, '--concurrency $1'],
  ['articles import', '--skip-existing', '--on-changed skip'],
  ['articles import', '--update --force', 'Only `blogctl sync apply` writes over an article.'],
  ['articles export', /^#?([1-9]\d*)$/, '/articles get $1 --format md'],
  ['articles export', /^(?:-d|--dir|--path)=(.+)$/, '$1'],
  ['articles export', { '--overwrite': '--force', '-': '--stdout', '': '--all' }],

  ['blog', 'list view', '/blog'],
  ['blog', 'edit update', '/store edit-blog', ofStore],
  ['auth', { login: 'add refresh', '/profile use': 'switch' }],
  ['auth status', '--show-token -t', '/auth token'],
  ['auth login', '--with-token', '--token-file -', `Name the <blog-url> too: ${noGuess}.`],
  ['auth login', /^(?:[^-]|--token$)/, loginToken],
  ['auth login', '--hostname --web', 'It takes <blog-url> alone, and asks for the token.'],
  ['config, profile', 'set update', 'set', 'add'],
  ['profile', 'switch default', 'use'],
  ['config', { '/config list': '--list', '/config path': 'edit --edit -e' }],
  ['config', /^([\w-]+)=(.+)$/s, 'set $1 $2'],
  ['config', /^\w[\w-]*$/, 'get $0', 'set $0'],
  ['config set, config get', 'token', 'A token is kept by `blogctl auth login <blog-url>`.'],
  ['config get', 'blogname', '/blog --field title'],
  ['config get', 'blogdescription', '/blog --field description'],
  ['config set', 'blogname', '/store edit-blog --title'],
  ['config set', 'blogdescription', '/store edit-blog --description'],
  ['config set', /^([\w-]+)=(.+)$/s, '$1 $2'],
  ['sync', { apply: 'push run up', pull: 'down' }],
  ['sync', 'diff status', 'plan', 'Name its folder: `blogctl sync plan <folder>`.'],
  ['sync', /^(?!(?:push|reset|resolve|undo|list|log|now)$)[^-].*$/, 'plan $0'],
  ['sync plan', '--dry-run -n', ''],
  ['sync apply', '--dry-run -n', '/sync plan'],
  ['sync plan, sync apply', '--delete', '--prune'],
  ['runs list', '-L --limit -n', 'It lists them all, the last first.'],
  ['runs undo', '--last', '`blogctl runs list` shows the last one first: give its id.'],
  ['runs undo', '--force', '--yes'],
  ['store', { '/blog': 'info ls list', '/articles export': 'export', check: 'verify fsck' }],
  ['store', { compact: 'vacuum', 'edit-blog': 'rename' }],
  ['store check', { '/store repair': '--repair --fix' }],
  ['store lock, store unlock, store edit-blog', /^[1-9]\d*$/, '--on-blog $0'],
  ['store add-blog, store edit-blog', /^(?!-|\d+$|.*\.json$).+$/s, '--title $0'],
  ['token create', /^\w[\w-]*$/, '--name $0'],
  ['token create', { '--allow': '--scope --rights', '--expires': '--ttl', '': '--expires=never' }],
  ['token create', /^--allow=(?:all|any|write|\*)$/, '--allow create,update,delete'],
  ['completion', 'pwsh ps1', 'powershell'],
  ['completion', /^(?:-s|--shell)=(\w+)$/, '$1'],
  ['api', /^(?:GET|POST|PUT|PATCH|DELETE|HEAD)$/i, '-X $0'],
  ['api', '-f --raw-field', '-X POST -F', '-F'],
  ['api', { '--method': '--request', '-X HEAD -i': '-I --head' }],
  ['blog', /^(?:id|title|description|articles|url)$/, '--field $0'],
  ['api', /^--json=/, 'The answer is JSON as it is: --jq takes what is wanted out of it.'],
  ['api', '-d --data --body', 'A body comes by --input <file>, - for stdin, or by -F.'],
  ['api', '--silent', 'The answer goes to stdout: -o <file> puts it elsewhere.'],
  ['serve', /^:?(\d+)$/, '--port $1'],
  ['serve', /^([\w.-]+):(\d+)$/, '--host $1 --port $2'],
  ['serve', /^--(?:db|file|path)=(.+)$/, '--store $1'],
  ['serve', posts, '/articles import $0'],
  ['serve', /^[^-].*\.json$/, 'One service serves one store file: name one.'],
  ['serve', '--token', `${noToken} set BLOGCTL_SERVE_TOKEN, or use the one that is shown.`],
  ['serve', { '--host': '-H --bind', '': '--no-cors', '--delay': '-d', '--read-only': '--ro' }],
  ['serve', { '--watch': '-w' }],
  ['serve', '--no-token', 'Whoever changes something needs a token, and readers need none.'],
  ['serve', '--open', 'It prints the address of its page when it is ready.'],

  ['', /^help$/, '--help'],
  ['', /^id=([1-9]\d*)$/, '$1'],
  ['', /^-q=([.[{(].*)$/s, '--jq $1'],
  ['', '--version', 'Run `blogctl --version`.'],
  ['', '--token --user -u', `${noToken} set BLOGCTL_TOKEN, or give --token-file <file>.`],
  ['', '--since', 'No listing has dates: --sort updated --reverse shows the last first.'],
  ['', '--offset --skip', 'Pages are counted: --page 2 --page-size 20 are the second twenty.'],
  ['', /^--(?:post_type=post|(?:post_)?status=publish(?:ed)?)$/, ''],
  ['articles', '--state --post_status --draft --status', noStates],
  ['', '--author --authors --post_author --label --post_date --post_name --post_category', noMeta],
  ['', /^--(?:slug|date|tags?|category|excerpt|publish|post_type|\w+_input)$/, noMeta],
  ['', /^(?:-R|--(?:repo|url|path|site|blog|to|into))=((?:https?|file):.+)$/, '--blog $1'],
  ['', /^(?:-b|--(?:url|path|file|db|store|to|into))=([\w./~-]+\.json)$/, '--blog file:$1'],
  ['', /^(?:file:.+|postgres.+|[^-].*\.json)$/, '--store $0'],
  ['', /^(?:https?|file):.+$/, '--blog $0'],
  ['', '-R --repo --url --path', 'A blog is named by --blog <url>, or by --blog file:<file>.'],
  ['', { '--content': '-b -c --body --post_content', '--title': '-t -m --post_title' }],
  ['', { '--content-file': '--body-file -F', '--from-file': '-f --file --input' }],
  ['', { '--limit': '--max --first --top --head', '--page': '--paged --pageIndex', '--all': '-a' }],
  ['', { '--sort': '--orderby --order-by --sort-by', '': '--order=asc --order=ASC' }],
  ['', { '--reverse': '--order=desc --order=DESC --desc', '--json': '-j' }],
  ['', { '--search': '--s --query --grep', '--format': '--output-format --as', '--help': '-?' }],
  ['', { '--format json': '--yaml --format=yaml -o=yaml' }],
  ['', { '--format ndjson': '--format=jsonl -o=jsonl' }],
  ['', { '--format table': '--format=wide --format=text', '--format md': '--format=markdown' }],
  ['', { '--format ids': '--format=id --ids --porcelain' }],
  ['', { '/blog --field articles': '--format=count --count', '--fields': '--columns --select' }],
  ['', { '--no-color': '--color=never', '--field content': '--raw -p', '--output': '--out' }],
  ['', { '--quiet': '--silent', '--token-file -': '--with-token', '--store': '--db' }],
  ['', '--template', noTemplate],
  ['articles list, articles get', '-t', noTemplate],
  ['', /^-f=(csv|tsv|json|ndjson|table|ids|md)$/, '--format $1'],
  ['', '--per-page --per_page --posts_per_page --size', '--page 1 --page-size', '--page-size'],
  ['', '-n', '--limit', '--dry-run'],
  ['', /^--json=([\w,]+)$/, '--json --fields $1'],
  ['', /^--([ct]sv)$/, '--format $1'],
  ['', '--no-header --no-headers', '--format tsv', 'Only CSV has a heading.'],
  ['', /^(?:-o|--output)=(json|csv|tsv|ndjson|table|ids|md|tap|junit)$/, '--format $1'],
];

export const habits = taught.flatMap(([scope, typed, ...meant]) =>
  typeof typed === 'string' || typed instanceof RegExp
    ? [{ scope, typed, meant }]
    : Object.entries(typed).map(([ours, theirs]) => ({ scope, typed: theirs, meant: [ours] })),
);
