import { once } from 'node:events';
import { createServer } from 'node:http';

/** What would move a cursor, change a terminal, or pass for a line of ours. */
export const hostile: Readonly<Record<string, string>> = {
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
export const allHostile = Object.values(hostile).join(' ');

/** Our own: looks, the redrawn line at the bottom, and what readline asks a question with. */
// oxlint-disable-next-line eslint/no-control-regex -- these are the characters to find
const own = /\u001B\[(?:1|2|22|31|32|33|39)m|\r?\u001B\[(?:\d*[GKJ]|\?25[hl])|\r+(?=\n)/g;
const dangerous = /(?![\n\t])\p{Cc}|\p{Bidi_Control}|[\u2028\u2029]/u;
const forged = /^(?:error|warning): forged/m;

/** The text of an article has lines of its own; what is said of it has not. */
export function harmIn(said: string, answer = ''): readonly string[] {
  const found = [
    (answer + said).replaceAll(own, '').match(dangerous),
    said.replaceAll(own, '').match(forged),
  ];
  return found.flatMap((match) => (match === null ? [] : [JSON.stringify(match[0])]));
}

export type HostileService = {
  readonly blogUrl: string;
  /** From now on it refuses everything, in words of the same kind. */
  refuse(): void;
  stop(): Promise<void>;
};

/** A service whose every word is hostile: titles, names of members and links, problems. */
export async function startHostileService(): Promise<HostileService> {
  let refuses = false;
  let blog = '';
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { method = '', url = '' } = request;
      const { status, body } = refuses ? problem : answerTo(blog, method, url);
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
  return {
    blogUrl: blog,
    refuse: () => void (refuses = true),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const problem = {
  status: 400,
  body: {
    type: allHostile,
    title: allHostile,
    detail: allHostile,
    code: allHostile,
    errors: [{ pointer: allHostile, detail: allHostile }],
    _links: { related: { href: allHostile } },
  },
};

function answerTo(blog: string, method: string, path: string) {
  const articles = `${blog}/articles`;
  const article = (id: number) => ({
    id,
    title: allHostile,
    content: allHostile,
    [allHostile]: allHostile,
    _links: {
      self: { href: `${articles}/${id}?${allHostile}` },
      [allHostile]: { href: allHostile, title: allHostile, name: allHostile },
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
    self: { href: `${blog}?${allHostile}` },
    'doc:articles': { href: articles, title: allHostile },
    [allHostile]: { href: allHostile },
  };
  return {
    status: 200,
    body: {
      id: 1,
      title: allHostile,
      description: allHostile,
      [allHostile]: allHostile,
      _links: links,
    },
  };
}
