import type { Hint } from '../../errors.ts';
import { lettersOf } from '../../terminal/view.ts';
import {
  alone,
  dryWords,
  lastRun,
  noBlogGoes,
  noCounterpart,
  noStage,
  pages,
} from './no-counterpart.ts';
import { deleting, type Habits, type Meanings } from './synonyms.ts';

/** The verbs of others for those of a noun, and a few of their flags. */
export const verbs: Habits = {
  blogctl: {
    'connect adduser add-user': 'auth login',
    'll dt ls-files': 'articles list',
    tokens: 'token list',
    'api-resources api-versions': 'links',
    'fsck doctor verify validate': 'store check',
    'sites ping health healthcheck stats cluster-info': 'blog',
  },
  articles: {
    'vi vim nano code': 'edit',
    'write compose': 'create --editor',
    'exists info stat fetch less': 'get',
    'retitle rename set-title': 'update',
    'search find grep filter query': 'list --search',
    first: 'list --limit 1',
    recent: 'list --reverse --limit 10',
    'last latest newest': 'list --reverse --limit 1',
    l: 'list',
    post: 'create',
    purge: 'delete',
    stats: '/blog',
    count: '/blog --field articles',
    sync: '/sync plan',
    'apply push': '/sync apply',
    undo: '/runs undo',
  },
  runs: {
    'last latest status history recent': 'list',
    'export download dump': 'list --json',
    'log logs diff inspect output report summary details describe info': 'show',
    'revert rollback': 'undo',
  },
  config: {
    '--get': 'get',
    '--add --set': 'set',
    '--unset': 'unset',
    '--list -l dump export print': 'list',
    'edit --edit -e open where file dir': 'path',
    '--global --local --user --system': '',
    'set-context add-context new-context create-context add-profile set-cluster add-blog':
      '/profile add',
    'use-context use-profile set-profile switch-context use': '/profile use',
    'current-context current-profile get-contexts list-contexts contexts profiles get-clusters':
      '/profile list',
    'delete-context remove-context unset-context delete-profile delete-cluster': '/profile remove',
  },
  profile: {
    'update edit save register set-url': 'add',
    'get-url': 'show',
    'set-default make-default': 'use',
    'which active current': 'list',
    'unset clear none': '/config unset profile',
  },
  sync: {
    'diff status check fetch show compare changes verify validate dry-run pending list ls': 'plan',
    'run now start': 'apply',
    '--dry-run -n': '/sync plan',
    'log logs history': '/runs list',
  },
  store: {
    'gc shrink prune': 'compact',
    'verify validate test doctor fsck': 'check',
    'info show get stats size status': '/blog',
    migrate: 'upgrade',
    'serve start run up': '/serve',
    'use switch select': '/config set blog',
  },
  'blogctl, store': {
    'maintenance maintenance-mode maintenance_mode freeze lockdown read-only readonly':
      '/store lock',
    'unfreeze thaw': '/store unlock',
  },
  'store, token': { '--db --database': '--store' },
  token: { 'generate issue': 'create' },
  auth: { add: 'login', 'switch use': '/profile use' },
  'auth status': { '--show-token -t': '/auth token' },
  'runs prune': { '--all -a all': 'No undo would be left: `blogctl runs prune` keeps 30 days.' },
  help: { '-a --all': '/commands' },
  'articles delete, runs undo, token revoke, profile remove': { '--force -f -rf -fr': '--yes' },
};

/**
 * Flags that are typed for ours, some with their value, to whichever command has it: in small letters, with dashes
 * between the words. What means nothing here is said to be ''.
 */
