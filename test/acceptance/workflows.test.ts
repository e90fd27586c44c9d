import { readdirSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { blogctl, givenFolder, givenService } from '../support/command.ts';
import { pack } from '../support/consumers.mjs';

type Step = {
  readonly name?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly if?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
};

type Workflow = {
  readonly env?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[] }>>;
};

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What the expressions of the workflows stand for. */
type Values = Readonly<Record<string, string>>;

/** Carries out the steps of a job as a runner would; answers what each printed and ended with. */
async function runJob(file: string, job: string, world: { folder: string; values: Values }) {
  const text = await readFile(join(root, 'examples', 'workflows', file), 'utf8');
  const workflow: Workflow = parse(text);
  const steps = workflow.jobs[job]?.steps ?? [];
  const checkout = steps.find(({ uses = '' }) => uses.startsWith('actions/checkout'));
  // An old run that is run again must not bring back what the posts said then.
  const ref = job === 'sync' ? { ref: '${{ github.ref }}' } : {};
  expect(checkout?.with).toEqual({ 'fetch-depth': 0, ...ref });
  const ended: { name: string; exitCode: number | undefined; all: string }[] = [];
  for (const { name = '', run, env, if: condition = '' } of steps) {
    const hasFailed = ended.some(({ exitCode }) => exitCode !== 0);
    if (run === undefined || (hasFailed && !condition.includes('!cancelled()'))) continue;
    const { exitCode, all } = await execa('bash', ['-e', '-c', filled(run, world.values)], {
      cwd: join(world.folder, 'repository'),
      all: true,
      reject: false,
      extendEnv: false,
      env: {
        PATH: `${join(world.folder, 'bin')}${delimiter}${process.env['PATH']}`,
        HOME: join(world.folder, 'home'),
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_STEP_SUMMARY: join(world.folder, 'summary.md'),
        COMMENT: join(world.folder, 'comment.md'),
        ...filledAll({ ...workflow.env, ...env }, world.values),
      },
    });
    ended.push({ name, exitCode, all });
  }
  return ended;
}

function filled(text: string, values: Values): string {
  return text.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_all, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`Nothing stands for ${name}`);
    return value;
  });
}

function filledAll(env: Readonly<Record<string, string>>, values: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, text]) => [name, filled(text, values)]),
  );
}

/** `gh pr comment` keeps what it is given. */
async function givenGh(folder: string): Promise<void> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  const text =
    '#!/bin/sh\n[ "$1 $2 $3 $4" = "pr comment 7 --body-file" ] || exit 64\ncp "$5" "$COMMENT"\n';
  await writeFile(join(bin, 'gh'), text);
  await chmod(join(bin, 'gh'), 0o755);
}

it('the example workflows plan in a pull request, sync on main and look at night', async () => {
  const folder = await givenFolder();
  await givenGh(folder);
  const service = await givenService(folder);
  const values = {
    'vars.BLOG_URL': service.blogUrl,
    'vars.BLOGCTL_PACKAGE': await pack(folder),
    'secrets.BLOG_TOKEN': service.token,
    'github.event.number': '7',
    'github.token': 'of-github',
    'inputs.flags': '',
  };
  const repository = join(folder, 'repository');
  const git = (...words: readonly string[]) =>
    execa('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@t', ...words]);
  const post = (name: string, text: string) =>
    writeFile(join(repository, 'posts', name), `---\ntitle: ${name}\n---\n${text}\n`);
  await mkdir(join(repository, 'posts'), { recursive: true });
  await git('init', '-q');
  for (let at = 0; at < 8; at += 1) await post(`${at}.md`, `text ${at}`);
  await git('add', '-A');
  await git('commit', '-q', '-m', 'eight posts');
  const world = { folder, values };
  const env = { BLOGCTL_BLOG: service.blogUrl, BLOGCTL_TOKEN: service.token };
  // As the README does, before there is a workflow.
  await blogctl(['articles', 'import', 'posts', '--concurrency', '1'], { folder: repository, env });

  expect(await runJob('sync-posts.yml', 'sync', world)).toMatchObject([{ exitCode: 0 }]);
  expect(await runJob('plan-posts.yml', 'drift', world)).toMatchObject([{ exitCode: 0 }]);

  await post('0.md', 'text 0, edited');
  await post('new.md', 'a new one');
  await git('rm', '-q', 'posts/5.md');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'a change of each kind');
  const planned = await runJob('plan-posts.yml', 'plan', world);
  expect(planned.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
  const comment = await readFile(join(folder, 'comment.md'), 'utf8');
  expect(comment.split('\n').slice(0, 2)).toEqual([
    '<!-- blogctl sync -->',
    '1 to create, 1 to update, 1 to delete. 6 unchanged, 0 not from here.',
  ]);
  expect(comment).toContain('-text 0\n+text 0, edited');
  expect(await readFile(join(folder, 'summary.md'), 'utf8')).toBe(comment);

  expect(await runJob('sync-posts.yml', 'sync', world)).toMatchObject([{ exitCode: 0 }]);
  const list = await blogctl(['articles', 'list', '--format', 'ids'], { folder, env });
  expect(list.stdout).toBe('1\n2\n3\n4\n5\n7\n8\n9\n');

  await blogctl(['articles', 'update', '2', '--content', 'a typo mended'], { folder, env });
  const night = await runJob('plan-posts.yml', 'drift', world);
  expect(night).toMatchObject([{ exitCode: 11 }]);
  expect(night[0]?.all).toContain('1.md (article 2): changed on the blog');
  expect(await runJob('sync-posts.yml', 'sync', world)).toMatchObject([{ exitCode: 0 }]);

  await git('rm', '-q', ...[0, 2, 3, 4, 6, 7].map((at) => `posts/${at}.md`));
  await git('commit', '-q', '-m', 'most of them gone');
  const refused = await runJob('plan-posts.yml', 'plan', world);
  expect(refused.map(({ exitCode }) => exitCode)).toEqual([6, 0, 0]);
  expect(await readFile(join(folder, 'comment.md'), 'utf8')).toMatch(
    /Apply refuses this&#58; .* --max-deletes 6 allows it/,
  );
  const asked = { ...world, values: { ...values, 'inputs.flags': '--max-deletes 6' } };
  expect(await runJob('sync-posts.yml', 'sync', asked)).toMatchObject([{ exitCode: 0 }]);
}, 180_000);

describe('every workflow', () => {
  const folders = ['.github/workflows', 'examples/workflows'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(root, folder, name)),
  );

  it.each(files)('%s runs actions by their commits, and names what it may do', async (file) => {
    const text = await readFile(file, 'utf8');
    const used = [...text.matchAll(/uses: (.*)/g)].map(([, action = '']) => action);
    expect(used.filter((action) => !/^[\w/-]+@[0-9a-f]{40} # v\d/.test(action))).toEqual([]);
    expect(parse(text)).toHaveProperty('permissions.contents', 'read');
  });

  it('publishes what was tried, on every Node that the package promises', async () => {
    const text = await readFile(join(root, '.github/workflows/release.yml'), 'utf8');
    const { jobs } = parse(text);
    expect([jobs.try.needs, jobs.publish.needs]).toEqual(['pack', 'try']);
    expect(jobs.try.strategy.matrix.os).toHaveLength(3);
    expect(jobs.try.strategy.matrix.node).toEqual(['20.19', 22, 24, 26]);
    expect(text).toContain('--provenance');
  });
});
