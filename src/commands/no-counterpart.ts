import type { Hint } from '../errors.ts';

export const noToken = 'A command line is no place for a token:';
export const pages =
  'A blog that is served has its pages at the origin of its address; `articles get <id> --web` opens one article.';
export const imported = 'Files come to a blog by `blogctl articles import`.';
export const noStates = 'Articles have no state: what is on the blog is public.';
export const ofStore =
  'A blog is made by `blogctl store add-blog --title <text>` and changed by `blogctl store edit-blog --title <text>`, each with --store <file>.';
export const ofTools =
  'Editor, pager and browser are those of EDITOR, PAGER and BROWSER: see `blogctl help environment`.';
export const compared = 'An article and its file are compared by `blogctl sync plan <folder>`.';
export const oneAtATime = 'One is changed at a time: `articles update <id> --title <text>`.';
export const noStage =
  'Nothing is staged: `blogctl sync plan <folder>` shows what `blogctl sync apply <folder>` would do.';
export const ofPosts =
  'A store file is named as blog.json: `blogctl articles import <posts> --blog file:blog.json` fills it.';
export const noMeta = 'An article has a title and a content, and nothing else.';
export const noGuess = 'no token is sent by guessing';
export const loginToken = `${noToken} it is asked for, or read from --token-file <file>.`;
export const noSecret = `${noToken} give --token-file <file>, and a blog without user and password.`;
export const noUsers =
  'There are no users: who may change something holds a token, made by `blogctl token create`.';
const asFiles = 'Articles become files by `blogctl articles export <folder>`.';
const deletedOnes =
  'What a run deleted is created again, with another id, by `blogctl runs undo <run>`.';
export const deleteAll =
  '`blogctl articles list --all --format ids | blogctl articles delete -` deletes every article, with --yes, as nobody can be asked behind a pipe, and with the same --blog on both sides.';
export const storeFiles = '`blogctl articles` exports and imports, with --blog file:<store>.';
const noWatch = 'Nothing is watched: run the line again, for example by `watch` of the shell.';
export const noBlogGoes =
  'A blog goes with its store, as a file or a database does: nothing here deletes one.';
export const makesNoFile =
  'Write the file first: `blogctl articles create --from-file <file>` brings it to the blog, --editor opens an editor instead.';
export const noGraph =
  'There is no GraphQL: `blogctl links` lists what leads on, `blogctl api --follow <rel>` goes there.';
export const noSql =
  'SQL is no source: WordPress exports WXR, which `blogctl articles import <file.xml>` reads.';
export const copied = 'Name both: `blogctl store copy <from> <to>`.';
const onlySync =
  'Only `blogctl sync apply <folder>` writes over articles, and with --prune deletes.';
export const alone = 'There are articles alone: `blogctl articles list` shows them.';
export const lastRun = '`blogctl runs list` shows the last one first: give its id.';
const noFormat =
  'What can be set is blog, profile, timeout, retries and max-wait: a format is given with each line, as --format json.';
const noStatic = 'It serves the articles of a blog, and nothing else: see `blogctl serve --help`.';
const noComments = 'Comments have a link and no endpoint: docs/interface.md.';
const runsUntil = '`blogctl serve` ends with Ctrl-C, or with SIGTERM to its process.';
export const backup = 'A backup is a copy of the file: docs/backup.md says how.';
export const noTemplate = 'Templates are not read: --jq takes a filter of jq, such as .[].title.';

