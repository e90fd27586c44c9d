import type { Hint } from '../errors.ts';

/**
 * Words of one command line, or a sentence where no line does it. A slash names another command, up to the
 * first flag; `$1` is the first group of the pattern.
 */
type Meant = string | ((typed: string) => string);

/**
 * What is typed to which commands: words or flags, some with their value, or a pattern of them. What is
 * said of a flag to a group holds for each of its commands, and '' are all. The first that is accepted
 * counts.
 */
type Habit = readonly [scope: string, typed: string | RegExp, ...meant: readonly Meant[]];

export function isHint(meant: string): meant is Hint {
  return meant.endsWith('.') && meant.includes(' ');
}

const pages = 'Pages are shown by `blogctl serve`, one article by `articles get <id> --web`.';
const imported = 'Files come to a blog by `blogctl articles import`.';
const noStates = 'Articles have no state: what is on the blog is public.';
const ofStore = 'A blog is changed in its store, by `blogctl store edit-blog --store <file>`.';
const noMeta = 'An article has a title and a content, and nothing else.';
const noTemplate = 'Go templates are not read: --jq takes a filter of jq, such as .[].title.';
const noToken = 'A command line is no place for a token:';
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
export const habits: readonly Habit[] = [
  ['blogctl, store', 'dump', '/articles export -'],
  ['blogctl', 'article post posts issue issues pr prs', 'articles'],
  ['blogctl', 'info ping health blogs', 'blog'],
  ['blogctl', 'comments', 'Comments have a link and no endpoint: docs/interface.md.'],
  ['blogctl', /^log(?:in|out)$/, 'auth $0'],
  ['blogctl', 'whoami status st', 'auth status'],
  ['blogctl', 'alias', 'There are no aliases: `blogctl profile add` keeps a blog under a name.'],
  ['blogctl', 'settings option', 'config'],
  ['blogctl', 'log history', 'runs list'],
  ['blogctl, articles, runs', 'undo revert rollback', '/runs undo'],
  ['blogctl', 'plan diff', 'sync plan'],
  ['blogctl', 'apply push', 'sync apply'],
  ['blogctl', 'pull', 'sync pull'],
  ['blogctl', 'doctor', 'store check'],
  ['blogctl', /^(?:init|repair)$/, 'store $0'],
  ['blogctl', 'start up server dev json-server', 'serve'],
  ['blogctl', 'run', 'serve', 'runs'],
  ['blogctl', 'stop', '`blogctl serve` ends with Ctrl-C, or with SIGTERM to its process.'],
  ['blogctl, store', 'backup', 'A backup is a copy of the file: docs/backup.md says how.'],
  ['blogctl', 'db', 'store'],
  ['blogctl', 'man', 'help'],
  ['blogctl', 'version', 'Run `blogctl --version`.'],
  ['blogctl', 'upgrade', 'Update it as it was installed: npm install --global blogctl.'],
  ['blogctl', '--watch -w', '/serve --watch'],
  ['blogctl', /^([\w./~-]+\.json)$/, 'serve $1'],
  ['blogctl, articles', /^(?:https?:.*\/articles\/\d+|file:.*#\d+)$/, '/articles get $0'],
  ['articles', /^(?:https?|file):.+$/, 'list --blog $0'],
  ['blogctl', /^(?:https?|file):.+$/, 'blog --blog $0'],
  ['blogctl', /^(?:articles?|posts?)\/([1-9]\d*)$/, 'articles get $1'],
  ['blogctl', /^(?!-|.*\.json$)[^=?*]*(?:[\\/][^=?*]*|\.\w+)$/, imported],

  [groups, 'show get view cat read print exists list whoami', 'get', 'show', 'list', 'status'],
  [groups, 'add create new', 'create', 'add', 'set', 'init'],
  [groups, 'remove delete del destroy', 'delete', 'remove', 'unset', 'revoke'],

  ['articles', 'open browse', 'get --web', pages],
  ['articles', 'post', 'create'],
  ['articles', 'publish', noStates],
  ['articles', 'generate', 'Articles to try with stand in examples/posts of the package.'],
  ['articles', 'write', 'create --editor'],
  ['articles', 'change set patch put rename', 'update'],
  ['articles', 'trash', 'There is no trash: `runs undo` creates again what a delete took.'],
  ['articles', 'restore', 'What a run deleted is created again, with another id, by `runs undo`.'],
  ['articles', 'search find grep', 'list --search'],
  ['articles', 'count', '/blog --field articles'],
  ['articles', 'sync', '/sync plan'],
  ['articles', 'diff', 'An article and its file are compared by `blogctl sync plan <folder>`.'],
  ['articles', /^#?([1-9]\d*)$/, 'get $1'],
  ['articles', /^--id=([1-9]\d*)$/, '$1'],
  ['articles', /^-[fF]=(title|content)=(.*)$/s, '--$1 $2'],

  ['articles list', noun, ''],
  ['articles list', /^#?([1-9]\d*)$/, '/articles get $1'],
  ['articles list', /^--(?:post__in|include|ids?)=([\d,]+)$/, '/articles get $1'],
  ['articles list', /^([\w./~-]+\.json)$/, '--blog file:$1'],
  ['articles list', /^--sort=(?:-(?=\w+$))?(\w+)(?::desc)?$/, '--sort $1 --reverse'],
  ['articles list', /^--sort=(\w+):asc$/, '--sort $1'],
  ['articles list, articles create, blog', '--web', pages],
  ['articles list', '-l', '--limit'],
  ['articles list', /^(?!file:|https?:|-)|^--(?:title|filter)$/, 'Articles are found by --search.'],

  [named, noun, ''],
  [named, /^(?:article|post|issue)s?\/([1-9]\d*)$/, '$1'],
  ['articles get', noun, '/articles list'],
  ['articles get, articles delete', severalIds, ids],
  ['articles get', /^[^-].*\.md$/, '-o $0'],
  [written, /^(title|content)=(.*)$/s, '--$1 $2'],
  [written, /^[^-].*\.(?:md|json|html)$/, '--from-file $0'],
  [written, '--dry-run', 'It is a single request: nothing can be said of it before it is sent.'],
  ['articles create', /^[^-].*\.(?:md|json|html)$/, '/articles import $0'],
  ['articles create', /^(?!#?\d+$|[^=\s]+=|[^ ]+\.\w+$|-).+$/s, '--title $0', '--content $0'],
  [written, /^-$/, 'Stdin is read by --content-file -, or as JSON by --from-file -.'],
  ['articles create', '--edit -e', '--editor'],
  ['articles update', severalIds, 'One is changed at a time: `articles update <id>`.'],
  ['articles edit', '--title -m -t', '/articles update --title'],
  ['articles edit', '--body --content -b', '/articles update --content'],
  ['articles edit', '--body-file -F', '/articles update --content-file'],
  ['articles delete', '--dry-run -n', 'It asks before it deletes: leave out --yes, and say no.'],
  ['articles delete', '--all', 'Name what to delete: `articles list --format ids` shows ids.'],
  ['articles delete', '-f --force --confirm', '--yes'],

  ['articles import', '-r', ''],
  ['articles import', /^(?:-d|--dir|-f|--file|--from-file)=(.+)$/, '$1'],
  ['articles export', /^#?([1-9]\d*)$/, '/articles get $1 --format md'],
  ['articles export', /^(?:-d|--dir|--path)=(.+)$/, '$1'],
  ['articles export', '--force', '--overwrite'],
  ['articles export', '--stdout', '-'],

  ['blog', 'list view', '/blog'],
  ['blog', 'edit update', '/store edit-blog', ofStore],
  ['auth', 'switch add', 'login'],
  ['auth status', '--show-token -t', '/auth token'],
  [
    'auth login',
    '--with-token',
    '--token-file -',
    'Name the <blog-url> too: no token is sent by guessing.',
  ],
  ['auth login', /^(?:[^-]|--token$)/, loginToken],
  ['auth login', '--hostname --web', 'It takes <blog-url> alone, and asks for the token.'],
  ['config, profile', 'set update', 'set', 'add'],
  ['profile', 'switch', 'use'],
  ['config', '--list', '/config list'],
  ['config', /^([\w-]+)=(.+)$/s, 'set $1 $2'],
  ['config', /^\w[\w-]*$/, 'get $0', 'set $0'],
  ['config get', 'blogname', '/blog --field title'],
  ['config get', 'blogdescription', '/blog --field description'],
  ['config set', 'blogname', '/store edit-blog --title'],
  ['config set', 'blogdescription', '/store edit-blog --description'],
  ['config set', /^([\w-]+)=(.+)$/s, '$1 $2'],
  ['sync', 'push run', 'apply'],
  ['sync', 'diff status', 'plan', 'Name its folder: `blogctl sync plan <folder>`.'],
  ['sync', /^[^-].*$/, 'plan $0'],
  ['sync plan', '--dry-run', ''],
  ['sync apply', '--dry-run', '/sync plan'],
  ['runs list', '-L --limit -n', 'It lists them all, the last first.'],
  ['runs undo', '--last', '`blogctl runs list` shows the last one first: give its id.'],
  ['runs undo', '--force', '--yes'],
  ['store', 'info ls list', '/blog'],
  ['store', 'export', '/articles export'],
  ['store', 'verify fsck', 'check'],
  ['store', 'vacuum', 'compact'],
  ['store', 'rename', 'edit-blog'],
  ['completion', 'pwsh ps1', 'powershell'],
  ['completion', /^(?:-s|--shell)=(\w+)$/, '$1'],
  ['api', /^(?:GET|POST|PUT|PATCH|DELETE|HEAD)$/i, '-X $0'],
  ['api', '-f --raw-field', '-X POST -F', '-F'],
  ['api', '--request', '--method'],
  ['api', /^--json=/, 'The answer is JSON as it is: --jq takes what is wanted out of it.'],
  ['api', '-d --data --body', 'A body comes by --input <file>, - for stdin, or by -F.'],
  ['api', '--silent', 'The answer goes to stdout: -o <file> puts it elsewhere.'],
  ['serve', /^:?(\d+)$/, '--port $1'],
  ['serve', /^--(?:db|file|path)=(.+)$/, '--store $1'],
  ['serve', posts, '/articles import $0'],
  ['serve', /^[^-].*\.json$/, 'One service serves one store file: name one.'],
  ['serve', '--token', `${noToken} set BLOGCTL_SERVE_TOKEN, or use the one that is shown.`],
  ['serve', '-H', '--host'],
  ['serve', '--no-cors', ''],
  ['serve', '--no-token', 'Whoever changes something needs a token, and readers need none.'],
  ['serve', '--open', 'It prints the address of its page when it is ready.'],
  ['serve', '-d', '--delay'],
  ['serve', '--ro', '--read-only'],
  ['serve', '-w', '--watch'],

  ['', /^help$/, '--help'],
  ['', /^id=([1-9]\d*)$/, '$1'],
  ['', /^-q=([.[{(].*)$/s, '--jq $1'],
  ['', '--version', 'Run `blogctl --version`.'],
  ['', '--token --user -u', `${noToken} set BLOGCTL_TOKEN, or give --token-file <file>.`],
  ['', '--since', 'No listing has dates: --sort updated --reverse shows the last first.'],
  ['', '--offset', 'Pages are counted: --page 2 --page-size 20 are the second twenty.'],
  ['', /^--(?:post_type=post|(?:post_)?status=publish(?:ed)?)$/, ''],
  ['', '--state --post_status --draft --status', noStates],
  ['', '--author --authors --post_author --label', noMeta],
  [
    '',
    /^--(?:slug|date|tags|category|publish|post_(?:date|name|category|type)|(?:tags|meta)_input)$/,
    noMeta,
  ],
  ['', /^(?:-R|--(?:repo|url|path|site|blog))=((?:https?|file):.+)$/, '--blog $1'],
  ['', /^(?:-b|--(?:url|path|file|db|store))=([\w./~-]+\.json)$/, '--blog file:$1'],
  ['', /^(?:file:.+|postgres.+|[^-].*\.json)$/, '--store $0'],
  ['', /^(?:https?|file):.+$/, '--blog $0'],
  ['', '-R --repo --url --path', 'A blog is named by --blog <url>, or by --blog file:<file>.'],
  ['', '-b -c --body --post_content', '--content'],
  ['', '-t -m --post_title', '--title'],
  ['', '--template', noTemplate],
  ['articles list, articles get', '-t', noTemplate],
  ['', /^-f=(csv|tsv|json|ndjson|table|ids|md)$/, '--format $1'],
  ['', '--body-file -F', '--content-file'],
  ['', '-f --file --input', '--from-file'],
  ['', '--per-page --per_page --posts_per_page', '--page 1 --page-size', '--page-size'],
  ['', '-n', '--limit', '--dry-run'],
  ['', '-limit --max', '--limit'],
  ['', '--paged', '--page'],
  ['', '-a', '--all'],
  ['', '--orderby --order-by --sort-by', '--sort'],
  ['', '--order=asc --sort=asc', ''],
  ['', '--order=desc --desc', '--reverse'],
  ['', '--s --query --grep', '--search'],
  ['', /^--json=([\w,]+)$/, '--json --fields $1'],
  ['', '-j', '--json'],
  ['', /^--([ct]sv)$/, '--format $1'],
  ['', '--no-header --no-headers', '--format tsv', 'Only CSV has a heading.'],
  ['', '--yaml --format=yaml -o=yaml', '--format json'],
  ['', /^--format=[A-Z]+$/, (typed) => typed.toLowerCase().replace('=', ' ')],
  ['', '--format=jsonl -o=jsonl', '--format ndjson'],
  ['', '--format=wide --format=text', '--format table'],
  ['', '--format=markdown', '--format md'],
  ['', '--format=id --ids --porcelain', '--format ids'],
  ['', /^(?:-o|--output)=(json|csv|tsv|ndjson|table|ids|md|tap|junit)$/, '--format $1'],
  ['', '--format=count --count', '/blog --field articles'],
  ['', '--columns', '--fields'],
  ['', '--color=never', '--no-color'],
  ['', '--raw -p', '--field content'],
  ['', '--out', '--output'],
  ['', '--silent', '--quiet'],
  ['', '--with-token', '--token-file -'],
  ['', '--db', '--store'],
];
