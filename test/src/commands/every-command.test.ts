import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { main } from '../../../src/main.ts';
import { givenHost, type HostOptions } from '../../support/host.ts';
import { startOtherService, type Manners } from '../../support/other-service.ts';

type World = {
  readonly folder: string;
  readonly blog: string;
  /** The first word of what `runs list` showed. */
  readonly run: string;
};

type Line = {
  readonly name: string;
  /** Behind the command's name. */
  readonly more?: (world: World) => readonly string[];
  readonly host?: (world: World) => HostOptions;
  /** Method and path, in turn. */
  readonly requests?: readonly string[];
  readonly out: RegExp;
  readonly err?: RegExp;
  readonly status?: number;
};

const token = 'right-token';
const editor = `const { readFileSync, writeFileSync } = require('node:fs');
const path = process.argv[2];
writeFileSync(path, readFileSync(path, 'utf8').replace('One', 'Uno'));
`;
const root = 'GET /weblog';
const entries = '/weblog/entries';
const store = ({ folder }: World) => ['--store', join(folder, 'store.json')];
const to = ({ blog }: World) => ['--blog', blog];

/** One day with blogctl: every command once, each finding what those before it left. */
const day: readonly Line[] = [
  {
    name: 'blog',
    more: to,
    requests: [root, `GET ${entries}?pageSize=1`],
    out: /^9\tAnother\tof another make\t2\thttp/,
  },
  {
    name: 'articles list',
    more: (world) => [...to(world), '--format', 'ids'],
    requests: [root, `GET ${entries}?pageSize=100`],
    out: /^1\n2\n$/,
  },
  {
    name: 'articles get',
    more: (world) => ['1', ...to(world), '--field', 'title'],
    requests: [root, `GET ${entries}/1`],
    out: /^One$/,
  },
  {
    name: 'articles create',
    more: (world) => ['--title', 'Three', '--content', 'c', ...to(world), '--format', 'ids'],
    requests: [root, `POST ${entries}`],
    out: /^3\n$/,
  },
  {
    name: 'articles update',
    more: (world) => ['3', '--title', 'Drei', ...to(world), '--field', 'title'],
    requests: [root, `GET ${entries}/3`, `PUT ${entries}/3`],
    out: /^Drei$/,
    err: /Updated article 3\./,
  },
  {
    name: 'articles edit',
    more: (world) => ['1', '-y', ...to(world), '--field', 'title'],
    host: ({ folder }) => ({
      env: { EDITOR: `"${process.execPath}" "${join(folder, 'editor.cjs')}"` },
    }),
    requests: [root, `GET ${entries}/1`, `PUT ${entries}/1`],
    out: /^Uno$/,
    err: /- title: One\n\+ title: Uno\n/,
  },
  {
    name: 'articles delete',
    more: (world) => ['3', '-y', ...to(world)],
    requests: [root, `GET ${entries}/3`, `DELETE ${entries}/3`],
    out: /^3\tdeleted\thttp.*\/entries\/3\n$/,
  },
  {
    name: 'articles import',
    more: (world) => ['-', '--import-id', 'day', ...to(world)],
    host: () => ({ stdin: '{"title":"A","content":"a"}\n{"title":"B","content":"b"}\n' }),
    requests: [root, `GET ${entries}?pageSize=100`, `POST ${entries}`, `POST ${entries}`],
    out: /"created": 2,/,
  },
  {
    name: 'articles export',
    more: (world) => ['-', ...to(world), '--format', 'ndjson'],
    requests: [root, `GET ${entries}?pageSize=100`],
    out: /"title":"Uno".*\n(.*\n){3}$/,
  },
  {
    name: 'sync plan',
    more: (world) => [join(world.folder, 'posts'), ...to(world), '--no-history'],
    requests: [root, `GET ${entries}?pageSize=500`],
    out: /^create\td\.md\t\tnew$/m,
    err: /^1 to create\. 0 unchanged, 4 not from here\.$/m,
  },
  {
    name: 'sync apply',
    more: (world) => [join(world.folder, 'posts'), '-y', ...to(world), '--no-history'],
    requests: [root, `GET ${entries}?pageSize=500`, `POST ${entries}`],
    out: /"written": 1,/,
    err: /^1 planned: 1 written\.$/m,
  },
  {
    name: 'sync pull',
    more: (world) => [join(world.folder, 'posts'), ...to(world), '--no-history'],
    requests: [root, `GET ${entries}?pageSize=500`],
    out: /^$/,
    err: /^There is nothing to pull\.$/m,
  },
  {
    name: 'articles links',
    more: (world) => ['1', ...to(world), '--format', 'json'],
    requests: [root, `GET ${entries}/1`],
    out: /"rel": "doc:blog"/,
  },
  {
    name: 'articles import',
    more: (world) => [join(world.folder, 'posts.ndjson'), '--import-id', 'stopped', ...to(world)],
    host: () => ({ env: { BLOGCTL_TOKEN: 'of-somebody-else' } }),
    requests: [root, `GET ${entries}?pageSize=100`, `POST ${entries}`],
    out: /"unsent": 1,/,
    status: 3,
    err: /the token was refused: who are you\? \(HTTP 401\)/,
  },
  { name: 'runs list', out: /^\w{10}\t\S*Z\tarticles import\tinterrupted\thttp/ },
  {
    name: 'runs show',
    more: ({ run }) => [run],
    out: /^\w{10}\tarticles import\tinterrupted\t.*\thttp.*\t\["\S*posts\.ndjson"\]\t/,
  },
  {
    name: 'runs undo',
    more: ({ run }) => [run, '--dry-run'],
    requests: [root],
    out: /"changes": 0,/,
  },
  {
    name: 'runs resume',
    more: ({ run }) => [run],
    requests: [root, `GET ${entries}?pageSize=100`, `POST ${entries}`],
    out: /"created": 1,/,
  },
  {
    name: 'runs prune',
    more: () => ['--older-than', '0d', '-y'],
    out: /^$/,
    err: /Removed \d+ runs?\./,
  },
  {
    name: 'auth login',
    more: ({ blog }) => [blog, '--token-file', '-'],
    host: () => ({ stdin: `${token}\n`, env: { BLOGCTL_TOKEN: '' } }),
    out: /\tdefault\t.*config\.json\ttrue\n$/,
    requests: [root, `DELETE ${entries}/9007199254740991`, `DELETE ${entries}/9007199254740991`],
    err: /Logged in\./,
  },
  {
    name: 'auth status',
    more: to,
    out: /\tflag\tBLOGCTL_TOKEN\n$/,
    requests: [root, `DELETE ${entries}/9007199254740991`],
  },
  { name: 'auth token', more: to, out: new RegExp(`^${token}\n$`) },
  { name: 'auth logout', more: to, out: /^$/, err: /Forgot the token for http/ },
  {
    name: 'profile add',
    more: ({ blog }) => ['other', blog],
    out: /^$/,
    err: /Added profile other\./,
  },
  { name: 'profile list', out: /^default\tyes\t.*\nother\t\thttp.*\n$/ },
  {
    name: 'profile use',
    more: () => ['other'],
    out: /^$/,
    err: /Profile other is used from now on\./,
  },
  { name: 'profile show', more: () => ['other'], out: /^other\thttp.*\tnone kept\n$/ },
  {
    name: 'profile remove',
    more: () => ['other', '-y'],
    out: /^$/,
    err: /Removed profile other\./,
  },
  {
    name: 'config set',
    more: () => ['timeout', '7s'],
    out: /^$/,
    err: /timeout is 7s from now on\./,
  },
  { name: 'config get', more: () => ['timeout'], out: /^7s\n$/ },
  {
    name: 'config list',
    more: () => ['--show-origin'],
    out: /^timeout\t7s\tconfig\t.*config\.json\n/,
  },
  { name: 'config unset', more: () => ['timeout'], out: /^$/, err: /timeout is no longer set/ },
  { name: 'config path', out: /\/config\.json\n$/ },
  { name: 'links', more: to, requests: [root], out: /^self\thttp.*\ndoc:articles\thttp/ },
  {
    name: 'api',
    more: (world) => ['--follow', 'doc:articles', ...to(world)],
    requests: [root, `GET ${entries}`],
    out: /"totalArticles": 6/,
  },
  {
    name: 'serve',
    more: () => ['--ephemeral', '--port', '0', '--json'],
    out: /^\{"url":"http:.*"store":null,"pid":\d+,"token":"bct_\w+"\}\n$/,
    err: /^\{"notice":"Serving  http:.*"\}\n\{"notice":"Page     http:.*\/"\}\n\{"notice":"Store    in memory, forgotten at the end"\}\n/,
  },
  {
    name: 'check',
    more: (world) => [...to(world), '--only', '2.1'],
    requests: [root],
    out: /"number": "2.1",[^]*"outcome": "held"/,
    err: /1 of 1 rules hold/,
  },
  {
    name: 'store init',
    more: store,
    out: /store\.json\tMy blog\t\n$/,
    err: /^Made .*store\.json\./,
  },
  {
    name: 'store add-blog',
    more: (world) => [...store(world), '--title', 'Second'],
    out: /^2\tSecond\t\n$/,
  },
  {
    name: 'store edit-blog',
    more: (world) => [...store(world), '--title', 'Other'],
    out: /^$/,
    err: /Changed blog 1 of .*\.json\./,
  },
  { name: 'store upgrade', more: store, out: /^$/, err: /is a file: it has no schema/, status: 2 },
  {
    name: 'store copy',
    more: ({ folder }) => [join(folder, 'store.json'), join(folder, 'other.json')],
    out: /^$/,
    err: /copies from a database or into one/,
    status: 2,
  },
  { name: 'store check', more: store, out: /store\.json\tsound\t0\n$/ },
  {
    name: 'store repair',
    more: store,
    out: /^$/,
    err: /store\.json is sound: there is nothing to repair\./,
  },
  { name: 'store compact', more: store, out: /^$/, err: /Tidied .*store\.json\./ },
  {
    name: 'store lock',
    more: (world) => [...store(world), '--on-blog', '1'],
    out: /^$/,
    err: /Locked blog 1 of .*\.json\./,
  },
  {
    name: 'store unlock',
    more: (world) => [...store(world), '--on-blog', '1'],
    out: /^$/,
    err: /Unlocked blog 1 of .*\.json\./,
  },
  {
    name: 'token create',
    more: (world) => [...store(world), '--name', 'ci'],
    out: /^bct_\w{38}\n$/,
  },
  { name: 'token list', more: store, out: /^\w+\tci\tcreate,update,delete\tall\tnever\n$/ },
  {
    name: 'token revoke',
    more: (world) => ['ci', ...store(world)],
    out: /^$/,
    err: /Revoked token \w+ of .*\.json\./,
  },
  {
    name: 'completion',
    more: () => ['bash'],
    out: /^_blogctl\(\) \{[^]*\ncomplete -o default -F _blogctl blogctl\n$/,
  },
  { name: 'commands', out: /^blog\tShow the blog\narticles list\t/ },
  { name: 'help', more: () => ['exit-codes'], out: /^Exit codes\n\n {2}0 {4}done\n/ },
];

type Done = { readonly status: number; readonly out: string; readonly err: string };

async function runLine(line: Line, world: World): Promise<Done> {
  const more = line.host?.(world);
  const env = {
    BLOGCTL_TOKEN: token,
    BLOGCTL_CONFIG_DIR: world.folder,
    BLOGCTL_DATA_DIR: world.folder,
    ...more?.env,
  };
  const words = [...line.name.split(' '), ...(line.more?.(world) ?? []), '-vvv'];
  const host = givenHost(words, { folder: world.folder, ...more, env });
  const ended = main(host);
  if (line.name === 'serve') {
    while (!host.out().includes('\n')) await turn();
    host.signal('SIGTERM');
  }
  return { status: await ended, out: host.out(), err: host.err() };
}

type See = (line: Line, done: Done, asked: string[], folder: string) => Promise<void> | void;

async function spend(liberties: Manners, see: See) {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-day-'));
  const service = await startOtherService(['One', 'Two'], { ownPaths: true, ...liberties });
  await writeFile(join(folder, 'editor.cjs'), editor);
  await mkdir(join(folder, 'posts'));
  await writeFile(join(folder, 'posts', 'd.md'), '---\ntitle: D\n---\nd\n');
  await writeFile(join(folder, 'posts.ndjson'), '{"title":"C","content":"c"}\n');
  let run = 'none';
  try {
    for (const line of day) {
      const done = await runLine(line, { folder, blog: service.blogUrl, run });
      if (line.name === 'runs list') run = done.out.split('\t')[0] || 'none';
      const asked = service.requests.splice(0).map(({ method, path }) => `${method} ${path}`);
      await see(line, done, asked, folder);
    }
  } finally {
    await service.stop();
    await rm(folder, { recursive: true });
  }
}

/** Files that hold the token, by name. */
async function holders(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile());
  const texts = files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8'));
  const held = await Promise.all(texts);
  return files.filter((_, at) => held[at]?.includes(token)).map(({ name }) => name);
}

const failures = Array.from({ length: 200 }, () => ({ status: 418 }) as const);
const failing = { GET: failures, POST: failures, PUT: failures, DELETE: failures };

describe('a day with every command', () => {
  it('leaves none out', async () => {
    const host = givenHost(['commands', '--json']);
    await main(host);
    const { commands } = JSON.parse(host.out());
    const names = commands.map(({ name }: { name: string }) => name);
    expect([...new Set(day.map(({ name }) => name))].toSorted()).toEqual(names.toSorted());
  });

  it('asks for what it should, answers, and says what it did', async () => {
    await spend({}, ({ name, requests = [], out, err = /^/, status = 0 }, done, asked) => {
      expect({ name, status: done.status, asked }).toEqual({ name, status, asked: requests });
      expect({ name, said: done.out }).toEqual({ name, said: expect.stringMatching(out) });
      expect({ name, said: done.err }).toEqual({ name, said: expect.stringMatching(err) });
    });
  });

  it.each([
    ['works', {}, []],
    ['fails', { first: failing }, ['GET', 'POST', 'PUT', 'DELETE']],
    ['knows another token', { token: 'another-token' }, ['POST', 'PUT', 'DELETE']],
  ] as const)(
    'tells no token, however much is told, where the service %s',
    async (_, liberties, refused) => {
      const told: string[] = [];
      const succeeded: string[] = [];
      await spend(liberties, async ({ name }, { status, out, err }, asked, folder) => {
        if ((name === 'auth token' ? err : out + err).includes(token)) told.push(name);
        const kept = (await holders(folder)).filter((file) => file !== 'config.json');
        told.push(...kept.map((file) => `${name}: ${file}`));
        const isRefused = refused.some((method) => asked.at(-1)?.startsWith(method));
        if (isRefused && status === 0) succeeded.push(name);
      });
      expect({ told, succeeded }).toEqual({ told: [], succeeded: [] });
    },
  );
});
