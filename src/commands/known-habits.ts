import type { Hint } from '../errors.ts';
import { ids, ofArticles, severalIds } from './article-habits.ts';
import {
  backup,
  compared,
  copied,
  imported,
  lastRun,
  loginToken,
  noGuess,
  noSql,
  noStage,
  ofStore,
  noUsers,
  ofTools,
  storeFiles,
  noCounterpart,
} from './no-counterpart.ts';
import { asAddress, flagPatterns, flags, ofServices, type Habits, type Meant } from './synonyms.ts';

export function isHint(meant: string): meant is Hint {
  return meant.endsWith('.') && meant.includes(' ');
}

/**
 * What gh, wp-cli, json-server, kubectl and git have taught beyond other words for ours, and what is meant by it. What
 * is no command of blogctl is looked for among those of articles; a blank stands between two words of the line.
 */
const ofOthers: Habits = {
  blogctl: [
    [
      {
        articles: 'article post posts issue issues pr prs',
        help: 'man docs about examples tutorial quickstart',
      },
    ],
    [{ blog: 'ping health healthcheck', 'auth status': 'whoami st' }],
    [{ 'runs list': 'log logs history ps jobs', 'config list': 'settings options env configure' }],
    [{ 'profile list': 'remote profiles contexts', 'token list': 'tokens' }],
    [{ serve: 'start up server dev json-server listen mock', completion: 'autocomplete' }],
    [/^(?:environment|exit-codes|formatting)$/, 'help $0'],
    [/^cli (?:update|upgrade)$/, 'upgrade'],
    [/^cli (?:version|info)$/, 'Run `blogctl --version`.'],
    ['--info', 'Run `blogctl --version`.'],
    [/^(?:cli|wp|gh|git|kubectl|npm|npx|hugo|jekyll|blogctl)$/, ''],
    [/^post (?:articles|posts)$/, 'articles create'],
    [/^post (\S+ .+)$/s, 'articles create --title $1'],
    [/^repo clone$/, 'clone'],
    [/^-p=(\d+)$/, 'serve --port $1'],
    [/^--host=(\S+)$/, 'serve --host $1'],
    [/^watch (\S+\.json)$/, 'serve $1 --watch'],
    [/^publish (\S+\.\w+)$/, 'articles create --from-file $1'],
    [
      /^(?:validate|lint|verify|publish) (?!https?:|.*\.json$|#?\d+$)(\S+)$/,
      'articles import $1 --dry-run',
    ],
    [/^postgres(?:ql)?:.+$/, 'serve --store $0'],
    [{ store: 'db', api: 'curl http', runs: 'rollout', 'store check': 'fsck doctor' }],
    [/^(GET|POST|PUT|PATCH|DELETE|HEAD)$/, 'api -X $1'],
    [/^diff (?:#?[1-9]\d*|\S+\.\w+)$/, compared],
    [/^status ([^-]\S*)$/, 'sync plan $1'],
    [/^clone ((?:https?|file):\S+)$/, '/articles export --blog $1'],
    [/^restore \S+\.\w+$/, backup],
    [/^(?:verify|check|validate) (\S+\.json)$/, '/store check $1'],
    [
      /^import (?:wordpress|wp|ghost|medium|jekyll|hugo|markdown|rss|feed|csv|json)$/,
      '/articles import',
    ],
    [/^add (?:\.|-A|--all)$/, noStage],
    [/^run (\S+\.json)$/, 'serve $1'],
    [/^logs (\w\S*)$/, 'runs show $1'],
    ['run', 'runs'],
    [/^(?:undo|revert|rollback) (?:last|latest)$/, lastRun],
    [/^([\w./~-]+\.json)$/, 'serve $1'],
    [/^(?:https?|file):.+$/, 'blog --blog $0'],
    [/^(?:articles?|posts?)\/([1-9]\d*)$/, 'articles get $1'],
    [/^(?!-|.*\.json$)[^=?*]*(?:[\\/][^=?*]*|\.\w+)$/, imported],
  ],
  'articles import': [
    [/^--post.type=([\w,]+)$/, '--types $1'],
    [/^--[\w-]+=(?:wordpress|wp|wxr|ghost|jekyll|hugo|markdown|md|rss|feed|[ct]sv|json)$/, ''],
    [{ '': '--progress', '--concurrency': '--batch-size --batch' }],
    [/^--from-\w+=(.+)$/, '$1'],
    [/^(?:-r|--recursive|--(?:authors|skip)=.+)$/, ''],
    [/^(?:-[dfi]|--(?:dir|file|from|from-file|input|source|src|path|folder))=(.+)$/, '$1'],
    [
      '--parallel',
      '--concurrency',
      'Four requests are sent at a time: --concurrency <n> for more.',
    ],
    ['--skip-existing', '--on-changed skip'],
  ],
  'articles export': [
    [
      /^--format=(?:html|wxr|xml|rss|pdf|hugo|jekyll)$/,
      'Articles are exported as Markdown, which Hugo and Jekyll read, or by --format ndjson, json or csv.',
    ],
    [
      /^--format=(?:md|markdown)$/,
      'Markdown is written to a folder: `blogctl articles export <folder>`.',
    ],
    [severalIds, (typed) => `/articles get ${ids(typed)} --format md`],
    [/^(?:--?ids?=)?#?([1-9]\d*)$/, '/articles get $1 --format md', '/articles get $1'],
    [/^(?:-d|--dir|--path|--to|--output)=(.+)$/, '$1'],
    [{ '-': '--stdout', '': '--all', '--overwrite': '--force -f' }],
  ],
  runs: [[{ list: 'last latest status', show: 'log logs', undo: 'revert rollback' }]],
  blog: [
    ['list ls view show get info', '/blog'],
    ['edit update set', '/store edit-blog', ofStore],
    ['create new add', '/store add-blog'],
    [/^(?:id|title|description|articles|url)$/, '--field $0'],
    ['--title', '/store edit-blog --title'],
    ['--description', '/store edit-blog --description'],
  ],
  auth: [
    [{ login: 'add' }],
    [/^(?:switch|use)$/, '/profile use', '`blogctl profile use <name>` chooses another blog.'],
  ],
  'auth login, auth logout': [[/^(?:-h|--hostname)=(.+)$/, asAddress]],
  'auth status': [['--show-token -t', '/auth token']],
  'auth login': [
    ['--with-token', '--token-file -', `Name the <blog-url> too: ${noGuess}.`],
    [/^[^-]/, loginToken],
  ],
  profile: [
    ['set', 'add', 'use'],
    ['update edit', 'add'],
    ['unset clear none', '/config unset profile'],
    ['which active', 'show'],
  ],
  'profile use': [
    ['--global --local', ''],
    [/^(?:file:)?(.+\.json)$/, '/config set blog file:$1'],
  ],
  config: [
    [{ get: '--get', set: '--add --set', unset: '--unset', list: '--list -l' }],
    [{ '': '--global --local', path: 'edit --edit -e open where file dir' }],
    [/^([\w-]+)=(.+)$/s, 'set $1 $2'],
    [/^\w[\w-]*$/, 'get $0', 'set $0'],
  ],
  'config set, config get, config': [
    [/^user\.\w+$/, noUsers],
    ['url blog_url blog-url', 'blog'],
    [/^(?:host|server|site) ((?:https?|file):.+)$/, 'blog $1'],
  ],
  'config get': [
    ['host site', 'blog'],
    ['blogname', '/blog --field title'],
    ['siteurl home', '/blog --field url'],
    ['blogdescription', '/blog --field description'],
  ],
  'config set': [
    [/^(?:editor|pager|browser)$/, ofTools],
    ['prompt', 'Nothing is asked with --no-input.'],
    ['blogname', '/store edit-blog --title'],
    ['blogdescription', '/store edit-blog --description'],
    [/^([\w-]+)=(.+)$/s, '$1 $2'],
  ],
  sync: [
    ['diff status', 'plan', 'Name its folder: `blogctl sync plan <folder>`.'],
    [{ apply: 'run now', '/sync plan': '--dry-run -n' }],
    [
      /^(?!(?:reset|resolve|undo|list|log|push|up|down|deploy|check|init|watch|destroy|delete|remove|stop|a\w{2,4}y|p\w{1,3}[nl])$)[^-].*$/,
      'plan $0',
    ],
  ],
  'sync plan, sync apply': [
    [
      /^(?:(?:-f|--filename)=)?[^-]\S*\.(?:md|html?)$/,
      'A folder is synced as a whole: one file becomes an article by `blogctl articles create --from-file <file>`.',
    ],
    [/^(?:-f|-k|--filename)=(.+)$/, '$1'],
  ],
  'sync plan': [['--dry-run -n', '']],
  'sync apply': [['--dry-run --dryrun -n --check --dry-run=client --dry-run=server', '/sync plan']],
  'runs list': [[/^(?:-L|--limit|-n|-\d+)(?:=\d+)?$/, 'It lists them all, the last first.']],
  'articles delete, runs undo, token revoke, profile remove': [['--force -f -rf', '--yes']],
  store: [
    [{ compact: 'gc shrink prune' }],
    [{ '/blog': 'info ls list blogs list-blogs show get stats size', upgrade: 'migrate' }],
    [/^(?:export|dump) (\S+)\.sql$/, '/articles export $1.ndjson'],
    [/^(?:export|dump) (\S+)$/, '/articles export $1'],
    [/^(?:import|load) (?!.*\.sql$)(\S+)$/, '/articles import $1'],
    [/^(?:import|load) \S+\.sql$/, noSql],
    ['export dump', '/articles export backup.ndjson', storeFiles],
    ['import load', storeFiles],
    [/^restore \S+\.\w+$/, backup],
  ],
  'store copy': [[/^(?!-)/, copied]],
  'store check': [[{ '/store repair': '--repair --fix' }]],
  'store lock, store unlock, store edit-blog': [
    [/^(?:--blog=)?([1-9]\d*)$/, '--on-blog $1'],
    [/^articles?\/(\d+)$/, '--article $1'],
  ],
  'store init, store add-blog, store edit-blog': [
    [/^(?!-|\d+$|.*\.json$|https?:|file:|postgres(?:ql)?:\/\/).+$/s, '--title $0', ofStore],
  ],
  'token create': [
    [/^\w[\w\s-]*$/, '--name $0'],
    [/^--blog=([1-9]\d*)$/, '--for-blog $1'],
    [/^--read-?only$|^--allow=read/, 'Readers need no token: --allow says what may be changed.'],
    [{ '': '--expires=never' }],
    [/^-n=(.+)$/, '--name $1'],
  ],
  token: [[{ create: 'generate' }]],
  'token list': [
    [
      /^(?!-|.*\.json$|file:|postgres(?:ql)?:\/\/)/,
      'A token is shown once, as it is made: `blogctl token list` names them.',
    ],
  ],
  completion: [
    ['pwsh ps1', 'powershell'],
    [/^(?:-s|--shell)=(\w+)$/, '$1'],
  ],
  'token revoke, profile add, profile remove, profile use, runs show, runs undo, runs resume': [
    [/^(?:-n|--(?:name|id|run|url))=(.+)$/, '$1'],
  ],
};

function linesIn(habitsOf: Habits): readonly Scoped[] {
  return Object.entries(habitsOf).flatMap(([scope, rows]) =>
    rows.flatMap(([typed, ...meant]) =>
      typeof typed === 'string' || typed instanceof RegExp
        ? [{ scope, typed, meant }]
        : Object.entries(typed).map(([ours, theirs]) => ({ scope, typed: theirs, meant: [ours] })),
    ),
  );
}

const sentences = Object.entries(noCounterpart).flatMap(([scope, all]) =>
  Object.entries(all).map(([typed, said]) => ({ scope, typed, meant: [said] })),
);

type Scoped = {
  readonly scope: string;
  readonly typed: string | RegExp;
  readonly meant: readonly Meant[];
};

/** What is said of a word goes before what may be meant by it. */
export const habits: readonly Scoped[] = [
  ...sentences,
  ...linesIn(ofArticles),
  ...linesIn(ofOthers),
  ...linesIn(ofServices),
  ...linesIn({ '': flagPatterns }),
  ...flags.map(([ours, theirs]) => ({ scope: '', typed: theirs, meant: [ours] })),
];
