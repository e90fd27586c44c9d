// Compiles ahead what starts load, for Node 20: bin/blogctl.cjs runs as it does for a user, and beside
// each file that it loads comes what V8 has compiled of it by the end, functions that were called included.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import vm from 'node:vm';

const own = fileURLToPath(import.meta.url);
const given = process.argv.slice(2);
if (given.length > 0) runLines(given.map((line) => line.split(' ')));
else await recordStarts();

async function recordStarts() {
  // V8 tells a file that was changed by its length alone.
  const dist = fileURLToPath(new URL('../dist/', import.meta.url));
  for (const name of readdirSync(dist)) if (/\.cjs\.v\d/.test(name)) rmSync(join(dist, name));
  const folder = mkdtempSync(join(tmpdir(), 'blogctl-build-'));
  const env = { PATH: process.env.PATH, HOME: folder, BLOGCTL_TOKEN: 'bct_of_the_build_alone' };
  const run = (words, ...channel) =>
    spawn(process.execPath, [own, ...words], {
      cwd: folder,
      env: { ...env, BLOGCTL_SERVE_TOKEN: env.BLOGCTL_TOKEN },
      stdio: ['ignore', 'pipe', 'inherit', ...channel],
    });
  writeFileSync(join(folder, 'seed.ndjson'), '{"id":1,"title":"A","content":"B"}\n');
  const serve = 'serve --json --quiet --port 0 --store blog.json --seed seed.ndjson';
  const service = run([serve], 'ipc');
  const [ready] = await once(service.stdout, 'data');
  const blog = JSON.parse(String(ready)).blogs[0].url;
  for (const lines of [
    [
      '--help',
      'completion bash',
      `articles list --format table --blog ${blog}`,
      `articles list --json --blog ${blog}`,
    ],
    [`articles import seed.ndjson --quiet --blog ${blog}`],
  ])
    await ended(run(lines));
  service.disconnect();
  await ended(service);
  rmSync(folder, { recursive: true });
}

async function ended(child) {
  child.stdout.resume();
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error('A command failed that was compiled.');
}

/** Runs the lines one after the other in this process. */
function runLines([line, ...others]) {
  const scripts = new Map();
  let isFlagged = false;
  // With other flags V8 takes no cache that was made with these.
  v8.setFlagsFromString = () => {
    isFlagged = true;
  };
  vm.Script = class extends vm.Script {
    constructor(code, options) {
      super(code, options);
      if (!isFlagged) scripts.set(options.filename, this);
    }
  };
  const bin = fileURLToPath(new URL('../bin/blogctl.cjs', import.meta.url));
  const require = createRequire(bin);
  process.argv = [process.execPath, bin, ...line];
  require(bin);
  // Windows has no signal that a process could answer.
  process.once('disconnect', () => process.emit('SIGTERM'));
  process.on('beforeExit', () => {
    const words = others.shift();
    if (words === undefined || process.exitCode !== 0) return;
    process.argv = [process.execPath, bin, ...words];
    setImmediate(() => {
      void require('../dist/main.cjs')
        .main(process)
        .then((status) => {
          process.exitCode = status;
        });
    });
  });
  process.on('exit', () => {
    const node = `${process.version}-${statSync(process.execPath).size}`;
    for (const [filename, script] of scripts) {
      const cache = `${filename}.${node}`;
      // The commands end first, and call more of what the service loads too.
      if (!existsSync(cache)) writeFileSync(cache, script.createCachedData());
    }
  });
}
