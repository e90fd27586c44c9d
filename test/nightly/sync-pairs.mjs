// Pairs of folders with what a sync has to find between them, compared by path and without an eye: with
// the state, without it as git says, and with half of it. FOLDERS names folders of posts, each of which
// is edited, renamed, added to and thinned out by chance (SEED); PAIRS names folders that hold A, B and a
// manifest.json of { create: [path], update: [path] }.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));
const listOf = (name) => (process.env[name] ?? '').split(':').filter((path) => path !== '');
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
let chanceState = seed;
const chance = () => {
  chanceState = (Math.imul(chanceState, 1103515245) + 12345) & 0x7fffffff;
  return chanceState / 0x7fffffff;
};
const say = (...words) =>
  process.stdout.write(
    `${words.map((word) => (typeof word === 'string' ? word : JSON.stringify(word))).join(' ')}\n`,
  );
const nothing = { create: [], update: [], rename: [], orphan: [] };
let wrong = 0;

for (const pair of listOf('PAIRS')) {
  const { create, update } = JSON.parse(readFileSync(join(pair, 'manifest.json'), 'utf8'));
  const change = (posts) => {
    rmSync(posts, { recursive: true });
    cpSync(join(pair, 'B'), posts, { recursive: true });
  };
  await compare(pair, join(pair, 'A'), change, { ...nothing, create, update });
}
for (const folder of listOf('FOLDERS').length > 0 ? listOf('FOLDERS') : [madeFolder()]) {
  const manifest = structuredClone(nothing);
  await compare(folder, folder, (posts) => changeByChance(posts, manifest), manifest);
  const moved = structuredClone(nothing);
  await compare(`${folder}, all renamed`, folder, (posts) => renameAll(posts, moved), moved);
}
say(`seed ${seed}: ${wrong === 0 ? 'all as the manifests say' : `${wrong} WRONG`}`);
process.exitCode = wrong === 0 ? 0 : 1;

/** Three hundred posts, some of one text. */
function madeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'blogctl-made-'));
  for (let at = 0; at < 300; at += 1) {
    const own = at % 10 === 0 ? 'the same' : `of ${at}`;
    const text = Array.from({ length: 30 }, (_, line) => `Line ${line} ${own}.\n`).join('');
    writeFileSync(join(folder, `post-${at}.md`), `---\ntitle: "Post ${own}"\n---\n${text}`);
  }
  return folder;
}

function postsIn(folder) {
  return (
    readdirSync(folder, { recursive: true, withFileTypes: true })
      // A section page is never a post.
      .filter(({ name }) => /^(?!_index).*\.(?:md|markdown|html)$/.test(name))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
      .filter((path) => /^---\r?\n/.test(readFileSync(join(folder, path), 'utf8')))
      .toSorted()
  );
}

function changeByChance(posts, manifest) {
  for (const path of postsIn(posts)) {
    const file = join(posts, path);
    const luck = chance();
    // Which of two twins was renamed nobody can tell, git neither.
    const isTwin = /^post-\d*0\.md$/.test(path);
    if (luck < 0.15) {
      writeFileSync(file, `${readFileSync(file, 'utf8')}\nAn addition by ${seed}.\n`);
      manifest.update.push(path);
    } else if (luck < 0.25 && !isTwin) {
      const to = path.replace(/([^/]+)$/, 'renamed-$1');
      renameSync(file, join(posts, to));
      manifest.rename.push(to);
    } else if (luck < 0.3) {
      rmSync(file);
      manifest.orphan.push(path);
    } else if (luck < 0.35) {
      const added = `new-${Math.floor(luck * 1e9)}.md`;
      writeFileSync(join(posts, added), `---\ntitle: New ${luck}\n---\nNew text ${luck}\n`);
      manifest.create.push(added);
    } else if (luck < 0.4) {
      writeFileSync(file, `${readFileSync(file, 'utf8').replaceAll(/\r?\n/g, '\r\n')}\r\n`);
    }
  }
}

