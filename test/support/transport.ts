import type { HttpRequest, HttpResponse, Transport } from '../../src/http/transport.ts';

export type Reply = {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a string. */
  readonly body?: unknown;
};

export type Script = Readonly<Record<string, Reply | readonly Reply[]>>;

/**
 * A transport that answers by a script: `GET http://blog.test/1` leads to a reply, or to several
 * in turn of which the last stays. It keeps what it was asked.
 */
export function givenService(script: Script): Transport & { readonly requests: HttpRequest[] } {
  const requests: HttpRequest[] = [];
  const turns = new Map<string, number>();
  const answer = async (request: HttpRequest): Promise<HttpResponse> => {
    requests.push(request);
    const name = `${request.method} ${request.url}`;
    const entry = script[name];
    if (entry === undefined) return reply({ status: 404 });
    const replies = Array.isArray(entry) ? entry : [entry];
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    return reply(replies[Math.min(turn, replies.length - 1)] ?? {});
  };
  return Object.assign(answer, { requests });
}

export function reply({ status = 200, headers = {}, body = '' }: Reply): HttpResponse {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    status,
    headers: { 'content-type': 'application/hal+json', ...headers },
    body: Buffer.from(text),
  };
}

export const root = 'http://blog.test/api/v1.2/blogs/1';

/** The blog root as the interface shows it. */
export const blogBody = {
  id: 1,
  title: 'Field notes',
  description: 'Of a walk',
  _links: {
    curies: [{ name: 'doc', href: 'http://blog.test/docs/{rel}', templated: true }],
    self: { href: root },
    'doc:articles': { href: `${root}/articles{?pageIndex,pageSize}`, templated: true },
  },
};

export function articleBody(id: number, members: Readonly<Record<string, unknown>> = {}) {
  return {
    id,
    title: `Title ${id}`,
    content: `Content ${id}`,
    _links: {
      self: { href: `${root}/articles/${id}` },
      'doc:blog': { href: root, title: 'Field notes' },
    },
    ...members,
  };
}

/** A page as the interface shows it, of `total` articles with the ids 1 to total. */
export function pageBody(pageIndex: number, pageSize: number, total: number) {
  const totalPages = Math.ceil(total / pageSize);
  const at = (index: number) => ({
    href: `${root}/articles?pageIndex=${index}&pageSize=${pageSize}`,
  });
  const first = (pageIndex - 1) * pageSize;
  const count = Math.max(0, Math.min(pageSize, total - first));
  return {
    pageIndex,
    pageSize,
    totalPages,
    totalArticles: total,
    _link: {
      firstPage: at(1),
      self: at(pageIndex),
      ...(pageIndex < totalPages && { nextPage: at(pageIndex + 1) }),
      lastPage: at(Math.max(1, totalPages)),
    },
    _embedded: Array.from({ length: count }, (_, index) => articleBody(first + index + 1)),
  };
}
