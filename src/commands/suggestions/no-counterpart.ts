import type { Hint } from '../../errors.ts';

export const noToken = 'A command line is no place for a token:';
export const pages =
  '`blogctl serve <file>` shows the address of its pages; those of a blog that is served are at the origin of its address, which `blogctl blog` shows.';
export const imported = 'Files come to a blog by `blogctl articles import <source>`.';
export const noStates = 'Articles have no state: what is on the blog is public.';
export const ofStore =
  'A blog is made by `blogctl store add-blog --title <text>` and changed by `blogctl store edit-blog --title <text>`, each with --store <file>.';
export const ofTools =
  'Editor, pager and browser are those of EDITOR, PAGER and BROWSER: see `blogctl help environment`.';
export const compared = 'An article and its file are compared by `blogctl sync plan <folder>`.';
export const oneAtATime =
  'One is changed at a time, and keeps its id: `blogctl articles update <id> --title <text>`.';
export const noDates =
  'None is chosen by its date: `blogctl articles list --sort updated --reverse --fields id,updated,title` shows the last first, with dates.';
export const inStep =
  '`blogctl sync plan <folder>` shows what `blogctl sync apply <folder>` would do to the blog; `blogctl sync pull <folder>` brings what was changed there.';
export const noStage =
  'Nothing is staged: `blogctl sync plan <folder>` shows what `blogctl sync apply <folder>` would do.';
export const noMeta = 'An article has a title and a content, and nothing else.';
export const noGuess = 'no token is sent by guessing';
export const loginToken = `${noToken} it is asked for, or read from --token-file <file>.`;
export const noSecret = `${noToken} give --token-file <file>, PGPASSWORD to a database, and a blog without user and password.`;
export const noProfile =
  'There is no profile of that name: `blogctl profile list` shows those there are.';
export const noUsers =
  'There are no users: who may change something holds a token, and `blogctl token list` names those there are.';
const asFiles = 'Articles become files by `blogctl articles export <folder>`.';
export const deleteAll =
  '`blogctl articles list --all --format ids | blogctl articles delete -` says how many it would delete: with -y behind it, every article is deleted.';
export const notBoth =
  'What is deleted is named by its id, or found by `blogctl articles list --search <text>`: not both.';
export const whichOnes =
  '`blogctl articles list`, with --search or --jq, shows which: behind `--format ids` of that line, `| blogctl articles delete -` says how many it would delete, and with -y deletes those.';
export const dryWords =
  '--dryrun --dry --check --check-only --what-if --whatif --simulate --noop --no-op --preview --pretend --test --plan --diff --validate --no-act --dry-run=client --dry-run=server --dry-run=true --dryrun=true --validate-only';
export const noWatch =
  'Nothing is watched: run the line again, for example by `watch` of the shell.';
export const noBlogGoes =
  'A blog goes with its store, as a file or a database does: nothing here deletes one.';
export const makesNoFile =
  'Write the file first: `blogctl articles create --from-file <file>` brings it to the blog, --editor opens an editor instead.';
const onlySync =
  'Only `blogctl sync apply <folder>` writes over articles, and with --prune deletes.';
export const alone = 'There are articles alone: `blogctl articles list` shows them.';
export const lastRun =
  '`blogctl runs list` shows the last one first: `blogctl runs undo <run>` takes it back.';
const oneVersion = 'An article has one version: `blogctl runs list` shows what changed several.';
export const noComments = 'Comments have a link and no endpoint: docs/interface.md.';
export const runsUntil = '`blogctl serve` ends with Ctrl-C, or with SIGTERM to its process.';
export const backup =
  '`blogctl articles export backup.ndjson` writes what `blogctl articles import backup.ndjson --recreate` brings back where it was deleted; a store file that nobody serves is kept, and put back, by `cp`.';
export const noTemplate =
  'Templates are not read: --jq takes a filter of jq, such as .title of one article, and .[].title of several.';
export const asAWhole = 'A text is changed as a whole: `blogctl articles edit <id>` opens it.';
export const nothingElse = 'It manages the articles of a blog alone: see `blogctl --help`.';
const newer = 'Update it as it was installed: npm install --global blogctl.';
export const conditions =
  'Conditions are written in jq: `blogctl articles list --all --jq ".[] | select(.id != 3)"`.';