/** What is typed to which commands, as in known-habits.ts, where no line does it: several words have one answer. */
export const noCounterpart: Readonly<Record<string, Readonly<Record<string, Hint>>>> = {
  blogctl: {
    'prune gc':
      '`blogctl runs prune` forgets old runs, `blogctl sync apply --prune` deletes articles.',
    status: 'Of a folder: `blogctl sync plan <folder>`; of the login: `blogctl auth status`.',
    'clone fetch checkout': asFiles,
    'commit stash merge': noStage,
    alias: 'There are no aliases: `blogctl profile add <name> <url>` keeps a blog under a name.',
    'stop restart reload down': runsUntil,
    'install setup bootstrap quickstart':
      '`blogctl serve blog.json` makes a store file and serves it: nothing has to be set up.',
    test: '`blogctl check <blog-url>` asks a service whether it keeps the interface.',
    'cluster-info': 'Of a blog: `blogctl blog`; of the login: `blogctl auth status`.',
    'page pages': alone,
    version: 'Run `blogctl --version`.',
    'upgrade self-update outdated': 'Update it as it was installed: npm install --global blogctl.',
    'search-replace': 'Texts are changed one by one: `articles list --search <words>` finds them.',
    'user users author authors role cap': noUsers,
    'drafts published pending': noStates,
    'category categories tag tags term taxonomy label labels milestone': noMeta,
    'media attachment attachments asset assets':
      'Pictures stay where they are: a content refers to them by their address.',
    '-C': 'It works where it is run: `cd` into the folder first.',
    'build render generate-site':
      'Nothing is built: `blogctl serve` shows the articles as pages, `blogctl articles export <folder>` writes them as Markdown.',
    rsync: '`blogctl sync apply <folder>` brings a folder to its blog, and changes what differs.',
    'explain api-resources api-versions':
      '`blogctl help <command>` explains a command, `blogctl links` what the service offers.',
    'blame reflog': 'An article has one version: `blogctl runs list` shows what changed several.',
    'plugin theme widget menu cron cache rewrite transient core extension workflow secret variable release gist project org codespace ruleset ssh-key gpg-key':
      'It manages the articles of a blog, and nothing else: see `blogctl --help`.',
  },
  'blogctl, articles': {
    'comments comment': noComments,
    'undelete untrash restore': deletedOnes,
    'revert rollback reset': '`blogctl runs list` shows what can be undone.',
  },
  sync: {
    'init setup':
      'Nothing has to be made first: `blogctl sync plan <folder>` shows what would be done.',
  },
  'store copy': {
    '--from --to': copied,
  },
  runs: {
    'delete remove rm clear clean':
      'None is forgotten alone: `blogctl runs prune --older-than <days>` forgets the old ones.',
    'cancel stop kill': 'A run ends with Ctrl-C, and `blogctl runs resume <run>` goes on.',
    'watch follow tail': '`blogctl runs show <run>` says how far one has come.',
  },
  'blogctl, store, articles': {
    'backup snapshot': backup,
  },
  articles: {
    'publish unpublish draft close reopen archive merge': noStates,
    upsert: onlySync,
    generate: 'Articles to try with stand in examples/posts of the package.',
    trash: 'There is no trash: `runs undo <run>` creates again what a delete took.',
    'clone copy cp duplicate fork':
      'Its text makes another: `blogctl articles get <id> --format md -o copy.md`, then `blogctl articles create --from-file copy.md`.',
    checkout: asFiles,
    'meta term label assign transfer pin unpin': noMeta,
    diff: compared,
    '--state --post-status --draft --drafts --status --publish --published': noStates,
    'log history versions revisions revision --history --revision --revisions':
      'An article has one version: `blogctl runs list` shows what changed several.',
  },
  'articles list, articles get, runs list, sync plan, sync apply': {
    '--watch': noWatch,
  },
  'articles list, articles get, api': {
    '-t': noTemplate,
    '--compact --compact-output --raw-output --sort-keys':
      '`--jq .` writes JSON in one line, and texts without quotes: --jq takes any filter of jq.',
  },
  'articles get': {
    '-c --comments': noComments,
  },
  'articles list': {
    '--assignee --milestone --mention -l --label --selector': noMeta,
    '--starting-token --next-token --cursor':
      'Pages are counted: --page 2 --page-size 20 are the second twenty.',
    '--exclude --regex --regexp':
      '--search takes words; what else is wanted is a filter, as --jq ".[] | select(.id != 3)".',
    '--offset --skip --start': 'Pages are counted: --page 2 --page-size 20 are the second twenty.',
  },
  'articles list, articles create, blog': {
    '--web -w --open': pages,
  },
  'articles create, articles update': {
    '--id': 'A blog gives each article its id.',
    '--append --prepend --replace': 'A text is changed as a whole: `articles edit <id>` opens it.',
    '--dry-run -n': 'It is a single request: nothing can be said of it before it is sent.',
  },
  blog: {
    'delete remove destroy rm drop': noBlogGoes,
    'set-default': '`blogctl profile use <name>` chooses another blog.',
    'empty clear wipe': deleteAll,
    'sync fork clone archive':
      'A folder and its blog are kept in step by `blogctl sync`, and become files by `blogctl articles export <folder>`.',
  },
  'articles delete': {
    '--dry-run -n': 'It asks before it deletes: leave out --yes, and say no.',
  },
  'articles import': {
    '--update --force --upsert --delete --prune --replace': onlySync,
    '--limit --max --first': 'A source is taken as a whole: --dry-run shows what would be done.',
    '--watch -w': noWatch,
    '--pattern --include --glob --exclude --ignore':
      "A pattern in quotes names files: `articles import 'posts/*.md'`.",
    '--no-header --no-headers':
      'The first line of a table names its columns: --map title=<column>,content=<column> chooses.',
  },
  'auth login': {
    '--token -t': loginToken,
    '--hostname --web': 'It takes <blog-url> alone, and asks for the token.',
  },
  'profile use': {
    '--user -u':
      'There are no users: `blogctl profile use <name>` chooses another blog, and with it its token.',
  },
  auth: {
    'can-i': 'What a token may change is listed by `blogctl token list`, where its store is.',
    'setup-git': 'It is no service of git: `blogctl auth login <blog-url>` is all that is needed.',
    refresh:
      'A token holds until its time is over or it is revoked: `blogctl auth login <blog-url>` takes another.',
  },
  'config set, config get': {
    token: 'A token is kept by `blogctl auth login <blog-url>`.',
    'format fields json output git_protocol': noFormat,
    'color colour no-color':
      'Colours are switched off by --no-color, or by NO_COLOR: see `blogctl help environment`.',
  },
  'sync plan, sync apply': {
    '--exclude --include --ignore':
      'Paths behind the folder choose: `blogctl sync apply <folder> a.md b.md`.',
  },
  'sync apply': {
    '--force -f --overwrite --ours':
      'Changes of the blog are written over by --on-drift overwrite alone.',
  },
  'runs undo': {
    '--last --latest': lastRun,
  },
  store: {
    'delete destroy drop rm reset clear':
      'A store is a file: `blogctl store check` names it, and it goes as a file does.',
    'query cli':
      'A store is a JSON file: `blogctl articles list --blog file:<store> --jq <filter>` asks it.',
  },
  'token create': {
    '-n --dry-run': 'It is made at once: `blogctl token revoke <id>` takes it back.',
  },
  token: {
    'rotate renew refresh':
      'Make another by `blogctl token create`, then `blogctl token revoke <id>`.',
  },
  api: {
    '-d --data --body --data-raw': 'A body comes by --input <file>, - for stdin, or by -F.',
    '--silent -s': 'The answer goes to stdout: -o <file> puts it elsewhere.',
  },
  serve: {
    '--detach --daemon --background --fork':
      'It stays in the foreground: `&` of the shell or a service of the system takes it elsewhere.',
    '--open --browser --navigate-to-changed': 'It prints the address of its page: open that.',
    '--token': `${noToken} set BLOGCTL_SERVE_TOKEN, or use the one that is shown.`,
    '--no-token --no-auth --auth':
      'Whoever changes something needs a token, and readers need none.',
    'stop restart reload status --daemon --background --detach': runsUntil,
    '--https --ssl --tls --cert --tls-cert':
      'It speaks HTTP; what stands before it is said by --base-url and --trust-proxy.',
    '--open': 'It prints the address of its page when it is ready.',
    '--static -s --routes -r --middlewares -m --snapshots -S --id -i --foreignKeySuffix': noStatic,
    '--config -c': 'There is no file of settings: what is wanted stands on the line.',
    '--log-level --loglevel --log --verbose-level':
      'The log goes to standard error: 2> <file> keeps it, --log json makes lines for programs.',
    '--drafts --build-drafts --buildDrafts': noStates,
  },
  profile: {
    'rename mv': '`blogctl profile add <name> <url>` keeps it under another name too.',
  },
  '': {
    '-k --insecure --no-verify-ssl --cacert --ca-cert --ca --cert-authority':
      'A certificate of your own is trusted by NODE_EXTRA_CA_CERTS=<file>, and none unseen.',
    '--proxy': 'HTTP_PROXY and HTTPS_PROXY name a proxy: see `blogctl help environment`.',
    '--pager --editor --browser': ofTools,
    '--version': 'Run `blogctl --version`.',
    '--token --auth --api-key': `${noToken} set BLOGCTL_TOKEN, or give --token-file <file>.`,
    '--user -u': 'There are no users; for a token, set BLOGCTL_TOKEN, or give --token-file <file>.',
    '--since --until --after --before --created --year --monthnum':
      'No listing has dates: --sort updated --reverse shows the last first.',
    '-R --repo --url --path': 'A blog is named by --blog <url>, or by --blog file:<file>.',
    '--template': noTemplate,
  },
};