export const flags: Meanings = {
  '--no-yes --asc --oldest --order=asc --post-type=post --post-type=any --post-type=all --post-type=post,page --post-status=publish --status=publish --status=published --allow-root --defer-term-counting --skip-plugins --skip-themes':
    '',
  '-t --post-title --subject --heading --name': '--title',
  '-b -c --body --post-content --text --message --markdown': '--content',
  '--body-file -F': '--content-file',
  '-f --file --input --from': '--from-file',
  '--max --first --top --head --take --number --num --numberposts': '--limit',
  '--paged --page-index': '--page',
  '-a --no-limit --paginate': '--all',
  '--orderby --order-by --sort-by --order': '--sort',
  '--order=desc --desc --descending -r': '--reverse',
  '--s --q --query --grep --contains --prefix --title-like -s': '--search',
  '-j -c --jobs --parallel --threads --workers': '--concurrency',
  '-j': '--json',
  '--output-format --as': '--format',
  '--yaml --format=yaml --format=yml -o=yaml -o=yml --output=yaml --output=yml': '--format json',
  '--format=jsonl --format=json-lines -o=jsonl --output=jsonl': '--format ndjson',
  '--format=wide --format=plain --format=text --format=pretty -o=wide --output=wide --output=text':
    '--format table',
  '--format=markdown --markdown': '--format md',
  '--format=id --ids --porcelain -o=name -aq -qa': '--format ids',
  '--format=count --count': '/blog --field articles',
  '--format=tab --format=tabs': '--format tsv',
  '--columns --select -c': '--fields',
  '--full --with-content --show-content --details --include-content --with-body':
    '--fields id,title,content',
  '--out --outfile --output-file --save -O': '--output',
  '--force --clobber': '--overwrite',
  '--silent --no-progress': '--quiet',
  '--color=never': '--no-color',
  '--non-interactive --no-interactive --no-tty --no-prompt': '--no-input',
  '--trace': '-vvv',
  '--no-confirm --auto-approve --assume-yes --yess --ys --yse': '--yes',
  [dryWords]: '--dry-run',
  '--empty-content --clear-body --remove-content --delete-content': '--clear-content',
  '--skip-errors --ignore-errors --keep-going --continue': '--continue-on-error',
  '--delete --mirror': '--prune',
  '--key --id-field': '--key-field',
  '--with-token': '--token-file -',
  '-n --label --description': '--name',
  '--scope --scopes --rights --permissions --can': '--allow',
  '--allow=all --allow=any --allow=*': '--allow create,update,delete',
  '--ttl --expires-in --expiry --expiration --valid --valid-for': '--expires',
  '--blog-id --on-blog': '--for-blog',
  '--id --blog-id --for-blog': '--on-blog',
  '-H -b --bind --listen --address --addr --ip': '--host',
  '-P -l': '--port',
  '--latency --slow': '--delay',
  '--memory --in-memory --temp --tmp --rm': '--ephemeral',
  '--retry --max-retries': '--retries',
  '--on-conflict --on-duplicate --on-existing': '--on-changed',
  '--ro -ro --readonly': '--read-only',
  '--ignore-not-found --missing-ok --if-exists': '--ignore-missing',
  '-w': '--watch',
  '--request': '--method',
  '--detailed-exitcode --fail-on-changes --fail-on-diff --fail-on-drift': '--exit-code',
  '-? --halp': '--help',
  '--separator --sep --delim': '--delimiter',
};

/** Words that are typed for ours, to whichever command: the likeliest of ours first. */
const called: readonly (readonly [theirs: string, ours: string])[] = [
  ['article post posts issue issues pr prs entry entries story stories', 'articles'],
  ['blogs site sites info repo repos', 'blog'],
  ['link rels', 'links'],
  ['run log logs history', 'runs'],
  ['tokens', 'token'],
  ['profiles remote remotes context contexts', 'profile'],
  ['settings setting option options', 'config'],
  ['stores db database', 'store'],
  ['show get view cat read print describe inspect list ls whoami info', 'get show list status'],
  ['create new make insert', 'create add init set'],
  ['add', 'create set'],
  ['remove delete del destroy rm', 'delete remove unset revoke'],
  ['set put patch', 'update set'],
  ['edit update change rename replace modify mv amend', 'update edit set'],
  ['use switch select activate default', 'use'],
  ['apply push up deploy', 'apply'],
  ['down', 'pull'],
  ['diff preview', 'plan'],
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
  const calledAs = (form: (each: string) => string) =>
    called.flatMap(([theirs, meant]) =>
      theirs.split(' ').some((each) => form(each) === form(word)) ? meant.split(' ') : [],
    );
  const exact = calledAs(String);
  const ours = exact.length > 0 || word.length < 5 ? exact : calledAs(lettersOf);
  return [word, ...ours, ...(ours.length === 0 && word.length > 2 ? begunBy(word) : [])];
}

