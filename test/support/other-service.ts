import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** What the interface leaves to a service, and what may befall one. */
export type Liberties = {
  /** No ETag; Last-Modified it never sends. */
  readonly noValidators?: boolean;
  /** Weak ETags alone, for which If-Match never holds. */
  readonly weakTags?: boolean;
  /** Pages hold at most so many articles, whatever is asked for; the page says so. */
  readonly pageCap?: number;
  /** Pages of more articles are refused with 400. */
  readonly mostPerPage?: number;
  /** An article is put before the others, or the first taken away, after each page. */
  readonly insertsWhileRead?: boolean;
  readonly deletesWhileRead?: boolean;
  /** DELETE answers 204 and writes the Deletion result after it. */
  readonly bodyAfter204?: boolean;
  /** First answers to requests of a method, in turn, before it works. */
  readonly first?: Readonly<Record<string, readonly First[]>>;
  /** What is not there is 404 to everybody, whatever token they have. */
  readonly looksBeforeItAsks?: boolean;
  /** Token writes need; default `right-token`. */
  readonly token?: string;
};

/** Ways to fall short of it. */
export type Faults = {
  /** Names its paths itself: whoever follows links does not notice. */
  readonly ownPaths?: boolean;
  /** `_links` and an object `_embedded` on pages, as HAL itself has them. */
  readonly plainHal?: boolean;
  readonly noNextPage?: boolean;
  /** PATCH is 405, as frameworks have it. */
  readonly noPatch?: boolean;
  /** The number of articles that pages announce, whatever there is. */
  readonly announced?: number;
  /** Articles that are there and that no page shows, as where an index lags behind. */
  readonly unlisted?: ReadonlySet<number>;
  /** Counts pages from 0, and begins with page 1 all the same. */
  readonly pagesFromZero?: boolean;
  /** What it keeps of a text. */
  readonly keeps?: (sent: Texts) => Texts;
  /** Pages show articles without their contents. */
  readonly thinPages?: boolean;
  /** An article that is deleted when it is asked for. */
  readonly goesWhenRead?: number;
  /** An article that pages show, and that is not there. */
  readonly ghost?: number;
  /** Articles say that they are the next one. */
  readonly selfOffByOne?: boolean;
  /** Articles are where the next one belongs, and say so. */
  readonly placedOffByOne?: boolean;
  /** One article is where this one belongs, too; the list says nothing of it. */
  readonly twoPlacesFor?: number;
  /** Says that it honours keys, and does not. */
  readonly ignoresKeys?: boolean;
  /** Links of articles lead to another origin. */
  readonly articleOrigin?: string;
  /** Links of the blog do, as where it was told the wrong address of its own. */
  readonly blogOrigin?: string;
};

export type Manners = Liberties & Faults;

export type Texts = { readonly title: string; readonly content?: string };

/**
 * A status with its header fields, where it `commits` after the work was done; the work done and the
 * connection dropped, or the usual answer.
 */
export type First =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly commits?: boolean;
    }
  | 'answer'
  | 'drop-before'
  | 'drop-after-commit';

export type Seen = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

export type OtherService = {
  readonly origin: string;
  readonly blogUrl: string;
  readonly requests: Seen[];
  /** Articles by id: what is there. */
  readonly articles: Map<number, { title: string; content?: string; revision: number }>;
  readonly stop: () => Promise<void>;
};

const token = 'right-token';

/**
 * A second implementation of the interface that shares nothing with ours: it keeps its blog in a map,
 * takes its liberties and falls short as it is told.
 */