function renameAll(posts, manifest) {
  for (const path of postsIn(posts)) {
    const to = path.replace(/([^/]+)$/, 'all-$1');
    renameSync(join(posts, path), join(posts, to));
    manifest.rename.push(to);
  }
}

async function compare(name, from, change, manifest) {
  const root = mkdtempSync(join(tmpdir(), 'blogctl-pair-'));
  const posts = join(root, 'posts');
  const git = (...words) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@t', ...words]);
  const commit = () => [git('add', '-A', 'posts'), git('commit', '-qm', 'x')];
  cpSync(from, posts, { recursive: true });
  mkdirSync(join(root, 'data'));
  git('init', '-q');
  commit();
  const token = 'bct_for_benches_only';
  const env = { PATH: process.env.PATH, HOME: root, BLOGCTL_DATA_DIR: join(root, 'data') };
  const serve = spawn(
    process.execPath,
    [bin, 'serve', '--store', join(root, 'blog.json'), '--port', '0', '--json', '--quiet'],
    { env: { ...env, BLOGCTL_SERVE_TOKEN: token }, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [line] = await once(serve.stdout, 'data');
  const { url } = JSON.parse(line).blogs[0];
  const sync = (...words) => {
    const all = [bin, 'sync', ...words, '--blog', url, '--continue-on-error', '-q'];
    const { stdout, stderr, status } = spawnSync(process.execPath, all, {
      cwd: root,
      env: { ...env, BLOGCTL_TOKEN: token },
      maxBuffer: 1 << 28,
    });
    if (stdout.length === 0)
      throw new Error(`${words.join(' ')}: ${String(status)} ${String(stderr)}`);
    return JSON.parse(stdout);
  };
  const state = () =>
    join(
      root,
      'data',
      'sync',
      readdirSync(join(root, 'data', 'sync')).find((each) => each.endsWith('.ndjson')),
    );
  sync('apply', 'posts', '-y', '--json');
  const again = sync('apply', 'posts', '-y', '--json');
  change(posts);
  commit();
  const whole = readFileSync(state(), 'utf8');
  const path = state();
  const half = whole.split('\n').filter((_, at) => at === 0 || at % 2 === 1);
  const results = [again.written === 0];
  for (const text of [whole, '', `${half.join('\n')}\n`]) {
    if (text === '') rmSync(dirname(path), { recursive: true });
    else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    results.push(
      isAsExpected(name, sync('plan', 'posts', '--json').actions, manifest, text === whole),
    );
  }
  sync('apply', 'posts', '-y', '--json', '--prune', '--max-deletes', '100%');
  const last = sync('apply', 'posts', '-y', '--json', '--prune', '--max-deletes', '100%');
  results.push(last.written === 0);
  serve.kill('SIGTERM');
  await once(serve, 'exit');
  rmSync(root, { recursive: true, force: true });
  const counts = Object.entries(manifest).map(([kind, paths]) => `${paths.length} ${kind}`);
  wrong += results.filter((each) => !each).length;
  say(
    `${results.every(Boolean) ? 'ok   ' : 'WRONG'} ${name}: ${counts.join(', ')} [${results.join()}]`,
  );
}

/** Without a state a renamed file is the article of its text: nothing is to be written for it. */
function isAsExpected(name, actions, manifest, hasState) {
  let isRight = true;
  for (const kind of ['create', 'update', 'orphan', ...(hasState ? ['rename'] : [])]) {
    const found = actions.filter(({ action }) => action === kind).map(({ path }) => path);
    const missing = manifest[kind].filter((path) => !found.includes(path));
    const more = found.filter((path) => !manifest[kind].includes(path));
    if (missing.length + more.length === 0) continue;
    isRight = false;
    say(name, kind, { hasState, missing: missing.slice(0, 5), more: more.slice(0, 5) });
  }
  const doubtful = ['conflict', 'unverified', 'suggestion', 'drift', 'deleted-there', 'unmanaged'];
  const doubts = actions.filter(({ action }) => doubtful.includes(action));
  if (doubts.length > 0) say(name, { hasState }, doubts.slice(0, 5));
  return isRight && doubts.length === 0;
}
