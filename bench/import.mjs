// Importing NDJSON against a plain undici loop that POSTs the same records to the same service at
// the same concurrency, alternated, medians; and the peak memory of an import at two sizes. The loop
// sends the lines of the file as they are, with a token and without an Idempotency-Key, to be answered
// with the article; the import sends title and content of each, with its key, to be answered in brief.
// RECORDS=100000 LARGE=1000000 for the full figures, LARGE=0 for none of memory, CONCURRENCY=16 for more
// at a time.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median, table } from './figures.mjs';

const bin = fileURLToPath(new URL('../bin/blogctl.cjs', import.meta.url));
const loop = fileURLToPath(new URL('./plain-post-loop.mjs', import.meta.url));
const records = Number(process.env.RECORDS ?? 20_000);
const small = Number(process.env.SMALL ?? 10_000);
const large = Number(process.env.LARGE ?? 100_000);
const rounds = Number(process.env.ROUNDS ?? 3);
const concurrency = Number(process.env.CONCURRENCY ?? 4);
const token = 'bct_for_benches_only';
const folder = mkdtempSync(join(tmpdir(), 'blogctl-bench-'));
const env = { PATH: process.env.PATH, HOME: folder, BLOGCTL_TOKEN: token };

await writeRecords(join(folder, 'rate.ndjson'), records);
const rates = { import: [], loop: [] };
for (let round = 0; round < rounds; round += 1) {
  rates.loop.push(await rateOf((blog) => [loop, blog, join(folder, 'rate.ndjson'), concurrency]));
  rates.import.push(await rateOf((blog) => importOf('rate.ndjson', blog)));
}
const ratio = median(rates.import) / median(rates.loop);
table(
  `Import of ${records} records of 1.5 KB, ${concurrency} at a time (${rounds} rounds, medians)`,
  [
    {
      figure: 'plain undici loop',
      'records/s': Math.round(median(rates.loop)),
      ratio: '1.00',
      goal: '-',
    },
    {
      figure: 'blogctl articles import',
      'records/s': Math.round(median(rates.import)),
      ratio: ratio.toFixed(2),
      goal: concurrency === 4 ? '≥ 0.92' : '≥ 0.90',
    },
  ],
);

const peaks = [];
for (const source of large > 0 ? ['file', 'stdin'] : []) {
  const [little, much] = [await peakOf(small, source), await peakOf(large, source)];
  peaks.push({
    from: source,
    [`${small} records`]: `${little} MB`,
    [`${large} records`]: `${much} MB`,
    ratio: (much / little).toFixed(2),
    goal: '≤ 1.15',
  });
}
if (large > 0) table('Peak memory of an import', peaks);
rmSync(folder, { recursive: true, force: true });

function importOf(name, blog) {
  const source = join(folder, name);
  return [
    bin,
    'articles',
    'import',
    source,
    '--blog',
    blog,
    '--quiet',
    '--concurrency',
    concurrency,
  ];
}

/** Records a second, of a whole process against a service with an empty store of its own. */
async function rateOf(words) {
  return withService(async (blog) => {
    const begin = process.hrtime.bigint();
    await run(words(blog));
    return records / (Number(process.hrtime.bigint() - begin) / 1e9);
  });
}

/** The most memory an import ever held, in MB, as the kernel saw it (Linux). */
async function peakOf(count, source) {
  const name = `${count}.ndjson`;
  await writeRecords(join(folder, name), count);
  return withService(async (blog) => {
    const words = importOf(source === 'file' ? name : '-', blog);
    if (source === 'file') return run(words.map((word) => word));
    words[words.indexOf(join(folder, '-'))] = '-';
    return run(words, join(folder, name));
  });
}

async function withService(work) {
  const store = join(folder, `${Math.random()}.json`);
  const words = [bin, 'serve', '--json', '--quiet', '--store', store, '--port', '0'];
  const service = spawn(process.execPath, words, {
    env: { ...env, BLOGCTL_SERVE_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [ready] = await once(service.stdout, 'data');
  const result = await work(JSON.parse(String(ready)).blogs[0].url);
  service.kill('SIGKILL');
  await once(service, 'exit');
  rmSync(store, { force: true });
  return result;
}

async function run(words, input) {
  const command = [process.execPath, ...words].map((word) => `'${word}'`).join(' ');
  const child = spawn('bash', ['-c', `exec ${command} < ${input ?? '/dev/null'}`], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, peakNow(child.pid))), 50);
  const [status] = await once(child, 'exit');
  clearInterval(watch);
  if (status !== 0) throw new Error(`It ended with ${status}: ${command}`);
  return peak;
}

function peakNow(pid) {
  try {
    return (
      Math.round(
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
      ) || 0
    );
  } catch {
    return 0; // It has ended, or this is not Linux.
  }
}

async function writeRecords(path, count) {
  const file = createWriteStream(path);
  const text = 'A sentence of an article that is neither long nor short. '.repeat(26);
  for (let number = 1; number <= count; number += 1) {
    const line = `${JSON.stringify({ title: `Article ${number}`, content: `${number} ${text}` })}\n`;
    if (!file.write(line)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'close');
}
