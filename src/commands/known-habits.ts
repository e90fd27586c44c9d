import type { Hint } from '../errors.ts';
import { ofArticles } from './article-habits.ts';
import { pairsOfWords, verbs } from './named-commands.ts';
import * as said from './no-counterpart.ts';
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
        help: 'man docs about examples tutorial quickstart options',
      },
    ],
    [{ 'auth status': 'whoami st', commands: 'cmd-dump' }],
    [{ 'runs list': 'log logs history ps jobs', 'config list': 'settings env configure' }],
    [{ 'profile list': 'remote profiles contexts', 'token list': 'tokens' }],
    [{ serve: 'start up server dev json-server listen mock', completion: 'autocomplete' }],
    [/^(?:environment|exit-codes|formatting)$/, 'help $0'],
    [/^cli (?:update|upgrade)$/, 'upgrade'],
    ['--info --v --ver --versions', 'Run `blogctl --version`.'],
    [/^(?:cli|wp|gh|git|kubectl|npm|npx|hugo|jekyll|blogctl)$/, ''],
    [/^(?:verify|validate|doctor) (https?:\S+)$/, '/check $1'],
    [/^(?:rollout undo|(?:undo|rollback|revert) (?:articles?\/|#)?\d{1,5})$/, said.lastRun],
    [/^sites? (?:use|switch|select)$/, '/profile use'],
    [/^(?:new|create|make|init) (?:site|blog)$/, 'blog create'],
    ['create-blog new-blog init-blog new-site create-site init-site', 'blog create'],
    [/^post (?:articles|posts)$/, 'articles create'],
    [/^post (\S+ .+)$/s, 'articles create --title $1'],
    [/^repo clone$/, 'clone'],
    [/^-p=(\d+)$/, 'serve --port $1'],
    [/^--host=(\S+)$/, 'serve --host $1'],
    [/^watch (\S+\.json)$/, 'serve $1 --watch'],
    [/^publish (\S+\.\w+)$/, 'articles create --from-file $1'],
    [/^publish (?!https?:|#?\d+$)(\S+)$/, 'sync apply $1'],
    [
      /^(?:validate|lint|verify) (?!https?:|.*\.json$|#?\d+$)(\S+)$/,
      'articles import $1 --dry-run',
    ],
    [/^postgres(?:ql)?:.+$/, 'serve --store $0'],
    [{ store: 'db', 'store compact': 'gc vacuum', api: 'curl http', runs: 'rollout run' }],
    [/^(GET|POST|PUT|PATCH|DELETE|HEAD)$/, 'api -X $1'],
    [/^diff (?:#?[1-9]\d*|\S+\.\w+)$/, said.compared],
    [/^status ([^-]\S*)$/, 'sync plan $1'],
    [/^clone (\w+:\S+)$/, '/articles export <folder> --blog $1', '/articles export --blog $1'],
    [/^restore (\S+\.(?:ndjson|jsonl|csv|xml|zip|md))$/, 'articles import $1'],
    [/^restore \S+\.\w+$/, said.backup],
    [
      /^(?:rm|delete|remove) \S+\.(?:md|html?)$/,
      'Name what to delete by its id; what a folder had and has no more is deleted by `blogctl sync apply <folder> --prune`.',
    ],
    [/^(?:verify|check|validate) (\S+\.json)$/, '/store check $1'],
    [
      /^import (?:wordpress|wp|ghost|medium|jekyll|hugo|markdown|rss|feed|csv|json)$/,
      '/articles import',
    ],
    [/^add (?:\.|-A|--all)$/, said.noStage],
    [/^run (\S+\.json)$/, 'serve $1'],
    [/^logs (\w\S*)$/, 'runs show $1'],
    [/^(?:undo|revert|rollback) (?:last|latest)$/, said.lastRun],
    [/^(?:undo|revert|rollback) (?=.*[a-f])([\da-f]{6,})$/, 'runs undo $1'],
    [/^([\w./~-]+\.json)$/, 'serve $1'],
    [/^(?:https?|file):.+$/, 'blog --blog $0'],
    [/^(?:articles?|posts?)\/([1-9]\d*)$/, 'articles get $1'],
    [/^(?!-|.*\.json$)[^=?*]*(?:[\\/][^=?*]*|\.\w+)$/, said.imported],
  ],
  'articles import': [
    [/^--(?:key|path|root|node|data)=(?:posts|articles|items|entries|data|results|records)$/, ''],
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
    [/^--(?:skip-existing|on-conflict=(?:skip|ignore))$/, '--on-changed skip'],
    [/^--(?:columns|fields?|cols)=(\w+),(\w+)$/, '--map title=$1,content=$2'],
  ],
  blog: [
    ['list ls view show get info', '/blog'],
    ['edit update set', '/store edit-blog', said.ofStore],
    ['add', '/store add-blog'],
    [/^(?:create|new|init) (\w[\w-]*)$/, '/store init $1.json'],
    ['create new init', '/store init <file>'],
    [/^(?:id|title|description|articles|url)$/, '--field $0'],
    ['--title', '/store edit-blog --title'],
    ['--description', '/store edit-blog --description'],
  ],
  auth: [['switch use', '`blogctl profile use <name>` chooses another blog.']],
  'auth login, auth logout': [[/^(?:-h|--hostname)=(.+)$/, asAddress]],
  'auth token': [[/^(?:create|new|add|generate|list|ls|revoke|rm|delete)$/, '/token $0']],
  'auth status': [['--show-token -t', '/auth token']],
  'auth login': [
    ['--with-token', '--token-file -', `Name the <blog-url> too: ${said.noGuess}.`],
    [/^[^-]/, said.loginToken],
  ],
  profile: [['set', 'add', 'use']],
  'profile add': [
    [/^([\w-]+)=((?:https?|file):.+|.+\.json)$/, '$1 $2'],
    [/^(?:https?|file):.+$/, '<name> $0'],
    [/^--(?:url|store|file|address)=(.+)$/, '--blog $1'],
    [/^--blog=(.+)$/, '$1'],
  ],
  'profile use': [
    ['--global --local', ''],
    [/^(?:file:)?(.+\.json)$/, '/config set blog file:$1'],
  ],
  config: [
    [/^(timeout|max-wait)=(\d+)$/, 'set $1 $2s'],
    [/^([\w-]+)=(.+)$/s, 'set $1 $2'],
    [/^\w[\w-]*$/, 'get $0', 'set $0'],
  ],
  'config set, config get, config': [
    [/^user\.\w+$/, said.noUsers],
    ['url blog_url blog-url default_blog default-blog', 'blog'],
    [/^(?:host|server|site) ((?:https?|file):.+)$/, 'blog $1'],
  ],
  'config get': [
    [
      /^(?:blog|profile|timeout|retries|max-wait) (?:blog|profile|timeout|retries|max-wait)$/,
      '/config list',
    ],
    [/^(?:core\.)?(?:editor|pager|browser)$/, said.ofTools],
    ['host site', 'blog'],
    ['blogname', '/blog --field title'],
    ['siteurl home', '/blog --field url'],
    ['blogdescription', '/blog --field description'],
  ],
  'config set': [
    [/^(?:core\.)?(?:editor|pager|browser)$/, said.ofTools],
    ['prompt', 'Nothing is asked with --no-input.'],
    ['blogname', '/store edit-blog --title'],
    ['blogdescription', '/store edit-blog --description'],
    [/^(timeout|max-wait)=(\d+)$/, '$1 $2s'],
    [/^([\w-]+)=(.+)$/s, '$1 $2'],
  ],
  sync: [
    [
      'init setup',
      'Nothing has to be made first: `blogctl sync plan <folder>` shows what would be done.',
    ],
    ['watch follow auto', said.noWatch],
    [/^(?:destroy|remove|delete|rm) (?!-)(\S+)$/, '/runs undo --source $1'],
    [
      'resolve merge rebase',
      '`blogctl sync plan <folder>` shows what changed on both sides; --on-drift keep or overwrite says what becomes of it.',
    ],
  ],
  'sync plan, sync apply': [
    [
      '--exclude --include --ignore',
      'Paths behind the folder choose: `blogctl sync apply <folder> a.md b.md`.',
    ],
    [
      /^(?:(?:-f|--filename)=)?[^-]\S*\.(?:md|html?)$/,
      'A folder is synced as a whole: one file becomes an article by `blogctl articles create --from-file <file>`.',
    ],
  ],
  'sync plan, sync apply, sync pull': [
    [/^(?:-u|--set-upstream)=/, said.noStage],
    ['--rebase --no-rebase --ff-only --no-verify --no-delete --no-prune', ''],
    [/^--(?:only|include|post)=(.+\.\w+)$/, '$1'],
    [
      /^(?:-[fkd]|--(?:filename|file|path|dir|directory|folder|source|src|input|from|root|posts))=(.+)$/,
      '$1',
    ],
  ],
  'sync plan': [['--dry-run -n', '']],
  'sync plan, sync apply, sync diff': [[/^--(?:since|after|until|before|ref|base|commit)=/, '']],
  'sync apply': [
    [
      '--force -f --overwrite --ours',
      'Changes of the blog are written over by `blogctl sync apply <folder> --on-drift overwrite` alone.',
    ],
    [
      '--theirs --strategy -X -s',
      '`blogctl sync pull <folder>` brings the changes of the blog, `blogctl sync apply <folder> --on-drift overwrite` those of the folder.',
    ],
    [/^(?:-m|--(?:message|author))=/, ''],
    ['--dry-run --dryrun -n --check --dry-run=client --dry-run=server', '/sync plan'],
  ],
  runs: [[/^(?:export|download|dump) (\w+)$/, 'show $1 --json']],
  'runs list': [
    [/^(?:(?:-[Ln]|--(?:limit|max|head))=|-)(\d+)$/, '--jq .[:$1]'],
    [
      /^--(?:status|state)=(\w+)$/,
      (typed) => `--jq .[]|select(.state=="${typed.replace(/.*=/, '')}")`,
    ],
    [/^(?:-[ubw]|--(?:user|branch|workflow|event|commit))=/, ''],
  ],
  help: [['-a --all', '/commands']],
  'articles delete, runs undo, token revoke, profile remove': [['--force -f -rf', '--yes']],
  completion: [
    ['pwsh ps1', 'powershell'],
    [/^(?:-s|--shell)=(\w+)$/, '$1'],
  ],
  'token revoke, profile add, profile remove, profile use, runs show, runs undo, runs resume': [
    [/^(?:-n|--(?:name|id|run))=(.+)$/, '$1'],
  ],
};

function linesIn(habitsOf: Habits): readonly Scoped[] {
  return Object.entries(habitsOf).flatMap(([scope, rows]) =>
    rows.flatMap(([typed, ...meant]) =>
      typeof typed === 'string' || typed instanceof RegExp
        ? [{ scope, typed, meant }]
        : taught(scope, typed),
    ),
  );
}

function taught(scope: string, words: Readonly<Record<string, string>>): readonly Scoped[] {
  return Object.entries(words).map(([ours, theirs]) => ({ scope, typed: theirs, meant: [ours] }));
}

const sentences = Object.entries(said.noCounterpart).flatMap(([scope, all]) =>
  Object.entries(all).map(([typed, sentence]) => ({ scope, typed, meant: [sentence] })),
);
const ofAll = sentences.filter(({ scope }) => scope === '');

type Scoped = {
  readonly scope: string;
  readonly typed: string | RegExp;
  readonly meant: readonly Meant[];
};

/** What is said of a word goes before what may be meant by it, and what holds for one command before what holds for all. */
export const habits: readonly Scoped[] = [
  ...sentences.filter(({ scope }) => scope !== ''),
  ...Object.entries(verbs).flatMap(([scope, words]) => taught(scope, words)),
  ...linesIn(pairsOfWords),
  ...linesIn(ofArticles),
  ...linesIn(ofOthers),
  ...linesIn(ofServices),
  ...ofAll,
  ...linesIn({ '': flagPatterns }),
  ...flags.map(([ours, theirs]) => ({ scope: '', typed: theirs, meant: [ours] })),
];
