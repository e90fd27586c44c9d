import type { Hint } from '../../errors.ts';
import {
  alone,
  dryWords,
  lastRun,
  makesNoFile,
  noBlogGoes,
  noCounterpart,
  noStage,
  pages,
} from './no-counterpart.ts';
import { deleting, type Habits, type Ours } from './synonyms.ts';

/** The verbs of others, for those of a noun: as in known-habits.ts, a slash names another command. */
export const verbs: Readonly<Record<string, Ours>> = {
  blogctl: {
    'auth login': 'connect adduser add-user',
    'articles list': 'll',
    'profile list': 'apps',
    links: 'api-resources api-versions',
    'store lock':
      'maintenance maintenance-mode maintenance_mode freeze lockdown read-only readonly',
    'store unlock': 'unfreeze thaw',
    'store check': 'fsck doctor verify validate',
    blog: 'sites ping health healthcheck stats cluster-info',
    'articles edit': 'vi vim nano code',
  },
  articles: {
    edit: 'vi vim nano code',
    'create --editor': 'write compose',
    get: 'exists info stat fetch',
    update: 'retitle rename set-title',
    'list --search': 'search find grep filter query',
    'list --limit 1': 'first',
    'list --reverse --limit 10': 'recent',
    'list --reverse --limit 1': 'last latest newest',
    list: 'l',
    create: 'post',
    delete: 'purge',
    '/blog': 'stats',
    '/blog --field articles': 'count',
    '/sync plan': 'sync',
    '/sync apply': 'apply push',
    '/runs undo': 'undo',
  },
  runs: {
    list: 'last latest status history recent',
    'list --json': 'export download dump',
    show: 'log logs diff inspect output report summary details describe info',
    undo: 'revert rollback',
  },
  config: {
    get: '--get',
    set: '--add --set',
    unset: '--unset',
    list: '--list -l dump export print',
    path: 'edit --edit -e open where file dir',
    '': '--global --local --user --system',
    '/profile add':
      'set-context add-context new-context create-context add-profile set-cluster add-blog',
    '/profile use': 'use-context use-profile set-profile switch-context use',
    '/profile list':
      'current-context current-profile get-contexts list-contexts contexts profiles get-clusters',
    '/profile remove': 'delete-context remove-context unset-context delete-profile delete-cluster',
  },
  profile: {
    add: 'update edit save register',
    use: 'set-default make-default',
    list: 'which active current',
    '/config unset profile': 'unset clear none',
  },
  sync: {
    plan: 'diff status check fetch show compare changes verify validate dry-run pending list ls',
    apply: 'run now start',
    '/sync plan': '--dry-run -n',
    '/runs list': 'log logs history',
  },
  store: {
    compact: 'gc shrink prune',
    check: 'verify validate test doctor fsck',
    '/blog': 'info show get stats size status',
    upgrade: 'migrate',
    '/config set blog': 'use switch select',
    lock: 'freeze',
    unlock: 'unfreeze thaw',
  },
  token: { create: 'generate issue' },
  auth: { login: 'add', '/profile use': 'switch use' },
};

/**
 * Flags that are typed for ours, some with their value, to whichever command has it: in small letters, with dashes
 * between the words. What means nothing here is said to be ''.
 */
export const flags: Ours = {
  '': '--asc --oldest --order=asc --post-type=post --post-type=any --post-type=all --post-type=post,page --post-status=publish --status=publish --status=published --allow-root --defer-term-counting --skip-plugins --skip-themes',
  '--title': '-t --post-title --subject --heading --name',
  '--content': '-b -c --body --post-content --text --message --markdown',
  '--content-file': '--body-file -F',
  '--from-file': '-f --file --input --from',
  '--limit': '--max --first --top --head --take --number --num --numberposts',
  '--page': '--paged --page-index',
  '--all': '-a --no-limit --paginate',
  '--sort': '--orderby --order-by --sort-by --order',
  '--reverse': '--order=desc --desc --descending -r',
  '--search': '--s --q --query --grep --contains --prefix --title-like -s',
  '--concurrency': '-j -c --jobs --parallel --threads --workers',
  '--json': '-j',
  '--format': '--output-format --as',
  '--format json': '--yaml --format=yaml --format=yml -o=yaml -o=yml --output=yaml --output=yml',
  '--format ndjson': '--format=jsonl -o=jsonl --output=jsonl',
  '--format table':
    '--format=wide --format=plain --format=text --format=pretty -o=wide --output=wide --output=text',
  '--format md': '--format=markdown --markdown',
  '--format tsv': '--format=tab --format=tabs',
  '--format ids': '--format=id --ids --porcelain -o=name',
  '/blog --field articles': '--format=count --count',
  '--fields': '--columns --select -c',
  '--fields id,title,content':
    '--full --with-content --show-content --details --include-content --with-body',
  '--output': '--out --outfile --output-file --save -O',
  '--overwrite': '--force --clobber',
  '--quiet': '--silent --no-progress',
  '--no-color': '--color=never',
  '--no-input': '--non-interactive --no-interactive --no-tty --no-prompt',
  '-vvv': '--trace',
  '--yes': '--confirm --no-confirm --auto-approve --assume-yes --yess --ys --yse',
  '--dry-run': dryWords,
  '--clear-content': '--empty-content --clear-body --remove-content --delete-content',
  '--continue-on-error': '--skip-errors --ignore-errors --keep-going --continue',
  '--prune': '--delete --mirror',
  '--key-field': '--key --id-field',
  '--token-file -': '--with-token',
  '--store': '--db --database',
  '--name': '-n --label --description',
  '--allow': '--scope --scopes --rights --permissions --can',
  '--allow create,update,delete': '--allow=all --allow=any --allow=*',
  '--expires': '--ttl --expires-in --expiry --expiration --valid --valid-for',
  '--for-blog': '--blog-id --on-blog',
  '--on-blog': '--id --blog-id --for-blog',
  '--host': '-H -b --bind --listen --address --addr --ip',
  '--port': '-P -l',
  '--delay': '-d --latency --slow',
  '--ephemeral': '--memory --in-memory --temp --tmp --rm',
  '--retries': '--retry --max-retries',
  '--on-changed': '--on-conflict --on-duplicate --on-existing',
  '--read-only': '--ro --readonly',
  '--ignore-missing': '--ignore-not-found --missing-ok --if-exists',
  '--watch': '-w',
  '--method': '--request',
  '--exit-code': '--detailed-exitcode --fail-on-changes --fail-on-diff --fail-on-drift',
  '--help': '-? --halp',
  '--delimiter': '--separator --sep --delim',
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
  const ours = called.flatMap(([theirs, meant]) =>
    theirs.split(' ').includes(word) ? meant.split(' ') : [],
  );
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
    [/^(?:new|create|init) (\S+\.json)$/, '/store init $1'],
    [/^init \.$/, '/store init'],
    [/^new \S+\.(?:md|markdown)$/, makesNoFile],
    [
      /^(?:get|list|show|new|create|add) (?:users?|authors?|comments?|tags?|categor(?:y|ies)|labels?|terms?|themes?|plugins?|widgets?|menus?|drafts?|published|pending)$/,
      noSuch,
    ],
    [
      /^get (?:po|pods?|ns|n\w+s|events?|deploy\w*|svc|services?|secrets?|cm|configmaps?|jobs?)$/,
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
