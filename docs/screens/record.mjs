// Plays what the README shows and writes it as asciicast v2: node docs/screens/record.mjs
// (after npm run build; needs tmux). The picture of it, which is committed beside it:
// npx svg-term-cli@2.1.1 --in docs/screens/blogctl.cast --out docs/screens/blogctl.svg --window --no-cursor
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { makeHome, openTerminal } from './terminal.mjs';

const local = (name) => fileURLToPath(new URL(name, import.meta.url));
const size = { columns: 64, rows: 17 };

/** What is typed. */
const scenes = [
  'blogctl articles import posts',
  'timeout -s KILL 2 blogctl articles import archive   # kill -9',
  'blogctl articles import archive                   # again',
  "sed -i 's/reader/friend/' archive/7.md",
  'blogctl sync plan archive',
  "blogctl sync plan archive -q --format md | grep '^[-+]'",
];

/** Seconds: while a line stands there untouched, between frames on the way, and to read an answer. */
const pauses = { typed: 0.5, moving: 0.12, read: 1.3 };
const mostMoving = 8;

/** Answers for each scene the screens that were seen, with their colours, the last one at rest. */
export async function play() {
  const { folder, env } = makeHome();
  const service = await serve(folder, env);
  try {
    prepare(folder, env);
    const terminal = openTerminal({ ...size, folder, env });
    const played = [];
    for (const line of scenes) played.push(await playScene(terminal, line));
    terminal.close();
    return played;
  } finally {
    service.kill();
    await once(service, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A blog at some distance: each answer takes a while. */
async function serve(folder, env) {
  const words = ['serve', '--ephemeral', '--port', '0', '--json', '--quiet', '--delay', '60'];
  const options = { env, cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] };
  const service = spawn(join(folder, 'bin', 'blogctl'), words, options);
  const [ready] = await once(service.stdout, 'data');
  env.BLOGCTL_BLOG = JSON.parse(String(ready)).blogs[0].url;
  return service;
}

function prepare(folder, env) {
  cpSync(local('../../examples/posts'), join(folder, 'posts'), { recursive: true });
  mkdirSync(join(folder, 'archive'));
  for (let at = 1; at <= 300; at += 1)
    writeFileSync(
      join(folder, 'archive', `${at}.md`),
      `---\ntitle: Letter ${at}\n---\nDear reader, this is letter ${at}.\n`,
    );
  for (const words of ['init -q', 'add .', '-c user.name=me -c user.email=me@blog.example commit -qm posts'])
    execFileSync('git', words.split(' '), { cwd: folder, env });
}

async function playScene(terminal, line) {
  const before = terminal.look('-e').trimEnd();
  const seen = [`${before} ${line}`];
  terminal.type(line);
  const rest = terminal.rest().then(() => true);
  while (!(await Promise.race([rest, pause(40, false)]))) {
    const now = terminal.look('-e').trimEnd();
    if (now !== seen.at(-1)) seen.push(now);
  }
  // The prompt is drawn after that.
  while (!terminal.look().trimEnd().endsWith('\n$')) continue;
  seen.push(terminal.look('-e').trimEnd());
  const moving = seen.slice(1, -1);
  const step = Math.max(1, Math.ceil(moving.length / mostMoving));
  return [seen[0], ...moving.filter((_, at) => at % step === step - 1), seen.at(-1)];
}

function castOf(played) {
  const header = { version: 2, width: size.columns, height: size.rows };
  let time = 0;
  const events = [];
  const show = (screen, seconds) => {
    events.push([time, 'o', `\u001b[H\u001b[2J${screen.replaceAll('\n', '\r\n')}`]);
    time = Math.round((time + seconds) * 100) / 100;
  };
  for (const screens of played) {
    show(screens[0], pauses.typed);
    for (const screen of screens.slice(1, -1)) show(screen, pauses.moving);
    show(screens.at(-1), pauses.read);
  }
  show(played.at(-1).at(-1), pauses.read);
  events.push([time, 'o', '']);
  return [header, ...events].map((line) => `${JSON.stringify(line)}\n`).join('');
}

if (process.argv[1] === local('record.mjs'))
  writeFileSync(local('blogctl.cast'), castOf(await play()));
