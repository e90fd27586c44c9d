import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environment } from '../../../src/commands/help.ts';
import { exitStatusOf } from '../../../src/errors.ts';
import { createProgram } from '../../../src/program.ts';
import { run } from '../../support/run.ts';

type Described = {
  readonly commands: readonly {
    readonly name: string;
    readonly arguments: unknown[];
    readonly flags: unknown[];
  }[];
  readonly environment: Readonly<Record<string, string>>;
  readonly exitCodes: readonly { readonly status: number; readonly codes: readonly string[] }[];
};

let folder: string;
let env: Record<string, string>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'blogctl-help-'));
  env = { BLOGCTL_CONFIG_DIR: folder, BLOGCTL_BLOG: `file:${join(folder, 'blog.json')}` };
  await run(['articles', 'create', '--title', 'One', '--content', ''], { env });
  await run(['profile', 'add', 'work', 'https://b.test/1'], { env });
});
afterAll(() => rmSync(folder, { recursive: true }));

async function described(): Promise<Described> {
  return JSON.parse((await run(['commands', '--json'])).out);
}

describe('commands --json', () => {
  it('has every exit code, every error code once, and the variables', async () => {
    const { exitCodes, environment: variables } = await described();
    const codes = exitCodes.flatMap((each) => each.codes);
    expect(codes.toSorted()).toEqual(Object.keys(exitStatusOf).toSorted());
    expect(variables).toEqual(environment);
  });

  it('is a table for a person', async () => {
    const { out } = await run(['commands'], { terminal: 80 });
    expect(out).toContain('articles list  ');
  });
});

describe('help', () => {
  it('of every command has a summary and an example', async () => {
    for (const { name } of (await described()).commands) {
      const { status, out } = await run([...name.split(' '), '--help']);
      expect([name, status]).toEqual([name, 0]);
      expect(out).toMatch(/^Usage: blogctl /);
      expect(out).toContain(`Examples:\n`);
      expect(out).toContain(`blogctl ${name.split(' ')[0]}`);
    }
  });

  it.each([
    ['create --help', 'Usage: blogctl articles create|new [options]'],
    ['export -h', 'Usage: blogctl articles export [options] [destination]'],
    ['list --json -h', 'Usage: blogctl articles list|ls [options]'],
  ])('%s is help on the command of articles', async (line, usage) => {
    const { status, out } = await run(line.split(' '));
    expect([status, out.split('\n')[0]]).toEqual([0, usage]);
  });

  it.each(['environment', 'exit-codes', 'formatting', 'import', 'pages'])(
    'knows the topic %s',
    async (topic) => {
      const { status, out } = await run(['help', topic]);
      expect(status).toBe(0);
      expect(out.split('\n').every((line) => line.length <= 100)).toBe(true);
    },
  );

  it('shows more than ten flags in groups of ten at most, with -h beside them', async () => {
    const { commands } = await described();
    const many = commands.filter(({ flags }) => flags.length > 10).map(({ name }) => name);
    expect(many).toEqual([
      'articles import',
      'sync plan',
      'sync apply',
      'sync pull',
      'runs undo',
      'serve',
    ]);
    for (const name of [...many, '']) {
      const { out } = await run([...name.split(' '), '--help'].filter((word) => word !== ''));
      const groups = out.split(/^(?=\S.*:$)/m).slice(1);
      const sizes = groups.map((group) => group.match(/^ {2}-/gm)?.length ?? 0);
      expect([name, sizes.filter((size) => size > 0).length > 3]).toEqual([name, true]);
      expect([name, Math.max(...sizes) <= 10]).toEqual([name, true]);
    }
  });

  it('on a command is what --help of it says', async () => {
    const { out } = await run(['help', 'articles', 'update']);
    expect(out).toBe((await run(['articles', 'update', '--help'])).out);
  });

  it.each([
    ['post', 'articles'],
    ['artcles', 'articles'],
    ['aricles lst', 'articles list'],
    ['gt', 'articles get'],
    ['remove 3', 'articles delete'],
    ['post view 3', 'articles get'],
    ['plan', 'sync plan'],
    ['db.json', 'serve'],
    ['enviroment', 'environment'],
    ['exit codes', 'exit-codes'],
  ])('on %s is said to be on %s', async (topic, meant) => {
    const { status, err } = await run(['help', ...topic.split(' ')]);
    expect([status, err]).toEqual([
      2,
      `error: There is no help on "${topic}".\nhint: Run \`blogctl help ${meant}\`.\n`,
    ]);
    expect(await run(['help', ...meant.split(' ')])).toMatchObject({ status: 0 });
  });

  it('on what is answered with a sentence is that sentence', async () => {
    const { err } = await run(['help', 'comments']);
    expect(err).toContain('hint: Comments have a link and no endpoint: docs/interface.md.');
  });

  it('on nothing is all of it; on something unknown a usage error', async () => {
    expect((await run(['help'])).out).toBe((await run(['--help'])).out);
    expect(await run(['help', 'articles', 'nope'])).toMatchObject({
      status: 2,
      err: 'error: There is no help on "articles nope".\nhint: Run `blogctl help articles`.\n',
    });
    expect(await run(['help', 'nope'])).toMatchObject({
      status: 2,
      err: 'error: There is no help on "nope".\nhint: See blogctl help for the commands; other topics are environment, exit-codes, formatting, import, pages.\n',
    });
  });
});

