// Starts of a server beside a reader of another user: node test/nightly/secrets.mjs [starts]
// Wants root, which alone may run a program as another user, and a built command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const bin = join(import.meta.dirname, '../../bin/blogctl.cjs');
const [starts = '500'] = process.argv.slice(2);
const nobody = { uid: 65_534, gid: 65_534, cwd: '/' };

/** Reads whatever it can in a folder, as fast as it can, and says what looks like a secret. */
const reader = `
const { readdirSync, openSync, readSync, closeSync, constants } = require('node:fs');
const { connect } = require('node:net');
const [folder] = process.argv.slice(1);
const bytes = Buffer.alloc(65536);
const secret = /bct_|sha256|"token"/;
let looks = 0;
console.log('ready');
process.on('SIGTERM', () => { console.log('looks ' + looks); process.exit(); });
(function look() {
  for (const until = Date.now() + 50; Date.now() < until; looks += 1) {
    for (const name of readdirSync(folder)) {
      if (name === 'blog.json') continue;
      try {
        const file = openSync(folder + '/' + name, constants.O_RDONLY | constants.O_NONBLOCK);
        for (let turn = 0; turn < 20; turn += 1) {
          if (secret.test(bytes.toString('latin1', 0, readSync(file, bytes, 0, bytes.length, 0)))) console.log('secret ' + name);
        }
        closeSync(file);
      } catch (error) {
        if (error.code === 'ENXIO') connect(folder + '/' + name).on('error', () => {}).on('data', (said) => { if (secret.test(said)) console.log('secret ' + name); });
      }
    }
  }
  setImmediate(look);
})();`;

if (process.getuid?.() !== 0) {
  process.stdout.write('skipped: only root may run a reader as another user\n');
} else {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-secrets-'));
  await chmod(folder, 0o755);
  const spy = spawn(process.execPath, ['-e', reader, folder], {
    ...nobody,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = [];
  spy.stdout.on('data', (text) => said.push(...String(text).trim().split('\n')));
  await once(spy.stdout, 'data');
  try {
    for (let start = 0; start < Number(starts); start += 1) await startOnce(folder, start);
    spy.kill();
    await once(spy, 'close');
    const secrets = said.filter((line) => line.startsWith('secret'));
    const looks = said.find((line) => line.startsWith('looks')) ?? '';
    const good = secrets.length === 0;
    process.stdout.write(
      `${good ? 'ok    ' : 'FAILED'} ${starts} starts, ${looks} of another user, ${secrets.length} secrets read\n`,
    );
    for (const line of new Set(secrets)) process.stdout.write(`  ${line}\n`);
    if (!good) process.exitCode = 1;
  } finally {
    spy.kill();
    await rm(folder, { recursive: true });
  }
}

/** One start, one write, one end: by a signal or a kill. */
async function startOnce(folder, start) {
  const words = [
    'serve',
    '--json',
    '--port',
    '0',
    '--store',
    'blog.json',
    '--ready-file',
    'ready.json',
  ];
  const env = { ...process.env, HOME: folder, BLOGCTL_SERVE_TOKEN: 'bct_of_this_night' };
  const server = spawn('sh', ['-c', 'umask 0; exec "$0" "$@"', process.execPath, bin, ...words], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(server.stdout, 'data');
  await fetch(`${JSON.parse(line).blogs[0].url}/articles`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-access-token': env.BLOGCTL_SERVE_TOKEN },
    body: JSON.stringify({ title: `Start ${start}`, content: 'Text' }),
  });
  server.kill(start % 2 === 0 ? 'SIGTERM' : 'SIGKILL');
  await once(server, 'close');
}
