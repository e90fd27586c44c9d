import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { givenFolder } from '../support/command.ts';
import { madeBy, madeWhileServing, mayTrace, type Made } from '../support/traced.ts';

type Row = {
  readonly path: RegExp;
  readonly mode: readonly string[];
  readonly flags: readonly string[];
};

const temporary = String.raw`\.[0-9a-f]{16}\.tmp$`;
const isNew = ['O_EXCL', 'O_NOFOLLOW'];

/** Every file and folder that blogctl makes, with the mode that the kernel is asked for under `umask 0`. */
const table: readonly Row[] = [
  // A store is meant to be shared: 0664 when it is new, and later what its owner made of it.
  { path: new RegExp(`blog\\.json${temporary}`), mode: ['0664', '0600'], flags: isNew },
  { path: new RegExp(`saved\\.json${temporary}`), mode: ['0600'], flags: isNew },
  { path: new RegExp(`blog\\.json\\.lock${temporary}`), mode: ['0600'], flags: isNew },
  { path: new RegExp(`blog\\.tokens\\.json${temporary}`), mode: ['0600'], flags: isNew },
  { path: new RegExp(`ready\\.json${temporary}`), mode: ['0600'], flags: isNew },
  { path: /blog\.json\.torn-[\dTZ.-]+$/, mode: ['0600'], flags: isNew },
  { path: /config\.json\.lock$/, mode: ['0600'], flags: ['O_EXCL'] },
  // The library that keeps the configuration makes it, under a name of its own, in a private folder.
  { path: /config\.json\.tmp-\w+$/, mode: ['0600'], flags: [] },
  // What it is called stays, so it is opened again; the copy that outlives a run is new.
  { path: /data\/runs\/\w+\.ndjson$/, mode: ['0600'], flags: ['O_APPEND'] },
  { path: /data\/runs\/\w+\.ndjson$/, mode: ['0100600'], flags: ['O_EXCL'] },
  { path: /rejects\.ndjson$/, mode: ['0600'], flags: ['O_NOFOLLOW'] },
  { path: /blogctl-\w{6}\/stdin$/, mode: ['0600'], flags: ['O_EXCL'] },
  // What is exported is what everybody may read on the blog.
  { path: new RegExp(`out\\.ndjson${temporary}`), mode: ['0666'], flags: ['O_EXCL'] },
  { path: /posts\.[0-9a-f]{16}\.tmp\/\d{4}-\w+\.md$/, mode: ['0666'], flags: ['O_EXCL'] },
  { path: /posts\.[0-9a-f]{16}\.tmp$/, mode: ['0777'], flags: ['folder'] },
  { path: /^(?:data|config|data\/runs)$/, mode: ['0700'], flags: ['folder'] },
  { path: /blogctl-\w{6}$/, mode: ['0700'], flags: ['folder'] },
];

function complaints(made: readonly Made[]): readonly string[] {
  return made
    .filter(({ path, mode, flags }) => {
      const rows = table.filter((known) => known.path.test(path) && known.mode.includes(mode));
      return !rows.some((row) => row.flags.every((flag) => flags.includes(flag)));
    })
    .map(({ path, mode, flags }) => `${path} ${mode} ${flags}`);
}

/** As a process leaves it that was killed in the middle of its first write. */
function tearTail(file: string): void {
  const text = readFileSync(file, 'utf8');
  const end = text.lastIndexOf('],\n"end"');
  writeFileSync(file, `${text.slice(0, end)},{"id":99,"title":"Half of`);
  const { pid } = spawnSync('true');
  const lock = { pid, host: 'here', since: new Date(0).toISOString(), bytesAtOpen: end };
  writeFileSync(`${file}.lock`, JSON.stringify(lock));
}

test.skipIf(!mayTrace())(
  'every file is private from its first moment and goes over nothing, under umask 0',
  async () => {
    const folder = await givenFolder();
    const env = {
      HOME: folder,
      BLOGCTL_CONFIG_DIR: join(folder, 'config'),
      BLOGCTL_DATA_DIR: join(folder, 'data'),
      TMPDIR: folder,
    };
    const traced = { folder, env };
    const blog = ['--blog', 'file:blog.json'];
    const records = `${JSON.stringify({ title: 'One', content: 'a' })}\n{"no":"title"}\n`;
    writeFileSync(join(folder, 'records.ndjson'), records);
    const inBlog = ['articles', 'create', '--title', 'Any', '--content', 'c', ...blog];
    const made = [
      ...madeBy(['store', 'init', '--store', 'blog.json'], traced),
      ...madeBy(['articles', 'import', 'records.ndjson', '--continue-on-error', ...blog], traced),
      ...madeBy(['articles', 'import', '-', ...blog], {
        ...traced,
        input: JSON.stringify({ title: 'Two', content: 'b' }),
      }),
      ...madeBy(['articles', 'create', '--title', 'Local', '--content', 'c'], traced),
      ...madeBy(['articles', 'export', 'out.ndjson', ...blog], traced),
      ...madeBy(['articles', 'export', 'posts', ...blog], traced),
      ...madeBy(['store', 'compact', '--store', 'blog.json'], traced),
      ...madeBy(['store', 'repair', '--store', 'blog.json', '--to', 'saved.json'], traced),
      ...madeBy(['token', 'create', '--store', 'blog.json', '--name', 'ci'], traced),
      ...madeBy(['config', 'set', 'retries', '2'], traced),
      ...(await madeWhileServing(
        ['serve', '--json', '--port', '0', '--store', 'blog.json', '--ready-file', 'ready.json'],
        { folder, env: { ...env, BLOGCTL_SERVE_TOKEN: 'bct_for_tests_only' } },
        async (line) => {
          await fetch(`${JSON.parse(line).blogs[0].url}/articles`, {
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              'x-access-token': 'bct_for_tests_only',
            },
            body: JSON.stringify({ title: 'Served', content: 'd' }),
          });
        },
      )),
    ];
    tearTail(join(folder, 'blog.json'));
    made.push(...madeBy(inBlog, traced));
    expect(complaints(made)).toEqual([]);
    const unmade = table.filter(({ path }) => !made.some((one) => path.test(one.path)));
    expect(unmade.map(({ path }) => path.source)).toEqual([]);
  },
);