/** `art` of `articles`, as kubectl has it. */
function begunBy(word: string): readonly string[] {
  return ['articles', 'profile', 'config', 'token'].filter((noun) => noun.startsWith(word));
}

/** What the first two words of a line say together, whichever noun they are typed to. */
export const pairsOfWords: Habits = {
  'blogctl, articles': [
    [/^(?:bulk|batch|mass)(?:[-_](?:create|import|add))?$|^create[-_]many$/, '/articles import'],
    [/^(?:new|create|init) ([^@\s]\S*\.json)$/, '/store init $1'],
    [/^count (?:articles?|posts?)$/, '/blog --field articles'],
    [/^init \.$/, '/store init'],
    [
      /^(?:get|list|show|new|create|add) (?:users?|authors?|comments?|tags?|categor(?:y|ies)|labels?|terms?|themes?|plugins?|widgets?|menus?|drafts?|published|pending|po|pods?|ns|namespaces|nodes|events?|deploy\w*|svc|services?|secrets?|cm|configmaps?|jobs?)$/,
      noSuch,
    ],
    [/^(?:get|core|cli) (?:version|info)$/, 'Run `blogctl --version`.'],
    [/^delete (?:blog|site|repo)$/, noBlogGoes],
    [/^gen(?:erate)? (?:man|docs?)$/, '/help'],
    [/^gen(?:erate)? (?:auto)?complet\w+$/, '/completion'],
    [/^(?:rollout undo|undo (?:articles?\/|#)?\d{1,5})$/, lastRun],
    [/^request (GET|POST|PUT|DELETE)$/, '/api -X $1'],
    [/^doctor check$/, '/store check'],
    [/^(?:show|view) (?:HEAD\S*|main|master)$/, '/articles list --reverse --limit 1'],
    [/^(?:push|pull|fetch|diff|log|merge) (?:origin|upstream|HEAD\S*|main|master|--all)$/, noStage],
    [/^preview #?([1-9]\d*)$/, '/articles get $1'],
    [/^explain (?:article|post)s?(?:\.\w+)*$/, '/articles --help'],
    [/^(GET|HEAD) (https?:\S+)$/, '/api -X $1 $2'],
    [/^docs #?([1-9]\d*)$/, '/articles get --web $1'],
    [/^(?:unpublish|trash) #?([1-9]\d*)$/, deleting],
    [/^(?:open|browse) (?:https?|file):\S+$/, pages],
    [/^(?:https?:.*\/articles\/\d+|file:.*#\d+)$/, '/articles get $0'],
    [/^(lock|unlock) #?([1-9]\d*)$/, '/store $1 --article $2'],
    [/^#?([1-9]\d*)$/, '/articles get $1', '/articles update $1'],
    [/^drop #?([1-9]\d*)$/, '/articles delete $1'],
    [/^#?([1-9]\d*) (get|update|edit|delete|links)$/, '/articles $2 $1'],
    [/^(url|title|content) #?([1-9]\d*)$/, '/articles get $2 --field $1'],
  ],
};

/** What is said of a noun, alone or behind a verb. */
export function noSuch(typed: string): Hint {
  const noun = typed.split(' ').at(-1) ?? '';
  const all = { ...noCounterpart['blogctl'], ...noCounterpart['blogctl, articles'] };
  const isIt = (word: string) => word === noun || `${word}s` === noun || word === `${noun}s`;
  const [, said] = Object.entries(all).find(([words]) => words.split(' ').some(isIt)) ?? [];
  return said ?? alone;
}
