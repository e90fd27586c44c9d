import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, property, string } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fromEdited, toMarkdown } from '../../../../src/commands/articles/edited-text.ts';
import {
  type Manners,
  type OtherService,
  startOtherService,
} from '../../../support/other-service.ts';
import { main } from '../../../../src/main.ts';
import { givenHost } from '../../../support/host.ts';
import { run } from '../../../support/run.ts';

let service: OtherService;
let folder: string;
let env: Record<string, string>;

async function given(liberties: Manners = {}): Promise<void> {
  service = await startOtherService(['One'], liberties);
  env = {
    BLOGCTL_BLOG: service.blogUrl,
    BLOGCTL_TOKEN: 'right-token',
    BLOGCTL_CONFIG_DIR: folder,
    BLOGCTL_DATA_DIR: folder,
  };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-edit-'));
});
afterEach(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

/** An editor that is a shell script; `$1` is the file. */
async function editor(script: string): Promise<void> {
  const path = join(folder, 'editor.sh');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  env['EDITOR'] = path;
}

const edit = ['articles', 'edit', '1', '--no-color'];
const kept = async () => (await readdir(join(folder, 'drafts'))).toSorted();
const words = (title: string, content: string) =>
  `printf '%s' '---\ntitle: ${title}\n---\n${content}' > "$1"`;

// The editors here are shell scripts.
describe.skipIf(process.platform === 'win32')('edit', () => {
  it('shows what changed, asks, and saves on condition of the version read', async () => {
    await given();
    await editor(words('Uno', 'Content of One'));
    const { status, err } = await run(edit, { env, stdin: 'y\n', terminal: 80 });
    expect(err).toContain(
      '  ---\n- title: One\n+ title: Uno\n  ---\n  Content of One\nSave article 1? [y/N] ',
    );
    expect([status, service.articles.get(1)?.title]).toEqual([0, 'Uno']);
    expect(service.requests.at(-1)?.headers['if-match']).toBe('"1"');
    expect(await kept()).toEqual([]);
  });

  it('shows in red what goes and in green what comes', async () => {
    await given();
    await editor(words('Uno', 'Content of One'));
    const coloured = edit.filter((word) => word !== '--no-color');
    const { err } = await run(coloured, { env, stdin: 'y\n', terminal: 80 });
    expect(err).toContain('\x1b[31m- title: One\x1b[39m\n\x1b[32m+ title: Uno\x1b[39m\n  ---');
  });

  it('that changes nothing sends nothing', async () => {
    await given();
    await editor('true');
    const { status, err } = await run([...edit, '-y'], { env });
    expect([status, err]).toEqual([0, 'Nothing was changed.\n']);
    expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
    expect(await kept()).toEqual([]);
  });

  it('does not take the line break that editors add for a change', async () => {
    await given();
    await editor('echo >> "$1"');
    expect((await run([...edit, '-y'], { env })).err).toBe('Nothing was changed.\n');
  });

  it.each([
    ['none', 'One', 'a\\r\\nb\\r\\n', 'a\nb'],
    ['LF', 'One\nand\n', 'One\\r\\nor\\r\\n', 'One\nor\n'],
    ['CRLF', 'One\r\nand\r\n', 'One\\nor\\n', 'One\r\nor\r\n'],
    ['both', 'One\r\nand\n', 'One\\r\\nor\\n', 'One\r\nor\n'],
  ])('keeps line ends, whatever an editor makes of them: %s', async (_ends, had, typed, saved) => {
    await given();
    service.articles.set(1, { title: 'One', content: had, revision: 1 });
    await editor(`printf '\\357\\273\\277---\\r\\ntitle: One\\r\\n---\\r\\n${typed}' > "$1"`);
    expect((await run([...edit, '-y'], { env })).status).toBe(0);
    expect(service.articles.get(1)?.content).toBe(saved);
  });

  it('saves nothing of a text that is not UTF-8, which a replacement would spoil', async () => {
    await given();
    await editor(`printf 'caf\\351' >> "$1"`);
    const { status, err } = await run([...edit, '-y'], { env });
    expect([status, err]).toEqual([7, expect.stringMatching(/is not UTF-8: byte \d+ \(line 4\)/)]);
    expect(service.articles.get(1)?.content).toBe('Content of One');
    expect(await kept()).toHaveLength(1);
  });

  it.each<[string, Manners, string, number]>([
    ['the service refuses', { token: 'other' }, words('Uno', 'My words'), 3],
    ['the service fails', { first: { PUT: [{ status: 501 }] } }, words('Uno', 'My words'), 9],
    ['the front matter is broken', {}, `printf 'My words' > "$1"`, 7],
    ['the editor fails', {}, `printf 'My words' > "$1"; exit 3`, 7],
  ])('keeps the text where %s', async (_name, liberties, script, status) => {
    await given(liberties);
    await editor(script);
    const ended = await run([...edit, '-y'], { env });
    const [name = ''] = await kept();
    expect(ended.status).toBe(status);
    const path = join(folder, 'drafts', name);
    const saves = `blogctl articles update 1 --blog ${service.blogUrl} --if-match '"1"' --from-file ${path} saves it.`;
    expect(ended.err).toContain(`Your text in ${path} is kept: ${saves}`);
    expect(await readFile(join(folder, 'drafts', name), 'utf8')).toContain('My words');
  });

  it('does not save what the text itself says is not public', async () => {
    await given();
    await editor(`printf -- '---\\ntitle: N\\ndraft: true\\n---\\nNot yet' > "$1"`);
    for (const line of [edit, ['articles', 'create', '--editor']]) {
      const { status, err } = await run([...line, '-y'], { env });
      expect([status, err]).toEqual([
        7,
        expect.stringContaining('says that it is not public: draft.'),
      ]);
    }
    expect(service.articles.get(1)?.content).toBe('Content of One');
    expect(service.articles.size).toBe(1);
    expect(await kept()).toHaveLength(2);
  });

  it('keeps no text that nobody has touched: to save it would take back what others do', async () => {
    await given();
    await editor('exit 3');
    const { status, err } = await run([...edit, '-y'], { env });
    expect([status, err]).toEqual([7, expect.not.stringContaining('is kept')]);
    expect(await kept()).toEqual([]);
  });

  it('keeps the text where the editor is interrupted, and ends as that', async () => {
    await given();
    await editor(`printf 'My words' > "$1"; kill -INT $$`);
    const { status, err } = await run([...edit, '-y'], { env });
    expect([status, err]).toEqual([
      130,
      expect.stringMatching(/^error: Interrupted\..* is kept: /s),
    ]);
  });

  it.each([404, 410])(
    'names how the text is saved as a new article where its own is %i',
    async (status) => {
      await given({ first: { PUT: [{ status }] } });
      await editor(words('Uno', 'My words'));
      const { err } = await run([...edit, '-y'], { env });
      const [, line = ''] =
        /: blogctl (.* --from-file \S+) saves it as a new article\./.exec(err) ?? [];
      expect((await run(line.split(' '), { env })).status).toBe(0);
      expect([...service.articles.values()].at(-1)).toMatchObject({
        title: 'Uno',
        content: 'My words',
      });
    },
  );

  it('opens the editor again at a mistake, with what was written, until it can be read', async () => {
    await given();
    const second = words('Uno', 'My words, put right');
    await editor(`if grep -q 'My words' "$1"; then ${second}; else printf 'My words' > "$1"; fi`);
    const host = givenHost(edit, { env, terminal: 80 });
    const ending = main(host);
    for (const question of ['Open the editor again? [y/N] ', 'Save article 1? [y/N] ']) {
      await vi.waitFor(() => expect(host.err()).toContain(question), 20_000);
      host.stdin.push('y\n');
    }
    expect([await ending, service.articles.get(1)?.title]).toEqual([0, 'Uno']);
    expect(await kept()).toEqual([]);
  });

  it('keeps the text where the editor is not to be opened again', async () => {
    await given();
    await editor(`printf 'My words' > "$1"`);
    const { status, err } = await run(edit, { env, stdin: 'n\n', terminal: 80 });
    expect([status, err]).toEqual([7, expect.stringContaining('is kept: ')]);
    expect(await kept()).toHaveLength(1);
  });

  it.each([edit, ['articles', 'create', '--editor']])(
    'takes a text that was emptied for none, and names no line that would save it: %j %j %j',
    async (...line) => {
      await given();
      await editor(`echo > "$1"`);
      const { status, err } = await run([...line, '-y'], { env });
      expect([status, err]).toEqual([4, 'error: Cancelled: what was edited is empty.\n']);
      expect(await kept()).toEqual([]);
      expect(service.articles.get(1)).toMatchObject({ title: 'One' });
    },
  );

  it.each([
    ['is away', 'rm'],
    ['is a folder', `sh -c 'rm "$1" && mkdir "$1"' x`],
  ])('says so where the file that was edited %s', async (_, command) => {
    await given();
    env['EDITOR'] = command;
    const ended = await run([...edit, '-y'], { env });
    expect(ended.status).toBe(7);
    expect(ended.err).toMatch(
      /^error: What was edited cannot be read: .*drafts.article-1-.*\.md\n/,
    );
    expect(ended.err.includes('is kept: ')).toBe(command !== 'rm');
  });

  it('hands the path to the editor as it is, whatever a shell would make of it', async () => {
    await given();
    const data = join(folder, '$(touch ran) `touch ran` "; touch ran; \' $HOME &');
    await editor(words('Uno', 'Content of One'));
    const ended = await run([...edit, '-y'], { env: { ...env, BLOGCTL_DATA_DIR: data } });
    expect(ended).toMatchObject({ status: 0 });
    expect(service.articles.get(1)?.title).toBe('Uno');
    expect(existsSync('ran')).toBe(false);
  });

  it('keeps the text where the answer is no', async () => {
    await given();
    await editor(words('Uno', 'My words'));
    const { status, err } = await run(edit, { env, stdin: 'n\n', terminal: 80 });
    expect(status).toBe(4);
    expect(err).toContain('error: Cancelled: the article is unchanged.\nhint: Your text in ');
    expect(await kept()).toHaveLength(1);
  });

  it.each<[string, Manners, string]>([
    ['of a service with versions', {}, 'PUT'],
    ['of one without', { noValidators: true }, 'GET'],
  ])(
    'puts their version and the old one beside the text where somebody was faster: %s',
    async (_name, liberties, method) => {
      await given(liberties);
      await editor(words('Uno', 'Content of One'));
      service.articles.set(1, { title: 'One', content: 'Content of One', revision: 1 });
      const change = () =>
        service.articles.set(1, { title: 'Eins', content: 'Theirs', revision: 2 });
      const original = service.requests.push.bind(service.requests);
      service.requests.push = (...seen) => {
        const wasRead = service.requests.some(({ path }) => path.endsWith('/articles/1'));
        if (seen[0]?.method === method && wasRead) change();
        return original(...seen);
      };
      const { status, err } = await run([...edit, '-y'], { env });
      expect(status).toBe(6);
      const names = await kept();
      expect(names).toHaveLength(3);
      const texts = await Promise.all(
        names.map((name) => readFile(join(folder, 'drafts', name), 'utf8')),
      );
      expect(texts).toEqual([
        '---\ntitle: One\n---\nContent of One',
        '---\ntitle: Uno\n---\nContent of One',
        '---\ntitle: Eins\n---\nTheirs',
      ]);
      for (const name of names) expect(err).toContain(name);
      // What was merged with their version is to be saved over that one alone.
      const guard = method === 'PUT' ? ` --if-match '"2"'` : '';
      const { blogUrl } = service;
      expect(err).toContain(`articles update 1 --blog ${blogUrl}${guard} --from-file <file>.`);
    },
  );

  it('saves where no versions are named, and says what was done about that', async () => {
    await given({ noValidators: true });
    await editor(words('Uno', 'Content of One'));
    const { status, err } = await run([...edit, '-y'], { env });
    expect([status, service.articles.get(1)?.title]).toEqual([0, 'Uno']);
    expect(err).toContain(
      'names no versions: the article was read again just before it was saved.',
    );
  });

  it('does not open the editor where nobody can answer', async () => {
    await given();
    await editor('touch "$1.opened"');
    expect((await run(edit, { env })).status).toBe(2);
    expect(service.requests).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('create --editor', () => {
  it('creates what was written', async () => {
    await given();
    await editor(words('Dos', 'My words'));
    const { status, out } = await run(['articles', 'create', '--editor', '--format', 'ids'], {
      env,
    });
    expect([status, out]).toEqual([0, '2\n']);
    expect(service.articles.get(2)).toMatchObject({ title: 'Dos', content: 'My words' });
    expect(await kept()).toEqual([]);
  });

  it('creates nothing where nothing was written', async () => {
    await given();
    await editor('true');
    expect((await run(['articles', 'create', '--editor'], { env })).status).toBe(4);
    expect(service.requests).toEqual([]);
  });

  it('keeps the text where the service refuses', async () => {
    await given({ token: 'other' });
    await editor(words('Dos', 'My words'));
    const { status, err } = await run(['articles', 'create', '--editor'], { env });
    expect(status).toBe(3);
    expect(err).toContain('hint: Your text in ');
    expect(await kept()).toHaveLength(1);
  });
});

it('every title and text comes back from its Markdown', async () => {
  await given();
  assert(
    property(string({ unit: 'grapheme' }), string({ unit: 'grapheme' }), (raw, content) => {
      const article = { title: `x${raw}x`, content };
      expect(fromEdited(toMarkdown(article), 'a.md', article)).toEqual(article);
    }),
  );
});
