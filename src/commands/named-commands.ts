import type { Command } from 'commander';
import { findCommand, scopeOf } from './lazy-command.ts';
import { makesNoFile, noBlogGoes, noStage, noSuch, pages } from './no-counterpart.ts';
import type { Habits } from './synonyms.ts';

type Words = readonly string[];

/** The verbs of others, for those of a noun: as in known-habits.ts, a slash names another command. */
export const verbs: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  blogctl: {
    'auth login': 'connect',
    'articles list --limit 10': 'head',
    'store lock':
      'maintenance maintenance-mode maintenance_mode freeze lockdown read-only readonly',
    'store unlock': 'unfreeze thaw',
    'store check': 'fsck doctor verify validate',
    blog: 'sites ping health healthcheck stats',
    'articles edit': 'vi vim nano code',
  },
  articles: {
    edit: 'vi vim nano code',
    'create --editor': 'write compose',
    get: 'exists info stat',
    'list --search': 'search find grep filter query',
    'list --limit 10': 'head',
    'list --limit 1': 'first',
    'list --reverse --limit 10': 'tail',
    'list --reverse --limit 1': 'last latest newest',
    list: 'l',
    create: 'post',
    delete: 'purge',
    '/blog': 'stats',
    '/blog --field articles': 'count',
    '/sync plan': 'sync',
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
    '/profile list': 'get-contexts list-contexts contexts profiles get-clusters',
    '/profile show': 'current-context current-profile',
    '/profile remove': 'delete-context remove-context unset-context delete-profile delete-cluster',
  },
  profile: {
    add: 'update edit save register',
    use: 'set-default make-default',
    show: 'which active',
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
    '/blog': 'info ls list blogs list-blogs show get stats size status',
    upgrade: 'migrate',
    '/config set blog': 'use switch select',
  },
  token: { create: 'generate issue' },
  auth: { login: 'add', '/profile use': 'switch use' },
};

/** Words that are typed for ours, to whichever command: the likeliest of ours first. */
const called: readonly (readonly [theirs: string, ours: string])[] = [
  ['article post posts issue issues pr prs entry entries', 'articles'],
  ['blogs site sites info repo repos', 'blog'],
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
    [/^request (GET|POST|PUT|DELETE)$/, '/api -X $1'],
    [/^doctor check$/, '/store check'],
    [/^(?:show|view) (?:HEAD\S*|main|master)$/, '/articles list --reverse --limit 1'],
    [/^(?:push|pull|fetch|diff|log|merge) (?:origin|upstream|HEAD\S*|main|master|--all)$/, noStage],
    [/^preview #?([1-9]\d*)$/, '/articles get $1'],
    [/^(?:open|browse) (?:https?|file):\S+$/, pages],
    [/^(?:https?:.*\/articles\/\d+|file:.*#\d+)$/, '/articles get $0'],
    [/^(lock|unlock) #?([1-9]\d*)$/, '/store $1 --article $2'],
    [/^#?([1-9]\d*)$/, '/articles get $1'],
    [/^(url|title|content) #?([1-9]\d*)$/, '/articles get $2 --field $1'],
  ],
};

/** A line, and where in it the words stand that name a command, and those behind them. */
export type Spelling = {
  readonly words: Words;
  readonly path: readonly number[];
  readonly operands: readonly number[];
};

/**
 * Lines in which the first words name a command of ours, in whatever order, number and joint they stand, the likeliest
 * first: `create token`, `edit-post`, `articles/list`, `remote add`, `sync posts plan`.
 */
export function linesByName(spelling: Spelling, program: Command): readonly Words[] {
  const { words, path, operands } = spelling;
  const [first, second, third] = operands;
  const group = path.length === 1 ? findCommand(program, words[path[0] ?? 0] ?? '') : undefined;
  const mayStandBehind = group?.name() === 'sync' || /^#?\d+$/.test(words[first ?? -1] ?? '');
  const isBehind = mayStandBehind && group && findCommand(group, words[second ?? -1] ?? '');
  const spans = [[first, second, third], [first, second], isBehind ? [second] : [], [first]];
  // A noun may stand before the one that is meant: `blog articles list`.
  for (const begin of path.length === 1 ? [path, []] : [path]) {
    for (const span of spans) {
      const named = span.filter((at) => at !== undefined);
      const pieces = piecesOf(words, [...begin, ...named]);
      if (named.length < span.length || span.length === 0 || pieces.length < 2) continue;
      const found = commandsFor(pieces, program);
      if (found.length > 0) return linesOf(found, { ...spelling, operands: named });
    }
  }
  return [];
}

export function piecesOf(words: Words, places: readonly number[]): readonly string[] {
  return places.flatMap((at) => (words[at] ?? '').toLowerCase().split(/[\s/:._-]+/));
}

type Found = { readonly leaf: Command; readonly cost: number };

export function commandsFor(pieces: Words, program: Command): readonly Found[] {
  return leavesOf(program)
    .flatMap((leaf) => {
      const cost = costOf(pieces, leaf);
      return cost === undefined ? [] : [{ leaf, cost }];
    })
    .toSorted((one, other) => one.cost - other.cost);
}

export function linesOf(
  found: readonly Found[],
  { words, path, operands }: Spelling,
): readonly Words[] {
  const named = new Set([...path, ...operands]);
  const begin = Math.min(...named);
  return found.map(({ leaf }) =>
    words.flatMap((word, at) => [
      ...(at === begin ? scopeOf(leaf).split(' ') : []),
      ...(named.has(at) ? [] : [word]),
    ]),
  );
}

function leavesOf(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);
}

export const groupLeftOut = 100;
/** More than any word has of ours. */
const mostOurs = 10;

/** Behind a verb that takes files stands a folder, which may be called posts. */
const takesFiles = /^(?:im|ex)port \w+$|^\w+ posts$/;

/** How far what was typed is from the name of a command; the group may have been left out. */
function costOf(pieces: Words, leaf: Command): number | undefined {
  const missing = scopeOf(leaf).split(/[ -]/);
  const isGrouped = missing.length > 1;
  // `get profiles` asks for all of them.
  const isOfAll = pieces.some((piece) => piece.endsWith('s') && !missing.includes(piece));
  let cost = isOfAll && leaf.name() !== 'list' ? mostOurs : 0;
  for (const piece of pieces) {
    const ours = oursFor(piece);
    const near = ours.findIndex((word) => missing.includes(word));
    if (near === -1) return undefined;
    missing.splice(missing.indexOf(ours[near] ?? ''), 1);
    cost += near;
  }
  // A blog that was added stays: that has to be
  if (leaf.name() === 'add-blog' && !pieces.includes('add')) return undefined;
  const isOfFiles =
    /^(?:import|export|create)$/.test(leaf.name()) && takesFiles.test(pieces.join(' '));
  if (isOfFiles) return undefined;
  const [left, ...more] = missing;
  if (left === undefined) return cost;
  const group = leaf.parent?.name();
  const mayBeLeft = isGrouped && (left === group || (left === 'blog' && pieces.length > 1));
  return more.length === 0 && mayBeLeft ? cost + groupLeftOut : undefined;
}