/** What is typed to which commands, as in known-habits.ts, where no line does it: several words have one answer. */
export const noCounterpart: Readonly<Record<string, Readonly<Record<string, Hint>>>> = {
  blogctl: {
    prune:
      '`blogctl runs prune` forgets runs, `blogctl sync apply <folder> --prune` deletes articles.',
    status: 'Of a folder: `blogctl sync plan <folder>`; of the login: `blogctl auth status`.',
    'clone fetch checkout': asFiles,
    'commit stash merge rebase cherry-pick': noStage,
    'alias aliases': 'Aliases are those of the shell: alias bl="blogctl articles list".',
    'stop restart reload down': runsUntil,
    'install setup bootstrap quickstart i ci':
      '`blogctl serve blog.json` makes a store file and serves it: nothing has to be set up.',
    test: '`blogctl check <blog-url>` asks a service whether it keeps the interface.',
    'page pages': alone,
    'version versions ver --info --v --ver --versions': 'Run `blogctl --version`.',
    'uninstall self-uninstall self-remove': 'It goes as it came: npm uninstall --global blogctl.',
    'upgrade self-update self-upgrade outdated check-update check-updates update-check': newer,
    'search-replace sed':
      'Texts are changed as files: `blogctl articles export <folder>`, then `blogctl sync apply <folder>` before they are changed, and again behind it.',
    'user users author authors role cap': noUsers,
    'drafts published pending future expired': noStates,
    'exit quit': 'Each line ends by itself: there is nothing to leave.',
    'media attachment attachments asset assets':
      'Pictures stay where they are: a content refers to them by their address.',
    '-C': 'It works where it is run: `cd` into the folder first.',
    'build render generate-site':
      'Nothing is built: `blogctl serve` shows the articles as pages, `blogctl articles export <folder>` writes them as Markdown.',
    'changes changed': noDates,
    watch: noWatch,
    clear:
      'Say what: `blogctl config unset <setting>` forgets a setting, `blogctl runs prune` old runs.',
    'plugin theme widget menu cron cache rewrite transient core extension docker podman workflow secret variable release gist project org codespace ruleset ssh-key gpg-key':
      nothingElse,
  },
  'blogctl, articles': {
    'comments comment': noComments,
    'category categories tag tags untag retag categorize term taxonomy label labels annotate milestone meta assign pin unpin':
      noMeta,
    'blame reflog': oneVersion,
    'undelete untrash restore recover':
      'What a run deleted is created again, with another id, by `blogctl runs undo <run>`.',
    'revert rollback reset':
      '`blogctl runs list` shows the imports, deletions and syncs that can be undone; an update, or what `blogctl api` sent, is in none.',
  },
  runs: {
    'delete remove rm clear clean purge':
      'None is forgotten alone: `blogctl runs prune --older-than <days>` forgets the old ones.',
    'cancel stop kill abort': 'A run ends with Ctrl-C, and `blogctl runs resume <run>` goes on.',
    'watch follow tail': '`blogctl runs show <run>` says how far one has come.',
  },
  'blogctl, store, articles': { 'backup snapshot': backup },
  articles: {
    'publish unpublish draft hide close reopen archive merge ready review approve checks': noStates,
    upsert: onlySync,
    generate:
      'Articles to try with come with the package: `blogctl articles import "$(npm root)/blogctl/examples/posts"`, with `npm root --global` where it is there.',
    'append prepend': asAWhole,
    'trash --trash --soft': 'There is no trash: `runs undo <run>` brings back what a delete took.',
    'clone copy cp duplicate fork transfer':
      'Its text makes another: `blogctl articles get <id> --format md -o copy.md`, then `blogctl articles create --from-file copy.md`.',
    checkout: asFiles,
    diff: compared,
    '--state --post-status --draft --drafts --status --unpublish': noStates,
    'log history versions revisions revision --history --revision --revisions': oneVersion,
  },
  'articles list, articles get, runs list, sync plan, sync apply': { '--watch --follow': noWatch },
  'articles list, articles get, api': {
    '-t': noTemplate,
    '--compact --compact-output --raw-output --sort-keys':
      '`--jq .` writes JSON in one line, and texts without quotes: --jq takes any filter of jq.',
  },
  'articles list': {
    '--header --headers': 'Only CSV has a heading: give --format csv.',
    '--mention --selector': noMeta,
    '--starting-token --next-token --cursor --offset --skip --start':
      'Pages are counted: --page 2 --page-size 20 are the second twenty.',
  },
  'articles list, blog': { '--web -w --open': pages },
  'articles get': {
    '--html --render --rendered': 'A text is shown as it is, as Markdown: --web opens its page.',
  },
  'articles update': {
    '--all -a all *': oneAtATime,
    '--self': newer,
    '--no-content --no-body':
      'What is not named stays as it is: --clear-content takes the text away, for good.',
  },
  'articles create, articles update': {
    '--id': 'A blog gives each article its id.',
    '--append --prepend --replace': asAWhole,
    '--template':
      'There are no templates of texts: --from-file <file> takes one that was written, --editor opens an editor.',
    [`--dry-run -n ${dryWords}`]:
      'It is a single request: nothing can be said of it before it is sent.',
  },
  'blog, store': {
    'list ls blogs list-blogs':
      '`blogctl blog` shows one; another of the same store is --blog file:<store>#blog=2.',
  },
  blog: {
    'delete remove destroy rm drop': noBlogGoes,
    'set-default': '`blogctl profile use <name>` chooses another blog.',
    'empty clear wipe': deleteAll,
    'sync fork clone archive':
      'A folder and its blog are kept in step by `blogctl sync`, and become files by `blogctl articles export <folder>`.',
  },
  'articles delete': {
    [`--dry-run -n --interactive -i --ask --prompt ${dryWords}`]:
      'It asks before it deletes: leave out --yes, and say no.',
  },
  'articles import': {
    '--draft --publish --as-drafts --keep-drafts':
      'Drafts are left out; --drafts publishes them too.',
    '--undo': lastRun,
    '--update --force -f --upsert --delete --prune --replace --on-conflict': onlySync,
    '--limit --max --first --skip --offset':
      'A source is taken as a whole: of records a line each, `head -n 20 <file> | blogctl articles import -` takes the first.',
    '--watch -w': noWatch,
    '--pattern --include --glob --only --exclude --ignore':
      "A pattern in quotes names files, in all folders beneath: `blogctl articles import 'posts/**/*.md'`.",
    '--no-header --no-headers':
      'The first line of a table names its columns: --map title=<column>,content=<column> chooses.',
  },
  'auth login': {
    '--token -t': loginToken,
    '--hostname': 'It takes <blog-url> alone, and asks for the token.',
  },
  'auth logout': {
    '--all -a':
      'One login is forgotten at a time: `blogctl auth status` says of which blog, and `blogctl auth logout --blog <url>` names another.',
  },
  auth: {
    'can-i': 'What a token may change is listed by `blogctl token list`, where its store is.',
    'setup-git': 'It is no service of git: `blogctl auth login <blog-url>` is all that is needed.',
    refresh:
      'A token holds until its time is over or it is revoked: `blogctl auth login <blog-url>` takes another.',
  },
  config: {
    'clear-cache cache-clear flush-cache cache-flush cache flush':
      'Nothing is cached: what is asked for is read anew.',
    'init setup':
      'Nothing has to be made first: `blogctl config set blog <url>` keeps a first value.',
  },
  'config set, config get': {
    token: 'A token is kept by `blogctl auth login <blog-url>`.',
    'format fields json output git_protocol':
      'What can be set is blog, profile, timeout, retries and max-wait: a format is given with each line, as --format json.',
    'color colour no-color':
      'NO_COLOR switches colours off, FORCE_COLOR=1 on: see `blogctl help environment`.',
  },
  'runs undo': { '--last --latest': lastRun },
  'store init': {
    '--force -f --overwrite -o':
      'What is there is never written over: give another name, or move the file away first.',
  },
  store: {
    'cp clone duplicate mv move rename':
      'A file that nobody serves is copied by `cp` and moved by `mv`; `blogctl store copy <from> <to>` copies to and from databases.',
    'delete destroy drop rm reset clear':
      'A store is a file: `blogctl store check` names it, and `rm` takes it away.',
    'query cli':
      'A store is a JSON file: `blogctl articles list --blog file:<store> --jq <filter>` asks it.',
  },
  'token create': {
    [`-n --dry-run ${dryWords}`]: 'It is made at once: `blogctl token revoke <id>` takes it back.',
  },
  token: {
    'verify test check': '`blogctl auth status` says whether a service takes the token.',
    'rotate renew refresh':
      'Make another by `blogctl token create`, then `blogctl token revoke <id>`.',
  },
  'profile, config': {
    'rename mv copy cp clone duplicate rename-context rename-profile':
      '`blogctl profile show <name>` says which blog it is, and `blogctl profile add <name> <url>` keeps that under another name too.',
  },
  '': {
    '-k --insecure --no-verify-ssl --cacert --ca-cert --ca --cert-authority':
      'A certificate of your own is trusted by NODE_EXTRA_CA_CERTS=<file>, and none unseen.',
    '--proxy': 'HTTP_PROXY and HTTPS_PROXY name a proxy: see `blogctl help environment`.',
    '--pager --editor --browser': ofTools,
    '--version': 'Run `blogctl --version`.',
    '--token --auth --api-key': `${noToken} set BLOGCTL_TOKEN, or give --token-file <file>.`,
    '--user -u': 'There are no users; for a token, set BLOGCTL_TOKEN, or give --token-file <file>.',
    '--since --until --after --before --newer-than --older-than --created --today --yesterday --date --year --monthnum':
      noDates,
    '--color --colour --color=always --colour=always':
      'FORCE_COLOR=1 colours what goes to a pipe too.',
  },
};