export async function startOtherService(
  titles: readonly string[],
  manners: Manners = {},
): Promise<OtherService> {
  const articles: OtherService['articles'] = new Map();
  titles.forEach((title, at) =>
    articles.set(at + 1, { title, content: `Content of ${title}`, revision: 1 }),
  );
  const gone = new Set<number>();
  const requests: Seen[] = [];
  const firsts = new Map(
    Object.entries(manners.first ?? {}).map(([method, list]) => [method, [...list]]),
  );
  const root = manners.ownPaths === true ? '/weblog' : '/api/v1.2/blogs/9';
  const entries = manners.ownPaths === true ? `${root}/entries` : `${root}/articles`;
  let origin = '';

  const server = createServer((request, response) => {
    void collect(request).then((body) => {
      const { method = '', url: path = '', headers } = request;
      requests.push({ method, path, headers, body });
      const first = firsts.get(method)?.shift();
      if (first === 'drop-before') return request.socket.destroy();
      const isLost = first === 'drop-after-commit';
      if (isLost || (typeof first === 'object' && first.commits === true)) {
        response.end = () => response;
        response.writeHead = () => response;
        answer({ method, path, headers, body }, response);
        Reflect.deleteProperty(response, 'end');
        Reflect.deleteProperty(response, 'writeHead');
      }
      if (isLost) return request.socket.destroy();
      if (typeof first === 'object') return send(response, first.status, first.body, first.headers);
      return answer({ method, path, headers, body }, response);
    });
  });

  const moved = manners.placedOffByOne === true ? 1 : 0;

  function answer({ method, path, headers, body }: Seen, response: ServerResponse): unknown {
    const url = new URL(path, origin);
    if (!/hal\+json|\*\/\*/.test(headers.accept ?? '*/*')) return send(response, 406);
    const promise = { 'accept-idempotency': 'key' };
    const said = manners.ignoresKeys === true ? promise : {};
    if (url.pathname === root) return send(response, 200, blog(), said);
    if (url.pathname === entries) {
      const numbers = ['pageIndex', 'pageSize'].map((name) => url.searchParams.get(name) ?? '1');
      if (manners.pagesFromZero === true && numbers[0] === '0') numbers.shift();
      if (!numbers.every((each) => /^[1-9]\d*$/.test(each))) return send(response, 400);
      const isLarge = Number(url.searchParams.get('pageSize')) > (manners.mostPerPage ?? Infinity);
      if (method === 'GET' && isLarge) return send(response, 400);
      if (method === 'GET') return send(response, 200, page(url.searchParams));
      if (!allowed(headers)) return send(response, 401, { message: 'who are you?' });
      const sent = textsOf(headers, body);
      if (typeof sent === 'number') return send(response, sent);
      const id = Math.max(0, ...articles.keys(), ...gone) + 1;
      articles.set(id, { ...keeps(sent), revision: 1 });
      return send(response, 201, article(id), validators(id));
    }
    const [, digits] = url.pathname.split(`${entries}/`);
    const at = /^\d+$/.test(digits ?? '') ? Number(digits) - moved : Number.NaN;
    const id = at === manners.twoPlacesFor ? 1 : at;
    if (method === 'GET' && id === manners.goesWhenRead) articles.delete(id);
    const known = id === manners.ghost ? undefined : articles.get(id);
    const isAsked = method === 'GET' || manners.looksBeforeItAsks === true;
    if (!isAsked && !allowed(headers)) return send(response, 401, { message: 'who are you?' });
    if (known === undefined) return send(response, gone.has(id) ? 410 : 404);
    if (method === 'GET') {
      const isKnown = headers['if-none-match'] === validators(id)['etag'];
      if (isKnown && headers['if-none-match'] !== undefined) return send(response, 304);
      return send(response, 200, article(id), validators(id));
    }
    if (method === 'PATCH') return send(response, manners.noPatch === true ? 405 : 501);
    if (!allowed(headers)) return send(response, 401, { message: 'who are you?' });
    const expected = headers['if-match'];
    if (expected !== undefined && expected !== `"${known.revision}"`) return send(response, 412);
    if (method === 'PUT') {
      const sent = textsOf(headers, body);
      if (typeof sent === 'number') return send(response, sent);
      articles.set(id, { ...keeps(sent), revision: known.revision + 1 });
      return send(response, 200, article(id), validators(id));
    }
    articles.delete(id);
    gone.add(id);
    if (manners.bodyAfter204 !== true) return send(response, 204);
    const deletion = JSON.stringify({ _links: { 'doc:blog': { href: `${origin}${root}` } } });
    return response.socket?.write(
      `HTTP/1.1 204 No Content\r\nContent-Type: application/hal+json\r\nContent-Length: ${deletion.length}\r\n\r\n${deletion}`,
    );
  }

  const allowed = (headers: IncomingMessage['headers']) =>
    headers['x-access-token'] === (manners.token ?? token);

  const keeps = manners.keeps ?? ((sent: Texts) => sent);

  const blog = () => ({
    id: 9,
    title: 'Another',
    description: 'of another make',
    _links: {
      curies: [{ name: 'doc', href: `${origin}/rel/{rel}`, templated: true }],
      self: { href: `${manners.blogOrigin ?? origin}${root}` },
      'doc:articles': {
        href: `${manners.blogOrigin ?? origin}${entries}{?pageIndex,pageSize}`,
        templated: true,
      },
    },
  });

  const ahead = manners.selfOffByOne === true ? 1 : moved;

  const article = (id: number) => {
    const { revision: _revision, ...members } = articles.get(id) ?? { revision: 0 };
    return {
      id,
      ...members,
      _links: {
        curies: [{ name: 'doc', href: `${origin}/rel/{rel}`, templated: true }],
        self: { href: `${manners.articleOrigin ?? origin}${entries}/${id + ahead}` },
        'doc:blog': { href: `${origin}${root}`, title: 'Another' },
        'doc:comments': {
          href: `${origin}${entries}/${id}/comments{?pageIndex,pageSize}`,
          templated: true,
        },
      },
    };
  };

  const validators = (id: number): Record<string, string> =>
    manners.noValidators === true
      ? {}
      : { etag: `${manners.weakTags === true ? 'W/' : ''}"${articles.get(id)?.revision}"` };

  const page = (query: URLSearchParams) => {
    const asked = Number(query.get('pageSize') ?? 3);
    const pageSize = Math.min(asked, manners.pageCap ?? asked);
    const pageIndex = Number(query.get('pageIndex') ?? 1);
    const listed = [...articles.keys()].filter((id) => manners.unlisted?.has(id) !== true);
    const ids = listed.toSorted((a, b) => a - b);
    const totalPages = Math.ceil(ids.length / pageSize);
    const at = (index: number) => ({
      href: `${origin}${entries}?pageSize=${pageSize}&pageIndex=${index}`,
    });
    const links = {
      self: at(pageIndex),
      firstPage: at(1),
      lastPage: at(Math.max(1, totalPages)),
      ...(pageIndex > 1 && { previousPage: at(pageIndex - 1) }),
      ...(pageIndex < totalPages && manners.noNextPage !== true && { nextPage: at(pageIndex + 1) }),
    };
    const from = (manners.pagesFromZero === true ? pageIndex : pageIndex - 1) * pageSize;
    const embedded = ids.slice(from, from + pageSize).map((id) => {
      const { content, ...others } = article(id);
      return manners.thinPages === true ? others : { ...others, content };
    });
    const totalArticles = manners.announced ?? ids.length;
    const figures = { pageIndex, pageSize, totalPages, totalArticles };
    if (manners.insertsWhileRead === true) {
      articles.set(Math.min(...ids) - 1, { title: 'New', revision: 1 });
    }
    if (manners.deletesWhileRead === true && pageIndex === 1) articles.delete(ids[0] ?? 0);
    return manners.plainHal === true
      ? { ...figures, _links: links, _embedded: { 'doc:articles': embedded } }
      : { ...figures, _link: links, _embedded: embedded };
  };

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return {
    origin,
    blogUrl: `${origin}${root}`,
    requests,
    articles,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What is kept of a body, or the status it is refused with. */
function textsOf(headers: IncomingMessage['headers'], body: string): Texts | number {
  if (!headers['content-type']?.startsWith('application/json')) return 400;
  try {
    const { id: _id, ...texts } = JSON.parse(body);
    const { title, content = '' } = texts;
    return typeof title === 'string' && typeof content === 'string' ? texts : 422;
  } catch {
    return 400;
  }
}

function send(
  response: ServerResponse,
  status: number,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/hal+json', ...headers });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

async function collect(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
