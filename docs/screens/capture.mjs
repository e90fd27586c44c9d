// Takes the screens of docs/screens/screens.md again: node docs/screens/capture.mjs
// (after npm run build; needs tmux). What is seen is what a terminal of that size shows.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeHome, openTerminal } from './terminal.mjs';

let folder, env;

const titles = [
  'Why keep a small blog',
  '短いブログを書き続ける理由と、そのために要る道具についての長い題名',
  'Café crème: combining marks stay with their letters',
  'A 🌱 in the garden, and a title that is too long for any narrow terminal to show',
];

/** A heading, what is typed, and where the screen is taken before the end: what it then shows. */
const screens = [
  ['List', 'blogctl articles list'],
  ['Get', 'blogctl articles get 1'],
  ['Import, on its way', 'blogctl articles import posts --concurrency 1', '█'],
  ['Import, done', 'blogctl articles import more'],
  ['Edit, while somebody else changes the article', 'blogctl articles edit 1 -y'],
  ['An error', 'blogctl articles get 4711'],
  ['Help', 'blogctl articles list --help'],
];

const escapes = new RegExp(String.raw`${String.fromCodePoint(27)}\[([\d;]*)m`, 'g');
const codes = new Set();
if (process.argv[1] === fileURLToPath(import.meta.url))
  writeFileSync(new URL('screens.md', import.meta.url), await capture('8099'));

/** The page of what terminals show of a service at that port. */
export async function capture(port) {
  prepare();
  const sections = [];
  for (const columns of [80, 40]) sections.push(await takeAll(columns, port));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return page(sections);
}

function prepare() {
  const home = makeHome();
  ({ folder, env } = home);
  env.EDITOR = `${folder}/bin/editor`;
  home.script(
    'editor',
    `blogctl articles update 1 --title 'Changed by somebody else' --quiet >/dev/null
sed -i 's/^title: .*/title: Changed by me/' "$1"`,
  );
  posts('posts', 20);
  posts('more', 12);
}

function posts(name, count) {
  mkdirSync(join(folder, name));
  for (let at = 1; at <= count; at += 1)
    writeFileSync(join(folder, name, `${at}.md`), `---\ntitle: Post ${at}\n---\n${name} ${at}\n`);
}

/** A service with some articles, and one terminal a screen. */
async function takeAll(columns, port) {
  const words = ['serve', '--ephemeral', '--port', port, '--json', '--quiet', '--delay', '60'];
  const service = spawn('blogctl', words, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [ready] = await once(service.stdout, 'data');
  env.BLOGCTL_BLOG = JSON.parse(String(ready)).blogs[0].url;
  const content = '## Small\n\nA small blog is read by those who look for it.\n';
  for (const title of titles)
    execFileSync('blogctl', ['articles', 'create', '--title', title, '--content', content], { env });
  try {
    const taken = screens.map(([heading, line, until]) => ({
      heading,
      text: take(columns, line, until),
    }));
    return { columns, taken };
  } finally {
    service.kill();
    await once(service, 'exit');
  }
}

function take(columns, line, until) {
  const terminal = openTerminal({ columns, rows: 24, folder, env });
  terminal.type(line);
  let shown = '';
  if (until === undefined) terminal.ended();
  for (let tries = 0; tries < 500 && !shown.includes(until ?? '$'); tries += 1)
    shown = terminal.look();
  for (const [, code] of terminal.look('-e').matchAll(escapes)) codes.add(code);
  if (until !== undefined) terminal.ended();
  terminal.close();
  return shown.replaceAll(folder, '/home/me/blog').replace(/\n\$ *\n*$/, '\n').trimEnd();
}

function page(all) {
  const used = [...codes].filter((code) => code !== '' && code !== '0').sort((a, b) => (a < b ? -1 : 1));
  const shown = all.map(({ columns, taken }) => {
    const each = taken.map(({ heading, text }) => `### ${heading}\n\n\`\`\`text\n${text}\n\`\`\`\n`);
    return `## ${columns} columns\n\n${each.join('\n')}`;
  });
  return `# What a terminal shows

Taken from real terminals (tmux) by \`node docs/screens/capture.mjs\`. On these screens the command
used only the colours and weights ${used.map((code) => `\`${code}\``).join(', ')} (SGR): 1 is bold, 2
is dim, 31 red, 32 green and 33 yellow of the terminal's own theme, and 39 and 49 its own text and background.
No background of ours is ever set, so what a light or dark theme shows stays legible.

${shown.join('\n')}`;
}
