import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { main } from '../../../src/main.ts';
import { createVoice } from '../../../src/terminal/speaking/voice.ts';
import { createTerminal } from '../../../src/terminal/terminal.ts';
import { BlogctlError } from '../../../src/errors.ts';
import { givenHost } from '../../support/host.ts';
import { type Ended, run } from '../../support/run.ts';

/** What would move a cursor, change a terminal, or pass for a line of ours. */
const hostile: Readonly<Record<string, string>> = {
  'clears the screen': '\u001B[2J\u001B[H',
  'names the window': '\u001B]0;gone\u0007',
  'makes a link': '\u001B]8;;http://evil/\u001B\\text\u001B]8;;\u001B\\',
  'fills the clipboard': '\u001B]52;c;cm0gLXJm\u0007',
  'asks the terminal': '\u001B[6n\u001B[c\u001B[>q',
  'colours with C0': '\u001B[35mpink',
  'colours with C1': '\u009B35mpink',
  'sends a device string': '\u001BP+q544e\u001B\\\u0090q\u009C',
  'goes back': 'paid 1\u0008\u00089\rPAID',
  'moves down': '\u000B\u000C\u0085',
  'begins a line': '\nerror: forged\r\nwarning: forged\u2028notice\u2029',
  rings: '\u0007\u0000\u007F',
  'turns the reading order': '\u202Egnp.exe\u2066\u200F',
};
const all = Object.values(hostile).join(' ');

/** Our own: looks, the redrawn line at the bottom, and what readline asks a question with. */
// oxlint-disable-next-line eslint/no-control-regex -- these are the characters to find
const own = /\u001B\[(?:1|2|22|31|32|33|39)m|\r?\u001B\[(?:\d*[GKJ]|\?25[hl])|\r(?=\n)/g;
const dangerous = /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u;
const forged = /^(?:error|warning): forged/m;

/** The text of an article has lines of its own; what is said of it has not. */
function harmIn(said: string, answer = ''): readonly string[] {
  const found = [
    (answer + said).replaceAll(own, '').match(dangerous),
    said.replaceAll(own, '').match(forged),
  ];
  return found.flatMap((match) => (match === null ? [] : [JSON.stringify(match[0])]));
}

describe.each(Object.entries(hostile))('a text that %s', (_, text) => {
  const given = () => {
    const host = givenHost([], { terminal: 80, env: { FORCE_COLOR: '1' } });
    return { host, flags: () => ({}), signal: () => new AbortController().signal };
  };

  it('is harmless in whatever is said to a person', async () => {
    const { host, flags } = given();
    const voice = createVoice(host, flags);
    await voice.notice(text);
    await voice.notice({ tone: 'red', text });
    await voice.warn(text);
    await voice.fail(
      new BlogctlError('conflict', text, {
        hint: text,
        details: [{ detail: text, pointer: text }],
        cause: new Error(text),
      }),
    );
    await voice.fail(new TypeError(text));
    voice.progressLine(text);
    voice.draw(text);
    expect(harmIn(host.err())).toEqual([]);
  });

  it('is harmless in the log of requests, in help and in the answer on a screen', async () => {
    const { host, flags, signal } = given();
    const terminal = createTerminal(host, flags, signal);
    await terminal.trace(text);
    await terminal.complain(text);
    await terminal.write(text);
    await terminal.write(Buffer.from(text));
    await terminal.write([{ tone: 'bold', text }, text]);
    await terminal.show({ one: { text }, columns: ['text'], human: () => text });
    await terminal.show({ many: [{ text }], columns: ['text'], text: () => text });
    expect(harmIn('', host.out() + host.err())).toEqual([]);
  });

  it('goes into a pipe to the byte', async () => {
    const host = givenHost([]);
    const terminal = createTerminal(
      host,
      () => ({}),
      () => new AbortController().signal,
    );
    await terminal.write(text);
    await terminal.write(Buffer.from(text));
    expect(host.out()).toBe(text + text);
  });
});

let server: Server;
let folder: string;
let blog = '';
/** What the service answers instead of what was asked for. */
let refuses = false;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status, body } = refuses
        ? problem
        : answerTo(request.method ?? '', request.url ?? '');
      response.writeHead(status, {
        'content-type': 'application/hal+json',
        'x-told': '\u009B35m',
        'accept-idempotency': 'key',
      });
      response.end(JSON.stringify(body));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  blog = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/blogs/1`;
  folder = await mkdtemp(join(tmpdir(), 'blogctl-hostile-'));
  await writeFile(
    join(folder, 'editor.cjs'),
    `require('node:fs').appendFileSync(process.argv[2], ${JSON.stringify(all)});`,
  );
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

const problem = {
  status: 400,
  body: {
    type: all,
    title: all,
    detail: all,
    code: all,
    errors: [{ pointer: all, detail: all }],
    _links: { related: { href: all } },
  },
};

function answerTo(method: string, path: string) {
  const articles = `${blog}/articles`;
  const article = (id: number) => ({
    id,
    title: all,
    content: all,
    [all]: all,
    _links: {
      self: { href: `${articles}/${id}?${all}` },
      [all]: { href: all, title: all, name: all },
    },
  });
  if (/articles\/\d/.test(path))
    return method === 'DELETE'
      ? { status: 204, body: undefined }
      : { status: 200, body: article(1) };
  if (method === 'POST') return { status: 201, body: article(1) };
  if (path.includes('articles')) {
    const figures = { pageIndex: 1, pageSize: 20, totalPages: 1, totalArticles: 3 };
    return { status: 200, body: { ...figures, _link: {}, _embedded: [article(1), article(2)] } };
  }
  const links = {
    self: { href: `${blog}?${all}` },
    'doc:articles': { href: articles, title: all },
    [all]: { href: all },
  };
  return { status: 200, body: { id: 1, title: all, description: all, [all]: all, _links: links } };
}

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
    ['posts', '--continue-on-error', '--rejects', 'r.ndjson'],
    [name],
    ['-', '--import-id', all],
    ['posts', '--title-from', all],
  ],
  'articles export': [['-'], [name], ['-', '--format', 'csv'], ['-', '--format', 'json']],
  'articles links': [['1']],
  'runs list': [[]],
  'runs show': [[all]],
  'runs resume': [[all]],
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
  completion: [[all]],
  commands: [[]],
  help: [[all], [all, all]],
};

function onTerminal(line: readonly string[]): Promise<Ended> {
  const env = {
    BLOGCTL_BLOG: blog,
    BLOGCTL_TOKEN: 'right-token',
    BLOGCTL_CONFIG_DIR: join(folder, 'config'),
    BLOGCTL_DATA_DIR: join(folder, 'data'),
    BLOGCTL_TIMEOUT: '5s',
    EDITOR: `"${process.execPath}" "${join(folder, 'editor.cjs')}"`,
    PAGER: 'cat',
    FORCE_COLOR: '1',
  };
  const stdin = `n\n${JSON.stringify({ title: all, [all]: 1 })}\n{"title":"${all}`;
  return run(
    line.map((word) => (word === 'BLOG' ? blog : word)),
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
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
  });

  describe.each([
    ['answers', false],
    ['refuses', true],
  ])('of a service that %s', (_, isRefusing) => {
    beforeAll(() => void (refuses = isRefusing));

    it.each(Object.entries(lines))('do nothing in %s', async (command, variants) => {
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
    await vi.waitFor(() => expect(host.err()).toContain('auth login'));
    host.signal('SIGTERM');
    expect(await ended).toBe(0);
    expect(host.err()).toContain('Store ');
    expect(harmIn(host.err())).toEqual([]);
  });
});
