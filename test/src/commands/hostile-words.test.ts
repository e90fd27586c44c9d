import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { main } from '../../../src/main.ts';
import { givenHost } from '../../support/host.ts';
import {
  allHostile as all,
  harmIn,
  type HostileService,
  startHostileService,
} from '../../support/hostile-words.ts';
import { type Ended, givenNoPatience, run } from '../../support/run.ts';

let service: HostileService;
let folder: string;

beforeAll(async () => {
  service = await startHostileService();
  folder = await mkdtemp(join(tmpdir(), 'blogctl-hostile-'));
  await writeFile(
    join(folder, 'editor.cjs'),
    `require('node:fs').appendFileSync(process.argv[2], ${JSON.stringify(all)});`,
  );
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A name that a folder or a file can have: everything hostile but a slash and NUL. */
const name = all.replaceAll(/[/\0]/g, '_').slice(0, 100);

/** Every command that there is, on a service that answers so, and on one that refuses so. */
const lines: Readonly<Record<string, readonly (readonly string[])[]>> = {
  blog: [[]],
  'articles list': [[], ['--all', '-vvv'], ['--fields', all]],
  'articles get': [['1'], ['1', '2'], [all], ['1', '--field', 'title']],
  'articles create': [
    ['--title', all, '--content', all],
    ['--from-file', name],
    ['--title', 'x', '--editor'],
    ['--title', all, '--content', '', '--idempotency-key', all.replaceAll(/[^!-~]/g, '')],
  ],
  'articles update': [
    ['1', '--title', all],
    ['1', '--content-file', name],
  ],
  'articles edit': [['1', '-y']],
  'articles delete': [['1'], ['1', '2'], ['1', '2', '-y'], ['-']],
  'articles import': [
    ['POSTS', '--continue-on-error', '--rejects', 'REJECTS'],
    ['FILE'],
    ['-', '--import-id', all],
    ['POSTS', '--title-from', all],
  ],
  'articles export': [['-'], [name], ['-', '--format', 'csv'], ['-', '--format', 'json']],
  'articles links': [['1']],
  'sync plan': [['posts'], ['posts', '--continue-on-error', '--format', 'md'], [name]],
  'sync apply': [
    ['posts', '-y', '--continue-on-error', '--on-drift', 'overwrite'],
    ['posts', '-y', '--state', name],
    [name, '-y'],
    ['posts', '-y', '--adopt', `${name}=1`, '--continue-on-error'],
  ],
  'sync pull': [
    ['posts', '--continue-on-error', '--new', '-n'],
    ['posts', name, '--continue-on-error'],
  ],
  'runs list': [[]],
  'runs show': [[all]],
  'runs resume': [[all]],
  'runs undo': [[all], ['--source', 'posts', '-y'], ['--source', name, '--import-id', all]],
  'runs prune': [[], ['--older-than', all]],
  'auth login': [
    ['BLOG', '--token-file', 'token'],
    [all],
    ['BLOG', '--token-command', `echo "${all.replaceAll(/[\0$"`\\]/g, '')}"`],
  ],
  'auth status': [[], ['--profile', all]],
  'auth logout': [[], ['--blog', all]],
  'auth token': [
    ['--blog', 'http://elsewhere.invalid/'],
    ['--token-file', name],
  ],
  'profile add': [
    [all, 'BLOG'],
    [all, 'BLOG'],
    ['x', all],
    [`${all}2`, `file:${name}`],
  ],
  'profile list': [[]],
  'profile use': [[all], [`${all}3`]],
  'profile show': [[all], []],
  'profile remove': [[all]],
  'config list': [['--show-origin']],
  'config set': [
    ['blog', `file:${name}`],
    ['timeout', all],
    [all, all],
  ],
  'config get': [['blog'], [all]],
  'config unset': [['blog']],
  'config path': [[]],
  links: [[], [all], ['doc:articles', all]],
  api: [
    [],
    ['--follow', all],
    ['/nowhere', '-i'],
    ['/x', '-F', `${all}=${all}`],
    ['--paginate', 'doc:articles'],
    ['--input', name],
  ],
  'store init': [
    ['--store', `${name}.json`, '--title', all, '--description', all],
    ['--store', `${name}.json`],
  ],
  'store add-blog': [['--store', `${name}.json`, '--title', all]],
  'store edit-blog': [['--store', `${name}.json`, '--title', all]],
  'store lock': [
    ['--store', `${name}.json`],
    ['--store', `${name}.json`, '--article', '9'],
  ],
  'store unlock': [['--store', `${name}.json`]],
  'store compact': [['--store', `${name}.json`]],
  'store check': [
    ['--store', `${name}.json`],
    ['--store', name],
  ],
  'store upgrade': [[`postgres://127.0.0.1:1/${name}`], ['--store', name]],
  'store copy': [
    [`${name}.json`, `${name}.copy`],
    [name, `postgres://127.0.0.1:1/${name}`],
  ],
  'store repair': [['--store', `${name}.json`, '--to', `${name}.again`]],
  'token create': [
    ['--store', `${name}.json`, '--name', all],
    ['--store', `${name}.json`, '--allow', all],
  ],
  'token list': [['--store', `${name}.json`]],
  'token revoke': [['--store', `${name}.json`, all]],
  serve: [
    ['--store', `${name}.json`, '--port', '0', '--host', all],
    ['--port', '0', '--cors', all],
  ],
  check: [
    ['BLOG'],
    ['BLOG', '--write'],
    ['BLOG', '--only', all],
    ['BLOG', '--allow', 'FILE'],
    ['BLOG', '--format', 'tap'],
    ['BLOG', '--format', 'junit'],
    ['BLOG', '--format', 'md'],
    [all],
  ],
  completion: [[all]],
  commands: [[]],
  help: [[all], [all, all]],
};

