// The OpenAPI document in the hands of others: Redocly's linter, and a client that openapi-typescript
// and openapi-fetch make of it, which lists, creates, replaces under If-Match and deletes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { root, say } from './programs.mjs';

const packages = ['@redocly/cli@2', 'openapi-typescript@7', 'openapi-fetch@0', 'typescript@5'];
/** Said in the document by x-not-implemented, and true of a service on this machine. */
const skipped = ['operation-2xx-response', 'no-server-example.com'];

const program = `
import createClient from 'openapi-fetch';
import type { paths } from './blog.js';

const [baseUrl = '', token = ''] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { accept: 'application/hal+json' } });
const access = { 'x-access-token': token };
const articles = '/api/v1.2/blogs/{blog_id}/articles';
const article = '/api/v1.2/blogs/{blog_id}/articles/{article_id}';
const path = { blog_id: 1, article_id: 1 };

const made = await client.POST(articles, {
  params: { path }, headers: access, body: { title: 'Made', content: 'One' },
});
const etag = made.response.headers.get('etag') ?? '';
const page = await client.GET(articles, { params: { path, query: { pageSize: 5 } } });
const titles = page.data?._embedded.map(({ title }) => title);
const put = (match: string) => client.PUT(article, {
  params: { path, header: { 'If-Match': match } }, headers: access, body: { title: 'Put' },
});
const [one, other] = [await put(etag), await put(etag)];
const gone = await client.DELETE(article, { params: { path }, headers: access });
const detail: string | undefined = other.error?.detail;
console.log(JSON.stringify([
  made.data?.id, titles, one.data?.title, other.response.status, typeof detail, gone.response.status,
]));
`;

const folder = await mkdtemp(join(tmpdir(), 'blogctl-openapi-'));
const child = spawn(
  process.execPath,
  [join(root, 'bin/blogctl.cjs'), 'serve', '--ephemeral', '--port', '0', '--json', '--quiet'],
  { env: { ...process.env, BLOGCTL_SERVE_TOKEN: 'nightly' }, stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  const [line] = await once(child.stdout, 'data');
  const { url } = JSON.parse(line);
  const document = await fetch(`${url}/docs/openapi.json`);
  await writeFile(join(folder, 'openapi.json'), await document.text());
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  await run('npm', ['install', '--no-audit', '--no-fund', ...packages, '@types/node@20']);
  const off = skipped.flatMap((rule) => ['--skip-rule', rule]);
  await run('npx', ['redocly', 'lint', 'openapi.json', ...off], 'redocly lint');
  await run('npx', ['openapi-typescript', 'openapi.json', '-o', 'blog.d.ts']);
  await writeFile(join(folder, 'client.ts'), program);
  const typed = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
  await run('npx', ['tsc', ...typed, 'client.ts'], 'the types of a generated client');
  const { stdout } = await execa('node', ['client.js', url, 'nightly'], { cwd: folder });
  const expected = '[1,["Made"],"Put",412,"string",204]';
  say(stdout === expected, `a generated client: ${stdout}`);
} finally {
  child.kill();
  await rm(folder, { recursive: true });
}

async function run(command, words, what) {
  const { exitCode, all } = await execa(command, words, { cwd: folder, all: true, reject: false });
  if (exitCode !== 0) throw new Error(`${command} ${words.join(' ')}\n${all}`);
  if (what !== undefined) say(true, what);
}