describe('completion', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['art'], ['articles']],
    [
      ['articles', 'l'],
      ['list', 'links'],
    ],
    [
      ['articles', 'list', '--pa'],
      ['--page', '--page-size'],
    ],
    [['articles', '--format', 'x', 'list', '--li'], ['--limit']],
    [['articles', 'list', '--format', 'nd'], ['ndjson']],
    [['--profile', ''], ['work']],
    [['profile', 'use', ''], ['work']],
    [['config', 'set', 'ti'], ['timeout']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', 'powershell'],
    ],
    [['articles', 'get', ''], ['1']],
    [['articles', 'delete', '1', ''], ['1']],
    [['articles', 'update', '1', ''], []],
    [['articles', 'list', '--limit', ''], []],
    [['articles', 'list', '--format', 'tab'], ['table']],
    [['articles', 'list', '--format=tab'], ['--format=table']],
    // As bash parts it.
    [['articles', 'list', '--format', '=', 'tab'], ['table']],
    [
      ['articles', 'import', '--on-changed', '='],
      ['fail', 'skip'],
    ],
    [['help', 'art'], ['articles']],
    [['help', 'articles', 'lis'], ['list']],
    [
      ['nothing', ''],
      [
        'blog',
        'articles',
        'sync',
        'runs',
        'auth',
        'profile',
        'config',
        'links',
        'api',
        'serve',
        'check',
        'store',
        'token',
        'completion',
        'commands',
        'help',
      ],
    ],
  ])('after %j offers %j', async (words, values) => {
    const { status, out } = await run(['__complete', '--', ...words], { env });
    expect(status).toBe(0);
    expect(
      out
        .split('\n')
        .slice(0, -1)
        .map((line) => line.split('\t')[0]),
    ).toEqual(values);
  });

  it('offers the runs that are known, the latest first', async () => {
    const runs = { ...env, BLOGCTL_DATA_DIR: join(folder, 'data') };
    const posts = join(folder, 'posts');
    mkdirSync(posts);
    for (const name of ['one', 'two']) {
      writeFileSync(join(posts, `${name}.md`), `---\ntitle: ${name}\n---\n`);
      await run(['articles', 'import', posts], { env: runs });
    }
    const { out } = await run(['__complete', '--', 'runs', 'undo', ''], { env: runs });
    expect(out).toMatch(/^(?:[\da-f]{6}\tarticles import posts\n){2}$/);
  });

  it('of a new word is told so by shells that pass no empty word', async () => {
    const { out } = await run(['__complete', '--new-word', '--', 'profile', 'use'], { env });
    expect(out).toBe('work\thttps://b.test/1\n');
  });

  it('makes no store file and says nothing where there is no blog', async () => {
    const nowhere = { ...env, BLOGCTL_BLOG: `file:${join(folder, 'none.json')}` };
    expect(await run(['__complete', '--', 'articles', 'get', ''], { env: nowhere })).toEqual({
      status: 0,
      out: '',
      err: '',
    });
  });

  it('is not shown in the help', async () => {
    expect((await run(['--help'])).out).not.toContain('__complete');
  });

  it.each(['bash', 'zsh', 'fish', 'powershell'])('has a script for %s', async (shell) => {
    const { status, out } = await run(['completion', shell]);
    expect(status).toBe(0);
    expect(out).toContain('blogctl __complete');
  });

  it.skipIf(process.platform === 'win32')('works in bash', async () => {
    const script = join(folder, 'completion.bash');
    writeFileSync(script, (await run(['completion', 'bash'])).out);
    const asked = `
      blogctl() { printf '%s\\n' "$*" >> "${folder}/asked"; printf 'list\\tx\\nlinks\\ty\\n'; }
      source "${script}"
      COMP_WORDS=(blogctl articles l) COMP_CWORD=2
      _blogctl
      printf '%s,' "\${COMPREPLY[@]}"
      cat "${folder}/asked"`;
    const out = execFileSync('bash', ['-c', asked], { encoding: 'utf8' });
    expect(out).toBe('list,links,__complete -- articles l\n');
  });
});

it('of blogctl names the topics and --version', async () => {
  const { out } = await run(['--help']);
  expect(out).toContain(
    'More: blogctl help environment, exit-codes, formatting, import, pages; --version',
  );
});

it('on a narrow screen puts what a word means beneath it', () => {
  const program = createProgram(() => {}).configureOutput({ getOutHelpWidth: () => 40 });
  const lines = program.helpInformation().split('\n');
  expect(lines).toContain('  --json');
  expect(lines[lines.indexOf('  --json') + 1]).toBe('      the same as --format json');
  expect(lines.filter((line) => line.length > 40)).toEqual([]);
});

describe('help fits the screen, and breaks no word', () => {
  const copied = /^ {2}(?:\S+ .*\| )?blogctl |^ {2}records = /;
  const tooLong = (out: string, columns: number) =>
    out.split('\n').filter((line) => line.length > columns && !copied.test(line));

  it.each(['environment', 'exit-codes', 'formatting', 'import', 'pages'])('%s', async (topic) => {
    const shown = async (terminal?: number) =>
      (await run(['help', topic], terminal === undefined ? {} : { terminal })).out;
    const wide = await shown(200);
    for (const columns of [40, 80]) {
      const out = await shown(columns);
      expect(tooLong(out, columns)).toEqual([]);
      expect(out.split(/\s+/)).toEqual(wide.split(/\s+/));
    }
    expect(tooLong(await shown(), 80)).toEqual([]);
  });

  it.each(['store check', 'sync plan', 'articles import', 'serve', 'links', 'runs prune', ''])(
    '%s --help',
    async (name) => {
      const { out } = await run([...name.split(' ').filter(Boolean), '--help']);
      expect(tooLong(out, 80)).toEqual([]);
      // Nor is a word left alone on its line.
      expect(out).not.toMatch(/^[a-z]+:?$/m);
    },
  );
});