function onTerminal(line: readonly string[]): Promise<Ended> {
  const env = {
    BLOGCTL_BLOG: service.blogUrl,
    BLOGCTL_TOKEN: 'right-token',
    BLOGCTL_CONFIG_DIR: join(folder, 'config'),
    BLOGCTL_DATA_DIR: join(folder, 'data'),
    BLOGCTL_TIMEOUT: '5s',
    EDITOR: `"${process.execPath}" "${join(folder, 'editor.cjs')}"`,
    PAGER: 'cat',
    FORCE_COLOR: '1',
  };
  const stdin = `n\n${JSON.stringify({ title: all, [all]: 1 })}\n{"title":"${all}`;
  const places: Readonly<Record<string, string>> = {
    BLOG: service.blogUrl,
    POSTS: join(folder, 'posts'),
    FILE: join(folder, name),
    REJECTS: join(folder, 'r.ndjson'),
  };
  return run(
    line.map((word) => places[word] ?? word),
    { env, terminal: 80, stdin, folder },
  );
}

// What Windows forbids in names is what this is about.
describe.skipIf(process.platform === 'win32')('hostile words in every place', () => {
  beforeAll(async () => {
    await mkdir(join(folder, 'posts', name), { recursive: true });
    await writeFile(
      join(folder, 'posts', name, `${name.slice(0, 60)}.md`),
      `---\ntitle: [a, b\n---\n${all}`,
    );
    await writeFile(
      join(folder, 'posts', `${name.slice(0, 60)}.md`),
      `---\ntitle: ${JSON.stringify(all)}\ndate: ${JSON.stringify(all)}\n---\n${all}`,
    );
    await writeFile(join(folder, name), all);
    await writeFile(join(folder, 'token'), 'right-token');
  });

  describe.each([
    ['answers', false],
    ['refuses', true],
  ])('of a service that %s', (_, isRefusing) => {
    beforeAll(() => {
      if (isRefusing) service.refuse();
    });

    it.each(Object.entries(lines))('do nothing in %s', async (command, variants) => {
      // Nothing listens at its address.
      if (command === 'store upgrade') givenNoPatience();
      for (const words of variants) {
        const { out, err } = await onTerminal([...command.split(' '), ...words]);
        expect(out + err).not.toContain('bug in blogctl');
        expect(harmIn(err, out)).toEqual([]);
      }
    });
  });

  it('are tried in every command that there is', async () => {
    const { out } = await run(['commands', '--json']);
    const names = JSON.parse(out).commands.map((command: { name: string }) => command.name);
    expect(names.filter((command: string) => !Object.hasOwn(lines, command))).toEqual([]);
  });

  it('do nothing in what serve says when it is ready', async () => {
    const store = join(folder, `${name}.served.json`);
    const host = givenHost(['serve', '--store', store, '--port', '0'], { terminal: 80, folder });
    const ended = main(host);
    await vi.waitFor(() => expect(host.err()).toContain('auth login'), 20_000);
    host.signal('SIGTERM');
    expect(await ended).toBe(0);
    expect(host.err()).toContain('Store ');
    expect(harmIn(host.err())).toEqual([]);
  });
});
