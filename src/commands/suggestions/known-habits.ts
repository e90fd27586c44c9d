import { firstBlog } from '../../settings/values.ts';
import { isHost } from '../arguments.ts';
import { ids, severalIds } from './article-habits.ts';
import * as said from './no-counterpart.ts';
import type { Habits } from './synonyms.ts';

const toOtherBlog =
  'Articles go to another blog by `blogctl articles export <file.ndjson>`, then `blogctl articles import <file.ndjson>` with --blog of the other; a store file that nobody serves is copied by `cp`, and from and to databases by `blogctl store copy <from> <to>`.';
const chosen = 'Paths behind the folder choose: `blogctl sync apply <folder> a.md b.md`.';
const oneFile = 'One article is written by `blogctl articles get <id> --format md -o <file.md>`.';
/** What others have taught beyond other words for ours: a blank stands between two words. */
export const ofOthers: Habits = {
  blogctl: [
    {
      'article post posts issue issues pr prs': 'articles',
      'usage man docs about examples tutorial quickstart options explain': 'help',
      'whoami who st': 'auth status',
      'cmd-dump reference': 'commands',
      'log logs history ps jobs': 'runs list',
      'settings env configure': 'config list',
      'remote profiles contexts apps': 'profile list',
      'start up server dev json-server listen mock expose': 'serve',
      'autocomplete complete': 'completion',
      'create-blog new-blog init-blog new-site create-site init-site': 'blog create',
      transfer: toOtherBlog,
      db: 'store',
      'gc vacuum': 'store compact',
      'curl wget http https request': 'api',
      'rollout run': 'runs',
    },
    [/^(?:environment|exit-codes|formatting)$/, 'help $0'],
    [/^cli (?:update|upgrade)$/, 'upgrade'],
    [/^(?:cli|wp|gh|git|kubectl|oc|psql|mysql|p?npm|npx|yarn|hugo|hexo|jekyll|ghost|blogctl)$/, ''],
    [/^(?:verify|validate|doctor) (https?:\S+)$/, '/check $1'],
    [/^-f=([\w./~-]+\.json)$/, '--blog file:$1'],
    [/^sites? (?:use|switch|select)$/, '/profile use'],
    [/^(?:new|create|make|init) (?:site|blog)$/, 'blog create'],
    [/^post (?:articles|posts)$/, 'articles create'],
    [/^post (\S+ .+)$/s, 'articles create --title $1'],
    [/^(?:repo (clone)|run (build)|compose (ps|logs))$/, '$1$2$3'],
    [/^compose (?:down|stop|restart)$/, said.runsUntil],
    [/^-p=(\d+)$/, 'serve --port $1'],
    [/^--host=(\S+)$/, 'serve --host $1'],
    [/^watch (\S+\.json)$/, 'serve $1 --watch'],
    [/^publish (\S+\.\w+)$/, 'articles create --from-file $1', 'articles import $1'],
    [/^publish (?:drafts?|it)$/, said.noStates],
    [/^publish (?!https?:|#?\d+$|\S+\.\w+$)(\S+)$/, 'sync apply $1'],
    [/^(?:copy|cp|transfer|mirror) (?!#?\d+$)\S+$/, toOtherBlog],
    [/^(?:use|switch|select) (?:file:)?(.+\.json)$/, 'config set blog file:$1'],
    [/^(?:create|make|do|take|new) (?:backup|snapshot)$/, said.backup],
    [/^(?:backup|snapshot) (\S+\.(?:ndjson|jsonl|csv))$/, '/articles export $1'],
    [/^(?:bulk|batch|mass) (create|add|import|update|delete|get|export)$/, 'articles $1'],
    [/^(?:json|ndjson|csv|tsv|table)$/, 'articles list --format $0'],
    [/^what changed$/, said.noDates],
    [/^(articles|posts|sync|runs|store|token|profile)(list|get|create|add|show)$/, '$1 $2'],
    [/^(?:rm|delete|remove) \S+\.json$/, said.noBlogGoes],
    [/^(?:run|compose|expose|make) (?:serve|server|start|dev|up|blog)$/, 'serve'],
    [/^(?:-s|--source)=\S+$/, said.imported],
    [/^(?:validate|lint|verify) (?!http|.*\.json$|#?\d+$)(\S+)$/, 'articles import $1 --dry-run'],
    [/^postgres(?:ql)?:.+$/, 'serve --store $0'],
    [/^(?:-X=)?(GET|POST|PUT|PATCH|DELETE|HEAD)$/, 'api -X $1'],
    [/^(?:clone|fetch) (\w[\w-]*)$/, '/articles export $1'],
    [
      /^(GET|POST|PUT|PATCH|DELETE|HEAD) \/?(?:articles|posts|issues)(\/\d+|(?<=^(?:GET|POST) \/\w+))$/,
      'api -X $1 articles$2',
    ],
    [/^diff ([^-]\S*)\/([^/\s]+\.(?:md|html?))$/, '/sync plan $1 $2'],
    [/^diff (?:#?[1-9]\d*|\S+\.\w+)$/, said.compared],
    [/^status ([^-]\S*)(?<!\.\w+)$/, 'sync plan $1'],
    [
      /^(?:clone|pull|fetch) (\w+:\S+)$/,
      '/articles export <folder> --blog $1',
      '/articles export --blog $1',
    ],
    [/^restore (\S+\.(?:ndjson|jsonl|csv|xml|zip|md))$/, 'articles import $1'],
    [/^restore \S+\.\w+$/, said.backup],
    [
      /^(?:rm|delete|remove) \S+\.(?:md|markdown|html?)$/,
      'Name what to delete by its id; what a folder had and has no more is deleted by `blogctl sync apply <folder> --prune`.',
    ],
    [/^(?:verify|check|validate) (\S+\.json)$/, '/store check $1'],
    [
      /^(?:import|migrate|load) (?:wordpress|wp|ghost|medium|jekyll|hugo|markdown|rss|feed|csv|json)$/,
      '/articles import',
      'What it exported is a file or a folder: `blogctl articles import <source>` takes it.',
    ],
    [/^add (?:\.|-A|--all)$|^git (?:add|stage)$/, said.noStage],
    [/^run (\S+\.json)$/, 'serve $1'],
    [/^logs (\w\S*)$/, 'runs show $1'],
    [/^(?:undo|revert|rollback) (?:last|latest|delete|import|sync|that|it)$/, said.lastRun],
    [/^(?:undo|revert|rollback) (?=.*[a-f])([\da-f]{6,})$/, 'runs undo $1'],
    [/^([\w./~-]+\.json)$/, 'serve $1'],
    [/^(https?:\S+)\/articles\/?$/, 'articles list --blog $1'],
    [/^(?:https?|file):.+$/, 'blog --blog $0'],
    [/^(?:articles?|posts?)\/([1-9]\d*)$/, 'articles get $1'],
    [/^(?!-|.*\.json$|\.\w+$|s\/)[^=?*]*(?:[\\/][^=?*]*|\.\w+)$/, said.imported],
  ],
  'articles edit': [
    {
      '--title -t': '/articles update --title',
      '--body --content -b': '/articles update --content',
      '--body-file -F': '/articles update --content-file',
      '--editor': said.ofTools,
    },
    [/^(?:in|with|using) \w+$/, ''],
  ],
  'articles export': [
    [/^(?:articles|posts) (\S+)$/, '$1'],
    [/^#?\d+ [^-\d.]+$|^(?!export )[^-\d.]\S* #?\d+$/, oneFile],
    [
      /^(?:-f|--format)=(?:md|markdown|html|wxr|xml|rss|pdf|hugo|jekyll)$/,
      'Markdown, which Hugo and Jekyll read, is written to a folder: `blogctl articles export <folder>`; --format takes ndjson, json and csv.',
    ],
    [severalIds, (typed) => `/articles get ${ids(typed)} --format md`],
    [/^(?:--?ids?=)?#?([1-9]\d*)$/, '/articles get $1 --format md', '/articles get $1'],
    [
      /^(?:-d|-f(?==.*[./])|--(?:(?:\w+-?)?(?:dir(?:ectory)?|folder|path)|to|out|dest(?:ination)?|target|output|file))=(.+)$/,
      '$1',
    ],
    [
      '--force -f',
      '--overwrite',
      'A folder is exported to where nothing is: --overwrite replaces a file that is named.',
    ],
    {
      '--stdout': '-',
      '--all --pretty': '',
      '--search -S -q --query --filter':
        'All are exported: `blogctl articles list --search <text> --format ndjson -o <file>` writes some.',
    },
  ],
  'articles import': [
    [/^--(title|content)-(?:column|col|field|key|member)=(\w+)$/, '--map $1=$2'],
    [/^--(?:(?:no|skip|exclude|without|ignore)-drafts?|published-only|only-published)$/, ''],
    [
      /^--(?:key|path|root|node|data)=\.?(?:posts|articles|items|entries|data|results|records)$/,
      '',
    ],
    [/^--post.type=([\w,]+)$/, '--types $1'],
    [
      /^--[\w-]+=(?:wordpress|wp|wxr|ghost|jekyll|hugo|markdown|md|rss|feed|[ct]sv|(?:nd)?jsonl?)$/,
      '',
    ],
    {
      '--include-drafts --with-drafts': '--drafts',
      '--batch-size --batch': '--concurrency',
      '--progress': '',
      '--rate-limit --rps --throttle': '--rate',
      '--stdin': '-',
    },
    [/^(?:-r|--recursive|--resume|--authors=.+|--skip=(?:attachment|thumbnail|image_resize))$/, ''],
    [/^(?:-[dfi]|--(?:dir|file|from(?:-\w+)?|input|source|src|path|folder))=(.+)$/, '$1'],
    [
      '--parallel',
      '--concurrency',
      'Four requests are sent at a time: --concurrency <n> for more.',
    ],
    [/^--(?:(?:skip|ignore)-existing|on-conflict=(?:skip|ignore))$/, '--on-changed skip'],
    [/^--title-from=head\w*$/, '--title-from h1'],
    [/^--(?:columns|fields?|cols)=(\w+),(\w+)$/, '--map title=$1,content=$2'],
  ],
  blog: [
    {
      'view show get info': '/blog',
      'articles posts issues': '/articles list',
      add: '/store add-blog',
      '--title': '/store edit-blog --title',
      '--description': '/store edit-blog --description',
    },
    [/^(?:set-default|use|switch) (\w[\w-]*)$/, '/profile use $1'],
    ['edit update set', '/store edit-blog', said.ofStore],
    [/^([1-9]\d*)$/, 'With several in a store, --blog file:<store>#blog=<n> names one.'],
    [/^(?:create|new|init) (\w[\w-]*)$/, '/store init $1.json --title $1', '/store init $1.json'],
    [/^--slug=([\w-]+)$/, '$1'],
    [/^--(?:slug|email=.+|public|clone|porcelain)$/, ''],
    ['create new init', '/store init <file>'],
    [/^(title|description) ([^\s-]+)$/, '/store edit-blog --$1 $2'],
    [/^(?:id|title|description|articles|url)$/, '--field $0'],
    [/^url$/, '--field address'],
  ],
  'auth login': [
    [isHost, firstBlog],
    [/^(?:-h|--host(?:name)?)=/, firstBlog],
    [/^(?:-p|--git-protocol)=(?:https?|ssh)$|^(?:-s|--scopes?)=/, ''],
    ['--web -w --skip-ssh-key --clipboard -c --insecure-storage', ''],
    [
      '--with-token --password-stdin --token-stdin',
      '--token-file -',
      `Name the <blog-url> too: ${said.noGuess}.`,
    ],
    [/^[^-]/, said.loginToken],
  ],
  sync: [
    {
      'init setup':
        'Nothing has to be made first: `blogctl sync plan <folder>` shows what would be done.',
      'watch follow auto': said.noWatch,
      'resolve merge rebase':
        '`blogctl sync plan <folder>` shows what changed on both sides; --on-drift keep or overwrite says what becomes of it.',
    },
    [/^(?:destroy|remove|delete|rm) (?!-)(\S+)$/, '/runs undo --source $1'],
  ],
  'sync plan, sync apply': [
    ['--exclude --include --ignore --target', chosen],
    [/^(?:(?:-f|--filename)=)?([^-]\S*)\/([^/\s]+\.(?:md|html?))$/, '$1 $2'],
    [/^(?:(?:-f|--filename)=)?([^-/]\S*\.(?:md|html?))$/, '. $1'],
  ],
  'sync plan, sync apply, sync pull': [
    [/^(?:-u|--set-upstream)=/, said.noStage],
    ['--rebase --no-rebase --ff-only --no-verify --no-delete --no-prune', ''],
    [/^--(?:only|include|post|target)=(.+\.\w+)$/, '$1'],
    [
      /^(?:-[fkd]|--(?:filename|file|path|dir|directory|folder|source|src|input|from|root|posts))=(.+)$/,
      '$1',
    ],
  ],
  'sync plan, sync diff': [[/^--(?:since|after|until|before|ref|base|commit)=/, '']],
  'sync apply': [
    [/^--(?:since|after|until|before|ref|base|commit)=/, chosen],
    [
      /^--(?:keep(?:-(?:blog|remote|theirs|drift))?|no-overwrite|(?:on-conflict|on-drift|prefer)=(?:keep|skip|ignore|remote|theirs|blog))$/,
      '--on-drift keep',
    ],
    [/^--on-conflict=overwrite$/, '--on-drift overwrite'],
    {
      '--force -f --overwrite --ours --prefer':
        'Changes of the blog are written over by `blogctl sync apply <folder> --on-drift overwrite` alone.',
      '--theirs --strategy -X -s':
        '`blogctl sync pull <folder>` brings the changes of the blog, `blogctl sync apply <folder> --on-drift overwrite` those of the folder.',
    },
    [/^(?:-m|--(?:message|author))=/, ''],
  ],
  runs: [
    [/^(?:export|download|dump) (\w+)$/, 'show $1 --json'],
    [/^(?=.*\d)[\da-f]{6,}$/, 'show $0'],
  ],
  'runs list': [
    [/^(?:(?:-[Ln]|--(?:limit|max|head|tail))=|-)(\d+)$/, '--jq .[:$1]'],
    [/^--(?:status|state)=(interrupted|ended)$/, '--jq .[]|select(.state=="$1")'],
    [/^--(?:status|state)=/, 'A run is interrupted or has ended: its counts say what failed.'],
    [/^(?:-[ubw]|--(?:user|branch|workflow|event|commit))=|^--(?:oneline|graph)$/, ''],
  ],
  completion: [
    ['pwsh ps1', 'powershell'],
    [/^(?:-s=|--shell=|\/.*\/|--(?=(?:ba|z|fi)sh$))(\w+)$/, '$1'],
  ],
  'token revoke, profile add, profile remove, profile use, runs show, runs undo, runs resume': [
    [/^(?:-n|--(?:name|id|run))=(.+)$/, '$1'],
  ],
};
