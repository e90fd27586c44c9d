import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { brokenOf, lossOf, reportOf } from '../../../src/checking/report.ts';
import { restLines } from '../../../src/checking/remains.ts';
import { junitOf, tapOf } from '../../../src/checking/report-text.ts';
import { unlikelyIds } from '../../../src/checking/addresses.ts';
import type { SentenceNumber } from '../../../src/checking/outcome.ts';
import { BlogctlError } from '../../../src/errors.ts';
import { createConnection } from '../../../src/http/connection.ts';
import type { HttpRequest, HttpResponse, Transport } from '../../../src/http/transport.ts';
import {
  articlesIn,
  brokenIn,
  checkAll,
  checkedBlog,
  givenTransport,
  outcomeOf,
  skipTime,
  transportOf,
} from '../../support/checked.ts';
import { givenService, type Json } from '../../support/service.ts';

/** A service with a fault: it asks the sound one and answers otherwise. */
type Fault = (request: HttpRequest, sound: Transport) => Promise<HttpResponse>;
type Change = (body: Json) => void;

const isBlog = ({ url }: HttpRequest) => url.endsWith('/blogs/1');
const isPage = ({ url }: HttpRequest) => /\/articles(?:\?.*)?$/.test(url);
const isArticle = ({ url }: HttpRequest) => /\/articles\/\d+$/.test(url);

const isNothing = ({ url }: HttpRequest) => url.endsWith(`/${unlikelyIds[0]}`);

/** The id in a body. */
const idSent = (body: HttpRequest['body']) => /^\{"id":(\d+),/.exec(String(body))?.[1];

type Which = (request: HttpRequest) => boolean;

const reads =
  (which: Which): Which =>
  (request) =>
    request.method === 'GET' && which(request);

const by =
  (method: string): Which =>
  (request) =>
    request.method === method;

/** Changes the JSON of answers that succeed. */
function shows(which: Which, change: Change): Fault {
  return async (request, sound) => {
    const answer = await sound(request);
    const isShown = which(request) && answer.status < 300 && answer.body.length > 0;
    if (!isShown) return answer;
    const body = JSON.parse(Buffer.from(answer.body).toString());
    change(body);
    return { ...answer, body: Buffer.from(JSON.stringify(body)) };
  };
}

function answers(which: Which, change: (answer: HttpResponse) => Partial<HttpResponse>): Fault {
  return async (request, sound) => {
    const answer = await sound(request);
    return which(request) ? { ...answer, ...change(answer) } : answer;
  };
}

function statusOf(which: Which, from: number, to: number): Fault {
  return answers(which, ({ status }) => (status === from ? { status: to } : {}));
}

/** Takes no notice of a header field. */
function ignores(which: Which, ...names: readonly string[]): Fault {
  return (request, sound) => {
    const kept = Object.entries(request.headers).filter(([name]) => !names.includes(name));
    return sound(which(request) ? { ...request, headers: Object.fromEntries(kept) } : request);
  };
}

/** Changes the JSON that is sent. */
function takes(which: Which, change: (body: Json, sound: Transport) => Promise<void>): Fault {
  return async (request, sound) => {
    if (!which(request) || !String(request.body).endsWith('}')) return sound(request);
    const body = JSON.parse(String(request.body));
    await change(body, (asked) => sound({ ...request, ...asked }));
    return sound({ ...request, body: JSON.stringify(body) });
  };
}

/** Says one name in addresses for another. */
function renames(ours: string, theirs: string): Fault {
  return async (request, sound) => {
    const answer = await sound({ ...request, url: request.url.replace(theirs, ours) });
    const text = Buffer.from(answer.body).toString().replaceAll(ours, theirs);
    return { ...answer, body: Buffer.from(text) };
  };
}

const nav = (rel: string, change: (href: string) => string): Fault =>
  shows(reads(isPage), ({ _link }) => {
    if (_link[rel]) _link[rel].href = change(_link[rel].href);
  });
const navOf = (isOne: (index: number) => boolean, change: Change): Fault =>
  shows(reads(isPage), ({ pageIndex, _link }) => isOne(pageIndex) && change(_link));
/** A page in answer to an odd size, computed with it as it is. */
function ofOdd(query: string, pageSize: number): Fault {
  return async (request, sound) => {
    if (!request.url.endsWith(query)) return sound(request);
    const answer = await sound({ ...request, url: request.url.replace(query, 'pageSize=1') });
    const { totalArticles, ...page } = JSON.parse(Buffer.from(answer.body).toString());
    const totalPages = Math.ceil(totalArticles / pageSize);
    const body = JSON.stringify({ ...page, totalArticles, pageSize, totalPages });
    return { ...answer, body: Buffer.from(body) };
  };
}
const further = (href: string) =>
  href.replace(/pageIndex=(\d+)/, (_, index) => `pageIndex=${Number(index) + 1}`);
const sameTag: Fault = async (request, sound) => {
  const { 'if-match': match, 'if-none-match': noneMatch, ...others } = request.headers;
  const isSame = match === '"same"' || noneMatch === '"same"';
  if (noneMatch === '"same"') return { status: 304, headers: {}, body: Buffer.alloc(0) };
  const answer = await sound(isSame ? { ...request, headers: others } : request);
  const { etag } = answer.headers;
  return etag === undefined
    ? answer
    : { ...answer, headers: { ...answer.headers, etag: '"same"' } };
};
const overlap: Fault = async (request, sound) => {
  const url = request.url.replace('pageIndex=2&', 'pageIndex=1&');
  if (url === request.url) return sound(request);
  const again = shows(isPage, (page) => {
    page.pageIndex = 2;
  });
  return again({ ...request, url }, sound);
};
const old: Fault = async (request, sound) => {
  if (request.method !== 'PUT') return sound(request);
  const { body: _body, ...read } = request;
  const before = await sound({ ...read, method: 'GET' });
  const answer = await sound(request);
  return answer.status === 200 ? { ...answer, body: before.body } : answer;
};
const keepsTitle = takes(by('PUT'), async (body) => {
  if (body.title !== null) body.title = 'blogctl check test';
});
const fromZero: Fault = async (request, sound) => {
  const url = further(request.url);
  const answer = await sound({ ...request, url });
  const text = Buffer.from(answer.body).toString();
  const lower = (_: string, name: string, index: string) => `${name}${Number(index) - 1}`;
  return { ...answer, body: Buffer.from(text.replaceAll(/(pageIndex(?:=|":\s*))(\d+)/g, lower)) };
};
const heldDown = shows(reads(isPage), (page) => {
  page._embedded = page._embedded.slice(0, 2);
  page.totalPages = Math.ceil(page.totalArticles / Math.min(page.pageSize, 2));
});
/** Nobody waits for the pauses between what is sent again. */
const hangsUp =
  (which: Which): Fault =>
  async (request, sound) => {
    if (!which(request)) return sound(request);
    throw new BlogctlError('unreachable', 'No answer from localhost:4000.', { retryable: true });
  };
const losesAnswers =
  (which: Which): Fault =>
  async (request, sound) => {
    const answer = await sound(request);
    return which(request) ? hangsUp(() => true)(request, sound) : answer;
  };
/** As `withRedirects` names what it does not follow. */
const leadsAway =
  (which: Which): Fault =>
  async (request, sound) => {
    if (!which(request)) return sound(request);
    const message = 'Redirected to http://elsewhere.invalid/, which is not followed.';
    throw new BlogctlError('broken-contract', message, { status: 302 });
  };

const twice: Fault = async (request, sound) => {
  if (request.method === 'POST') await sound(request);
  return sound(request);
};
const upserts: Fault = async (request, sound) => {
  const answer = await sound(request);
  if (request.method !== 'PUT' || answer.status !== 404) return answer;
  return sound({ ...request, method: 'POST', url: `${checkedBlog}/articles` });
};
/** Dates of its own form, which it takes back. */
const isoDates: Fault = async (request, sound) => {
  const headers = Object.entries(request.headers).map(([name, value]) =>
    name.endsWith('-since') ? [name, new Date(value).toUTCString()] : [name, value],
  );
  const answer = await sound({ ...request, headers: Object.fromEntries(headers) });
  const date = answer.headers['last-modified'];
  if (date === undefined) return answer;
  const iso = new Date(date).toISOString();
  return { ...answer, headers: { ...answer.headers, 'last-modified': iso } };
};
/** Shows page `of(n)` as page n. */
const passesOver =
  (of: (index: number) => number): Fault =>
  async (request, sound) => {
    const [, asked] = /pageIndex=(\d{1,3})(?:&|$)/.exec(request.url) ?? [];
    if (asked === undefined || asked === '0') return sound(request);
    const index = Number(asked);
    const url = request.url.replace(`pageIndex=${asked}`, `pageIndex=${of(index)}`);
    const answer = await sound({ ...request, url });
    if (answer.status !== 200) return answer;
    const { _embedded } = JSON.parse(Buffer.from(answer.body).toString());
    const told = JSON.parse(Buffer.from((await sound(request)).body).toString());
    return { ...answer, body: Buffer.from(JSON.stringify({ ...told, _embedded })) };
  };

/** Refuses a change and makes it all the same. */
const doneIfRefused =
  (which: Which, refused: number): Fault =>
  async (request, sound) => {
    const answer = await sound(request);
    if (!which(request) || answer.status !== refused) return answer;
    const { 'if-match': _tag, 'if-unmodified-since': _date, ...others } = request.headers;
    await sound({ ...request, headers: { ...others, 'x-access-token': 'all' } });
    return answer;
  };
const withTag =
  (method: string): Which =>
  (request) =>
    by(method)(request) && 'if-match' in request.headers;
const withDate =
  (method: string): Which =>
  (request) =>
    by(method)(request) && 'if-unmodified-since' in request.headers;

/** Its articles, or its pages, were never changed, by their dates. */
const neverChanged =
  (which: Which): Fault =>
  async (request, sound) => {
    const longAgo = 'Fri, 03 Jan 2020 00:00:00 GMT';
    const now = (await sound({ method: 'GET', url: request.url, headers: {} })).headers;
    const headers = Object.entries(request.headers).map(([name, value]) =>
      value === longAgo ? [name, now['last-modified'] ?? value] : [name, value],
    );
    const answer = await sound({ ...request, headers: Object.fromEntries(headers) });
    if (!which(request) || answer.headers['last-modified'] === undefined) return answer;
    const told = { 'last-modified': longAgo, date: new Date().toUTCString() };
    return { ...answer, headers: { ...answer.headers, ...told } };
  };
const bareTags: Fault = async (request, sound) => {
  const names = ['if-match', 'if-none-match'];
  const headers = Object.entries(request.headers).map(([name, value]) =>
    names.includes(name) && !value.includes('"') ? [name, `"${value}"`] : [name, value],
  );
  const answer = await sound({ ...request, headers: Object.fromEntries(headers) });
  const { etag } = answer.headers;
  return etag
    ? { ...answer, headers: { ...answer.headers, etag: etag.replaceAll('"', '') } }
    : answer;
};
/** Makes an article of what it calls senseless. */
const makesNonsense =
  (title: string): Fault =>
  async (request, sound) => {
    const answer = await sound(request);
    if (request.method !== 'POST' || answer.status !== 422) return answer;
    const body = { ...JSON.parse(String(request.body)), title };
    await sound({ ...request, body: JSON.stringify(title ? body : { ...body, title: 'Lost' }) });
    return answer;
  };

const fails = (which: Which): Fault => answers(which, () => ({ status: 500 }));
const says = (status: number, text: string): Fault =>
  answers(
    () => true,
    (answer) => (answer.status === status ? { body: Buffer.from(text) } : {}),
  );
const goneIsThere: Fault = async (request, sound) => {
  const answer = await sound(request);
  if (request.method !== 'PUT' || answer.status !== 410) return answer;
  const made = await sound({ ...request, method: 'POST', url: `${checkedBlog}/articles` });
  return { ...made, status: 200 };
};
/** It has the text of before in the place of what is put. */
const putsNothing: Fault = async (request, sound) => {
  const before = await sound({ method: 'GET', url: request.url, headers: {} });
  const { title, content } = before.status === 200 ? JSON.parse(String(before.body)) : {};
  const keeps = takes(by('PUT'), async (body) => {
    if (title && typeof body.title === 'string') Object.assign(body, { title, content });
  });
  return keeps(request, sound);
};
/** Fails at one creation alone, the first after so many, and does it. */
const failsOnce = (after: number): Fault => {
  let asked = 0;
  return async (request, sound) => {
    const answer = await sound(request);
    if (request.method === 'POST' && answer.status === 201) asked += 1;
    return request.method === 'POST' && asked === after + 1 && answer.status === 201
      ? { ...answer, status: 500, body: Buffer.from('{}') }
      : answer;
  };
};

/** Changes articles as they are listed. */
const inListing = (change: Change): Fault =>
  shows(reads(isPage), ({ _embedded }) => _embedded.forEach(change));
const hostless: Change = ({ _links }) => {
  _links['doc:blog'].href = _links['doc:blog'].href.replace(/^http:\/\/[^/]+/, '');
};
/** Takes a member of another type, and shows it so. */
const keptAs = (isOne: (body: Json) => boolean, name: string, value: unknown): Fault => {
  const kept = new Set<string>();
  return async (request, sound) => {
    const isSent = request.method === 'PUT' && String(request.body).endsWith('}');
    const body = isSent ? JSON.parse(String(request.body)) : {};
    const isKept = isSent && isOne(body);
    if (isSent) kept[isKept ? 'add' : 'delete'](request.url);
    const text = JSON.stringify({ ...body, [name]: String(value) });
    const shown = shows(
      ({ url }) => kept.has(url),
      (article) => {
        if (article[name] === String(value)) article[name] = value;
      },
    );
    return shown(isKept ? { ...request, body: text } : request, sound);
  };
};
/** Pages have tags of their articles, and of something else. */
const tagged =
  (of: (page: Json) => unknown): Fault =>
  async (request, sound) => {
    const answer = await sound(request);
    if (!isPage(request) || request.method !== 'GET' || answer.status !== 200) return answer;
    const page = JSON.parse(Buffer.from(answer.body).toString());
    const texts = page._embedded.map(({ title, content }: Json) => [title, content]);
    const etag = `"${Buffer.from(JSON.stringify([texts.toSorted().at(-1), of(page)])).toString('base64')}"`;
    if (request.headers['if-none-match'] === etag)
      return { status: 304, headers: { etag }, body: Buffer.alloc(0) };
    return { ...answer, headers: { ...answer.headers, etag } };
  };

/** What was deleted stays where it was listed. */
const listsGone = (): Fault => {
  const gone: Json[] = [];
  const read = async (sound: Transport, url: string): Promise<Json> => {
    const { status, body } = await sound({ method: 'GET', url, headers: {} });
    return status === 200 ? JSON.parse(Buffer.from(body).toString()) : undefined;
  };
  return async (request, sound) => {
    const before = request.method === 'DELETE' ? await read(sound, request.url) : undefined;
    const answer = await sound(request);
    if (before && answer.status === 204) gone.push(before);
    if (request.method !== 'GET' || !isPage(request) || answer.status !== 200) return answer;
    const { _embedded } = await read(sound, `${checkedBlog}/articles?pageSize=1000`);
    const all = [..._embedded, ...gone];
    const changes = shows(isPage, (page) => {
      const at = (page.pageIndex - 1) * page.pageSize;
      page._embedded = all.slice(at, at + page.pageSize);
      page.totalArticles = all.length;
      page.totalPages = Math.ceil(all.length / page.pageSize);
      const to = (index: number) => ({
        href: `${checkedBlog}/articles?pageIndex=${index}&pageSize=${page.pageSize}`,
      });
      page._link.lastPage = to(page.totalPages);
      if (page.pageIndex < page.totalPages) page._link.nextPage = to(page.pageIndex + 1);
    });
    const index = Number(new URL(request.url).searchParams.get('pageIndex') ?? 1);
    const there = await sound({ ...request, headers: {} });
    return changes({ ...request, headers: {} }, async () => (index > 0 ? there : answer));
  };
};
/** The date of what is shown is that of when it was first read. */
const datedOnce = (which: Which): Fault => {
  const first = new Map<string, string>();
  return async (request, sound) => {
    if (!which(request) || request.method !== 'GET') return sound(request);
    const now = (await sound({ method: 'GET', url: request.url, headers: {} })).headers;
    const date = first.get(request.url) ?? now['last-modified'];
    if (date === undefined) return sound(request);
    first.set(request.url, date);
    const headers = Object.entries(request.headers).map(([name, value]) =>
      value === date ? [name, now['last-modified'] ?? value] : [name, value],
    );
    const answer = await sound({ ...request, headers: Object.fromEntries(headers) });
    return { ...answer, headers: { ...answer.headers, 'last-modified': date } };
  };
};
/** The last page, where it is not a full one. */
const ofRest = (change: (page: Json, before: Json[]) => void): Fault => {
  return async (request, sound) => {
    const answer = await sound(request);
    if (request.method !== 'GET' || !isPage(request) || answer.status !== 200) return answer;
    const page = JSON.parse(Buffer.from(answer.body).toString());
    const { pageIndex, pageSize, totalPages, totalArticles } = page;
    if (pageIndex < 2 || pageIndex !== totalPages || totalArticles % pageSize === 0) return answer;
    const url = request.url.replace(/pageIndex=\d+/, `pageIndex=${pageIndex - 1}`);
    const { body } = await sound({ ...request, url });
    change(page, JSON.parse(Buffer.from(body).toString())._embedded);
    return { ...answer, body: Buffer.from(JSON.stringify(page)) };
  };
};
const cuts = (method: string, name: string, length: number): Fault =>
  takes(by(method), async (body) => {
    if (typeof body?.[name] === 'string') body[name] = body[name].slice(0, length);
  });
const butFirst = (change: Change): Fault =>
  shows(reads(isPage), ({ _embedded: [, ...others] }) => others.forEach(change));

/** Each breaks one rule. */
const faults: readonly (readonly [string, string, Fault])[] = [
  [
    '1.2',
    'labels refusals as another type',
    answers(
      () => true,
      ({ status, headers }) =>
        status < 400 ? {} : { headers: { ...headers, 'content-type': 'application/problem+json' } },
    ),
  ],
  [
    '1.2',
    'labels a replaced article as plain JSON',
    answers(by('PUT'), ({ headers }) => ({
      headers: { ...headers, 'content-type': 'application/json' },
    })),
  ],
  ['1.2', 'says in plain words that nothing is there', says(404, 'not found')],
  ['1.2', 'says in HTML what makes no sense', says(422, '<b>no</b>')],
  [
    '1.2',
    'labels as HTML what makes no sense',
    answers(
      () => true,
      ({ status, headers }) =>
        status === 422 ? { headers: { ...headers, 'content-type': 'text/html' } } : {},
    ),
  ],
  [
    '1.2',
    'writes a comma behind an article',
    answers(reads(isArticle), ({ status, body }) =>
      status === 200 ? { body: Buffer.from(`${Buffer.from(body).toString()},`) } : {},
    ),
  ],
  [
    '1.2',
    'begins with a byte order mark',
    answers(reads(isPage), ({ status, body }) =>
      status === 200 ? { body: Buffer.from(`\ufeff${Buffer.from(body).toString()}`) } : {},
    ),
  ],
  ['1.3', 'does not look at Accept', ignores(() => true, 'accept')],
  [
    '1.3',
    'refuses whoever takes anything',
    statusOf(({ headers }) => headers['accept'] === '*/*', 200, 406),
  ],
  ['1.5', 'shows the first article of a page with links', butFirst((each) => delete each._links)],
  [
    '1.7',
    'has another id than its address',
    shows(reads(isBlog), (body) => {
      body.id = 7;
    }),
  ],
  [
    '2.11',
    'leads from listed articles to what is not there',
    inListing(({ _links }) => {
      _links.self.href = _links.self.href.replace('/articles/', '/posts/');
    }),
  ],
  [
    '2.16',
    'has nothing on its last page',
    ofRest((page) => {
      page._embedded = [];
    }),
  ],
  [
    '2.16',
    'fills its last page with what was on the one before',
    ofRest((page, before) => {
      page._embedded = [...before, ...page._embedded].slice(-page.pageSize);
    }),
  ],
  [
    '2.16',
    'has on its last page what was on the one before',
    ofRest((page, before) => {
      page._embedded = before.slice(0, page._embedded.length);
    }),
  ],
  [
    '2.17',
    'rounds the number of pages to the nearest',
    shows(reads(isPage), (body) => {
      body.totalPages = Math.round(body.totalArticles / body.pageSize);
    }),
  ],
  ['2.18', 'lists what was deleted', listsGone()],
  [
    '2.26',
    'lists the first article alone with its content',
    butFirst((each) => delete each.content),
  ],
  [
    '2.26',
    'cuts titles where they are listed',
    inListing((each) => {
      each.title = each.title?.slice(0, 60);
    }),
  ],
  [
    '2.26',
    'has another title for the last article of a page',
    shows(reads(isPage), ({ _embedded }) => {
      if (_embedded.length > 1) _embedded.at(-1).title += ', listed';
    }),
  ],
  ['3.2', 'cuts titles at 255 letters', cuts('POST', 'title', 255)],
  ['3.2', 'cuts contents at 64 KiB', cuts('POST', 'content', 65_536)],
  ['4.3', 'cuts what is put at 64 KiB', cuts('PUT', 'content', 65_536)],
  ['4.8', 'has the date of its creation for an article that was changed', datedOnce(isArticle)],
  ['4.8', 'has the date of before for a page', datedOnce(isPage)],
  ['1.5', 'shows an article without links', shows(reads(isArticle), (body) => delete body._links)],
  [
    '1.5',
    'shows listed articles without links',
    shows(reads(isPage), ({ _embedded }) => {
      for (const each of _embedded) delete each._links;
    }),
  ],
  [
    '1.6',
    'asks for a cookie',
    answers(reads(isBlog), ({ headers }) => ({
      headers: { ...headers, 'set-cookie': 'session=1' },
    })),
  ],
  ['1.7', 'has its articles elsewhere', renames('/articles', '/entries')],
  [
    '1.8',
    'names a relation in snake_case',
    shows(reads(isBlog), ({ _links }) => {
      _links.newest_article = _links.self;
    }),
  ],
  [
    '2.1',
    'has a string for the id of the blog',
    shows(reads(isBlog), (body) => {
      body.id = '1';
    }),
  ],
  [
    '2.2',
    'has null for the title of the blog',
    shows(reads(isBlog), (body) => {
      body.title = null;
    }),
  ],
  ['2.3', 'has no description', shows(reads(isBlog), (body) => delete body.description)],
  [
    '2.4',
    'does not say that its curie is a template',
    shows(reads(isBlog), ({ _links }) => delete _links.curies[0].templated),
  ],
  [
    '2.5',
    'has a self of the blog that leads nowhere',
    shows(reads(isBlog), ({ _links }) => {
      _links.self.href += '2';
    }),
  ],
  [
    '2.5',
    'has a self of the blog that leads to its articles',
    shows(reads(isBlog), ({ _links }) => {
      _links.self.href += '/articles';
    }),
  ],
  [
    '2.6',
    'has no template for its pages',
    shows(reads(isBlog), ({ _links }) => {
      _links['doc:articles'].href = _links['doc:articles'].href.replace(/\{.*/, '');
    }),
  ],
  [
    '2.7',
    'has a string for the id of an article',
    shows(
      (request) => /GET|PUT/.test(request.method) && isArticle(request),
      (body) => {
        body.id = String(body.id);
      },
    ),
  ],
  [
    '2.7',
    'has a string for the id of an article that is read',
    shows(reads(isArticle), (body) => {
      body.id = String(body.id);
    }),
  ],
  [
    '4.5',
    'answers PUT with a string for the id',
    shows(by('PUT'), (body) => {
      body.id = String(body.id);
    }),
  ],
  [
    '2.7',
    'has a string for every id of an article',
    shows(
      (request) => isArticle(request) || request.method === 'POST',
      (body) => {
        if (body.id !== undefined) body.id = String(body.id);
      },
    ),
  ],
  [
    '2.8',
    'has a number for a title',
    shows(reads(isArticle), (body) => {
      body.title = 7;
    }),
  ],
  [
    '2.9',
    'has a number for a content',
    shows(
      (request) => /GET|PUT/.test(request.method) && isArticle(request),
      (body) => {
        if (body.content === 'Made by blogctl check test') body.content = 7;
      },
    ),
  ],
  [
    '2.9',
    'has a number for every content',
    shows(
      (request) => /GET|PUT/.test(request.method) && isArticle(request),
      (body) => {
        body.content = 7;
      },
    ),
  ],
  [
    '2.10',
    'has curies on the blog alone',
    shows(reads(isArticle), ({ _links }) => delete _links.curies),
  ],
  [
    '2.10',
    'has curies of its own on an article',
    shows(reads(isArticle), ({ _links }) => {
      _links.curies[0].href = 'http://localhost:4000/else/{rel}';
    }),
  ],
  [
    '2.11',
    'has no self on an article',
    shows(reads(isArticle), ({ _links }) => delete _links.self),
  ],
  [
    '2.12',
    'calls the blog of an article something else',
    shows(reads(isArticle), ({ _links }) => {
      _links['doc:blog'].title = 'Else';
    }),
  ],
  [
    '2.13',
    'has no template for comments',
    shows(reads(isArticle), ({ _links }) => delete _links['doc:comments'].templated),
  ],
  [
    '2.14',
    'tells the title of what it deleted',
    shows(by('DELETE'), (body) => {
      body.title = 'Gone';
    }),
  ],
  [
    '2.15',
    'has a string for the index of a page',
    shows(reads(isPage), (body) => {
      body.pageIndex = String(body.pageIndex);
    }),
  ],
  ['2.15', 'counts its pages from 0', fromZero],
  ['2.16', 'holds pages down to two articles and repeats the size asked for', heldDown],
  [
    '2.16',
    'leaves one out of larger pages',
    shows(reads(isPage), ({ _embedded }) => _embedded.length > 1 && _embedded.pop()),
  ],
  [
    '2.16',
    'has null for the size of a page',
    shows(reads(isPage), (body) => {
      body.pageSize = null;
    }),
  ],
  [
    '2.17',
    'rounds the number of pages down',
    shows(reads(isPage), (body) => {
      body.totalPages = Math.floor(body.totalArticles / body.pageSize);
    }),
  ],
  [
    '2.17',
    'counts a page too many, and leads to it',
    shows(reads(isPage), (body) => {
      const { _link } = body;
      body.totalPages += 1;
      _link.lastPage.href = _link.lastPage.href.replace(
        /pageIndex=\d+/,
        `pageIndex=${body.totalPages}`,
      );
    }),
  ],
  [
    '2.17',
    'counts a page too many',
    shows(reads(isPage), (body) => {
      body.totalPages += 1;
    }),
  ],
  [
    '2.18',
    'counts an article too many',
    shows(reads(isPage), (body) => {
      body.totalArticles += 1;
    }),
  ],
  [
    '2.18',
    'counts one page alone',
    shows(reads(isPage), (body) => {
      body.totalArticles = body._embedded.length;
    }),
  ],
  [
    '2.19',
    'navigates in _links',
    shows(reads(isPage), (body) => {
      body._links = body._link;
      delete body._link;
    }),
  ],
  [
    '2.20',
    'embeds under a relation',
    shows(reads(isPage), (body) => {
      body._embedded = { 'doc:articles': body._embedded };
    }),
  ],
  [
    '2.21',
    'counts pages from 0 in firstPage',
    nav('firstPage', (href) => href.replace('pageIndex=1', 'pageIndex=0')),
  ],
  ['2.22', 'has no previousPage', shows(reads(isPage), ({ _link }) => delete _link.previousPage)],
  [
    '2.23',
    'forgets the size in the self of a page',
    nav('self', (href) => href.replace(/&?pageSize=\d+/, '')),
  ],
  ['2.24', 'leaves a page out in nextPage', nav('nextPage', further)],
  [
    '2.21',
    'has no firstPage on the first page',
    navOf(
      (index) => index === 1,
      (links) => delete links.firstPage,
    ),
  ],
  [
    '2.22',
    'leads back to the first page from all others',
    navOf(
      (index) => index > 2,
      (links) => {
        links.previousPage = links.firstPage;
      },
    ),
  ],
  [
    '2.24',
    'has no nextPage on the first page',
    navOf(
      (index) => index === 1,
      (links) => delete links.nextPage,
    ),
  ],
  [
    '2.24',
    'leads on from the first page to the last',
    navOf(
      (index) => index === 1,
      (links) => {
        if (links.nextPage) links.nextPage = links.lastPage;
      },
    ),
  ],
  ['2.25', 'goes too far in lastPage', nav('lastPage', further)],
  [
    '2.26',
    'lists articles without content',
    shows(reads(isPage), ({ _embedded }) => {
      for (const each of _embedded) delete each.content;
    }),
  ],
  [
    '2.26',
    'lists articles with the beginning of their content',
    shows(reads(isPage), ({ _embedded }) => {
      for (const each of _embedded) each.content = each.content?.slice(0, 3);
    }),
  ],
  [
    '2.26',
    'lists articles without a link',
    shows(reads(isPage), ({ _embedded }) => {
      for (const each of _embedded) delete each._links['doc:comments'];
    }),
  ],
  [
    '3.2',
    'keeps letters of ASCII alone',
    takes(by('POST'), async (body) => {
      body.content = body.content?.replaceAll(/[^ -~\n]/g, '?');
    }),
  ],
  [
    '3.2',
    'keeps titles in Latin-1, without signs of HTML',
    takes(by('POST'), async (body) => {
      body.title = body.title?.replaceAll(/[^ -ÿ]|[<>&"]/g, '');
    }),
  ],
  ['4.1', 'does not tell the id of a new article', shows(by('POST'), (body) => delete body.id)],
  [
    '4.1',
    'labels a new article as plain JSON',
    answers(by('POST'), ({ headers, status }) =>
      status === 201 ? { headers: { ...headers, 'content-type': 'application/json' } } : {},
    ),
  ],
  [
    '2.11',
    'leads from all listed articles to the first',
    shows(reads(isPage), ({ _embedded: [first, ...others] }) => {
      for (const each of others) each._links.self.href = first._links.self.href;
    }),
  ],
  [
    '2.18',
    'lists an article twice and another one never',
    shows(
      reads(({ url }) => url.endsWith('/articles')),
      ({ _embedded }) => {
        if (_embedded.length > 2) _embedded[2] = _embedded[1];
      },
    ),
  ],
  [
    '4.2',
    'calls what is left the size of the last page',
    shows(reads(isPage), (page) => {
      const { pageIndex, totalPages, _embedded } = page;
      if (totalPages > 1 && pageIndex === totalPages) page.pageSize = _embedded.length;
    }),
  ],
  [
    '4.9',
    'gives a page the tag that it had before one of its articles was changed',
    async (request, sound) => {
      const answer = await sound(request);
      if (!isPage(request) || request.method !== 'GET' || answer.status !== 200) return answer;
      const { _embedded: listed, totalArticles } = JSON.parse(Buffer.from(answer.body).toString());
      const etag = `"${[totalArticles, ...listed.map(({ id }: { id: number }) => id)].join('-')}"`;
      const isKnown = request.headers['if-none-match'] === etag;
      if (isKnown) return { status: 304, headers: { etag }, body: Buffer.alloc(0) };
      return { ...answer, headers: { ...answer.headers, etag } };
    },
  ],
  ['4.2', 'shows the first page again', overlap],
  ['4.2', 'shows the page after the one that is asked for', passesOver((index) => index + 1)],
  ['4.2', 'passes over every other page', passesOver((index) => 2 * index - 1)],
  [
    '4.2',
    'repeats another page size',
    shows(reads(isPage), (body) => {
      body.pageSize = 20;
    }),
  ],
  [
    '4.3',
    'refuses another id in the body',
    (request, sound) =>
      String(request.body).includes('"id":')
        ? sound({ ...request, body: '{"title":7}' })
        : sound(request),
  ],
  [
    '4.3',
    'answers PUT with the id of the body',
    shows(
      ({ method, body }) => method === 'PUT' && idSent(body) !== undefined,
      (body) => {
        body.id += 1;
      },
    ),
  ],
  [
    '4.3',
    'puts into the article that the body names',
    async (request, sound) => {
      const id = request.method === 'PUT' ? idSent(request.body) : undefined;
      const url = id === undefined ? request.url : request.url.replace(/\d+$/, id);
      const answer = await sound({ ...request, url });
      return answer.status === 404 ? sound(request) : answer;
    },
  ],
  [
    '4.3',
    'puts into that article and says the other',
    async (request, sound) => {
      const id = request.method === 'PUT' ? idSent(request.body) : undefined;
      if (id === undefined) return sound(request);
      await sound({ ...request, url: request.url.replace(/\d+$/, id) });
      return sound({ ...request, method: 'GET', body: '' });
    },
  ],
  [
    '4.3',
    'puts into both articles',
    async (request, sound) => {
      const id = request.method === 'PUT' ? idSent(request.body) : undefined;
      if (id !== undefined) await sound({ ...request, url: request.url.replace(/\d+$/, id) });
      return sound(request);
    },
  ],
  [
    '4.3',
    'deletes the article whose id another one is sent',
    async (request, sound) => {
      const id = request.method === 'PUT' ? idSent(request.body) : undefined;
      const url = request.url.replace(/\d+$/, String(id));
      if (id !== undefined) await sound({ ...request, method: 'DELETE', url, body: '' });
      return sound(request);
    },
  ],
  ['4.3', 'keeps the title for ever', keepsTitle],
  ['4.3', 'puts nothing', putsNothing],
  [
    '4.4',
    'keeps a content that was left out',
    takes(by('PUT'), async (body) => {
      body.content ??= 'kept';
    }),
  ],
  ['4.5', 'answers PUT with the article as it was', old],
  ['4.8', 'takes no notice of If-Modified-Since', ignores(by('GET'), 'if-modified-since')],
  ['4.8', 'takes no notice of If-Unmodified-Since', ignores(by('PUT'), 'if-unmodified-since')],
  ['4.9', 'takes no notice of If-None-Match', ignores(by('GET'), 'if-none-match')],
  ['4.9', 'takes no notice of If-Match', ignores(by('PUT'), 'if-match')],
  ['4.9', 'deletes in spite of If-Match', ignores(by('DELETE'), 'if-match')],
  ['4.9', 'keeps the tag after a change', sameTag],
  ['4.9', 'refuses a PUT for its tag and does it', doneIfRefused(withTag('PUT'), 412)],
  ['4.9', 'refuses a DELETE for its tag and does it', doneIfRefused(withTag('DELETE'), 412)],
  ['4.8', 'refuses a PUT for its date and does it', doneIfRefused(withDate('PUT'), 412)],
  ['4.8', 'refuses a DELETE for its date and does it', doneIfRefused(withDate('DELETE'), 412)],
  ['4.8', 'deletes in spite of a date', ignores(by('DELETE'), 'if-unmodified-since')],
  ['4.8', 'heeds no date of a page', ignores(reads(isPage), 'if-modified-since')],
  ['4.8', 'heeds no date of the blog', ignores(reads(isBlog), 'if-modified-since')],
  ['4.8', 'never moves the date of an article', neverChanged(isArticle)],
  ['4.8', 'never moves the date of a page', neverChanged(isPage)],
  [
    '4.8',
    'calls a copy of any date current',
    answers(
      ({ headers }) => 'if-modified-since' in headers && !('if-none-match' in headers),
      () => ({ status: 304, body: Buffer.alloc(0) }),
    ),
  ],
  ['4.9', 'gives tags without quotes', bareTags],
  [
    '4.10',
    'heeds the date beside a tag',
    (request, sound) =>
      request.headers['if-modified-since'] === undefined
        ? sound(request)
        : ignores(() => true, 'if-none-match')(request, sound),
  ],
  ['4.8', 'gives dates that are none of HTTP', isoDates],
  ['4.11', 'shows the blog with 203', statusOf(reads(isBlog), 200, 203)],
  ['4.12', 'makes two articles at once', twice],
  ...[0, 1, 4, 6, 9].map(
    (after) => ['4.12', `fails at creation ${after + 1} and does it`, failsOnce(after)] as const,
  ),
  ['4.12', 'answers POST with 200', statusOf(by('POST'), 201, 200)],
  [
    '4.12',
    'answers POST with the self of the blog',
    shows(by('POST'), ({ _links }) => {
      _links.self = { href: `${_links['doc:blog'].href}/` };
    }),
  ],
  [
    '4.3',
    'moves an article to the id of the body',
    async (request, sound) => {
      const [, target] = /\/(\d+)$/.exec(request.url) ?? [];
      const isMove = request.method === 'PUT' && idSent(request.body) !== undefined;
      if (!isMove || target === undefined) return sound(request);
      const answer = await sound({ ...request, method: 'POST', url: `${checkedBlog}/articles` });
      if (answer.status === 201) await sound({ ...request, method: 'DELETE' });
      return answer.status === 201 ? { ...answer, status: 200 } : answer;
    },
  ],
  ['4.13', 'shows an article with 203', statusOf(reads(isArticle), 200, 203)],
  ['4.14', 'shows a page with 203', statusOf(reads(isPage), 200, 203)],
  ['4.14', 'hangs up on whoever asks for a page', hangsUp(reads(isPage))],
  ['4.14', 'leads whoever asks for a page elsewhere', leadsAway(reads(isPage))],
  ['4.15', 'answers PUT with 202', statusOf(by('PUT'), 200, 202)],
  ['4.16', 'answers DELETE with 200', statusOf(by('DELETE'), 204, 200)],
  [
    '4.16',
    'labels nothing after DELETE',
    answers(by('DELETE'), ({ status, headers: { 'content-type': _type, ...headers } }) =>
      status === 204 ? { headers } : {},
    ),
  ],
  ['5.2', 'wants a token for reading articles', statusOf(reads(isArticle), 200, 401)],
  ['5.4', 'deletes for everybody', statusOf(by('DELETE'), 401, 204)],
  ...['POST', 'PUT', 'DELETE'].map(
    (method) =>
      ['5.4', `does a ${method} that nobody may`, doneIfRefused(by(method), 401)] as const,
  ),
  [
    '5.4',
    'takes any word for a token',
    ({ headers, ...request }, sound) => {
      const isTold = 'x-access-token' in headers;
      return sound({
        ...request,
        headers: { ...headers, ...(isTold && { 'x-access-token': 'all' }) },
      });
    },
  ],
  ['5.4', 'answers 403 to nobody', statusOf(by('POST'), 401, 403)],
  [
    '7.3',
    'has a status of its own for other types',
    (request, sound) =>
      statusOf(({ headers }) => headers['content-type'] === 'text/plain', 400, 415)(request, sound),
  ],
  ...['pageIndex=0', 'pageSize=0', 'pageSize=blogctl'].map(
    (query) =>
      [
        '7.3',
        `fails at ${query}`,
        answers(
          ({ url }) => url.endsWith(query),
          () => ({ status: 500 }),
        ),
      ] as const,
  ),
  ['7.3', 'fails at a page of a high number', fails(({ url }) => /pageIndex=1000000000/.test(url))],
  ['7.3', 'fails at a large page', fails(({ url }) => /pageSize=100000/.test(url))],
  ['7.3', 'fails at PATCH', fails(by('PATCH'))],
  ['7.3', 'fails at HEAD', fails(by('HEAD'))],
  ['7.3', 'fails at text', fails(({ headers }) => headers['content-type'] === 'text/plain')],
  ['7.3', 'fails at other members', fails(({ body }) => String(body).includes('colour'))],
  [
    '7.3',
    'fails at other tokens',
    fails(({ headers }) => !['all', undefined].includes(headers['x-access-token'])),
  ],
  [
    '7.3',
    'fails at broken JSON of a PUT',
    statusOf(({ method, body }) => method === 'PUT' && String(body).endsWith(':'), 400, 500),
  ],
  ['7.3', 'fails at broken JSON', statusOf(({ body }) => String(body).endsWith(':'), 400, 500)],
  ['7.3', 'hangs up on broken JSON', hangsUp(({ body }) => String(body).endsWith(':'))],
  ['7.6', 'makes an article where a PUT finds none', upserts],
  ['7.6', 'calls a PUT wrong where nothing is', statusOf(by('PUT'), 404, 400)],
  [
    '7.6',
    'deletes what never was',
    statusOf((request) => request.method === 'DELETE' && !isNothing(request), 404, 204),
  ],
  ['7.6', 'fails where there is nothing to delete', statusOf(by('DELETE'), 404, 500)],
  [
    '7.6',
    'shows something at every address',
    answers(
      (request) => !isArticle(request),
      ({ status, headers }) =>
        status === 404 ? { status: 200, headers, body: Buffer.from('{"_links":{}}') } : {},
    ),
  ],
  ['7.6', 'calls gone what never was', statusOf(reads(isArticle), 404, 410)],
  ['7.6', 'hangs up on whoever asks for what never was', hangsUp(reads(isNothing))],
  ...(['null', '{}', '{"id":1,"title":"Another"}'] as const).map(
    (body) =>
      [
        '7.6',
        `shows ${body} where nothing is`,
        answers(
          (request) => unlikelyIds.some((id) => request.url.endsWith(`/${id}`)),
          ({ headers }) => ({ status: 200, headers, body: Buffer.from(body) }),
        ),
      ] as const,
  ),
  ['7.9', 'deletes a second time', statusOf(by('DELETE'), 410, 204)],
  ['7.9', 'forgets what was deleted where it is put', statusOf(by('PUT'), 410, 404)],
  ['7.9', 'makes again what was deleted', goneIsThere],
  ['7.9', 'forgets what was deleted', statusOf(reads(isArticle), 410, 404)],
  [
    '7.11',
    'takes a PUT whose title is null',
    takes(by('PUT'), async (body) => {
      body.title ??= 'null';
    }),
  ],
  ['7.11', 'makes an article of what makes no sense', makesNonsense('Untitled')],
  ['7.11', 'calls what makes no sense unreadable', statusOf(by('POST'), 422, 400)],
  [
    '9.1',
    'calls itself v2',
    shows(reads(isBlog), ({ _links }) => {
      _links.self.href = _links.self.href.replace('v1.2', 'v2');
    }),
  ],
  [
    '9.3',
    'writes addresses without a host',
    shows(reads(isBlog), ({ _links }) => {
      _links['doc:articles'].href = _links['doc:articles'].href.replace(/^http:\/\/[^/]+/, '');
    }),
  ],
  ['1.3', 'shows what a PUT made to whoever wants a picture', ignores(by('PUT'), 'accept')],
  [
    '1.7',
    'has the articles of another blog',
    async (request, sound) => {
      const url = request.url.replace('/blogs/2/articles', '/blogs/1/articles');
      const answer = await sound({ ...request, url });
      const text = Buffer.from(answer.body).toString();
      return isBlog(request)
        ? { ...answer, body: Buffer.from(text.replace('/1/articles{', '/2/articles{')) }
        : answer;
    },
  ],
  [
    '1.8',
    'names a relation of listed articles in snake_case',
    inListing((article) => {
      article._links.edit_it = article._links.self;
    }),
  ],
  [
    '2.7',
    'has strings for ids of listed articles',
    inListing((article) => {
      article.id = String(article.id);
    }),
  ],
  ['2.8', 'keeps a number as a title', keptAs((body) => body.title === 7, 'title', 7)],
  [
    '2.12',
    'leads from listed articles to another blog',
    inListing(({ _links }) => {
      _links['doc:blog'].href += '7';
    }),
  ],
  [
    '2.12',
    'does not name the blog of listed articles',
    inListing(({ _links }) => delete _links['doc:blog'].title),
  ],
  [
    '2.13',
    'does not say that comments of listed articles are templates',
    inListing(({ _links }) => delete _links['doc:comments'].templated),
  ],
  [
    '2.13',
    'has the same comments for every article',
    shows(
      (request) => isArticle(request) || isPage(request),
      (body) => {
        for (const { _links } of body._embedded ?? [body])
          if (_links['doc:comments'])
            _links['doc:comments'].href = _links['doc:comments'].href.replace(/\d+\/c/, '1/c');
      },
    ),
  ],
  ...(
    [
      ['blanks at the ends', (text: string) => text.trim()],
      ['ends of lines', (text: string) => text.replaceAll('\r\n', '\n')],
      ['letters in parts', (text: string) => text.normalize('NFC')],
      ['tabs', (text: string) => text.replaceAll('\t', ' ')],
      ['two blanks', (text: string) => text.replaceAll(/ +/g, ' ')],
    ] as const
  ).flatMap(([what, lose]) =>
    (['POST', 'PUT'] as const).map(
      (method) =>
        [
          method === 'POST' ? '3.2' : '4.3',
          `loses ${what} in ${method}`,
          takes(by(method), async (body) => {
            if (typeof body?.content === 'string') body.content = lose(body.content);
          }),
        ] as const,
    ),
  ),
  [
    '3.2',
    'has no content where it is empty',
    shows(reads(isArticle), (body) => body.content === '' && delete body.content),
  ],
  [
    '4.1',
    'takes the id of the body for that of a new article',
    async (request, sound) => {
      const id = idSent(request.body);
      if (request.method !== 'POST' || id === undefined) return sound(request);
      const url = `${request.url}/${id}`;
      return { ...(await sound({ ...request, method: 'PUT', url })), status: 201 };
    },
  ],
  ...([201, 409] as const).map(
    (status) =>
      [
        '4.1',
        `puts into the article whose id a new one is sent, and answers ${status}`,
        async (request: HttpRequest, sound: Transport) => {
          const id = idSent(request.body);
          if (request.method !== 'POST' || id === undefined) return sound(request);
          await sound({ ...request, method: 'PUT', url: `${request.url}/${id}` });
          if (status === 201) return sound(request);
          const headers = { 'content-type': 'application/hal+json' };
          return { status, headers, body: Buffer.from('{}') };
        },
      ] as const,
  ),
  ['4.12', 'answers POST without texts', shows(by('POST'), (body) => delete body.content)],
  [
    '4.12',
    'answers POST without the blog',
    shows(by('POST'), ({ _links }) => delete _links['doc:blog']),
  ],
  [
    '4.12',
    'answers POST with other texts',
    shows(by('POST'), (body) => {
      body.content = 'else';
    }),
  ],
  [
    '4.5',
    'answers PUT with another self',
    shows(by('PUT'), ({ _links }) => {
      _links.self.href += '0';
    }),
  ],
  [
    '4.5',
    'answers PUT without content with one',
    shows(by('PUT'), (body) => {
      body.content ??= 'kept';
    }),
  ],
  [
    '4.8',
    'deletes on no date',
    answers(withDate('DELETE'), ({ headers }) => ({
      status: 412,
      headers,
      body: Buffer.from('{}'),
    })),
  ],
  [
    '4.8',
    'answers PUT with the date of another day',
    answers(by('PUT'), ({ status, headers }) =>
      status === 200
        ? { headers: { ...headers, 'last-modified': 'Fri, 03 Jan 2020 00:00:00 GMT' } }
        : {},
    ),
  ],
  ...(['POST', 'PUT'] as const).map(
    (method) =>
      [
        '4.9',
        `answers ${method} with a tag of its own`,
        answers(by(method), ({ status, headers }) =>
          status < 300 ? { headers: { ...headers, etag: '"own"' } } : {},
        ),
      ] as const,
  ),
  ['4.9', 'gives a page the same tag where one article more is counted', tagged(() => '')],
  [
    '4.10',
    'wants tag and date to hold for a 304',
    (request, sound) =>
      'if-none-match' in request.headers && 'if-modified-since' in request.headers
        ? ignores(() => true, 'if-none-match', 'if-modified-since')(request, sound)
        : sound(request),
  ],
  [
    '4.10',
    'takes a date for a tag that does not hold',
    (request, sound) =>
      request.headers['if-unmodified-since']?.includes('2026') === true
        ? ignores(() => true, 'if-match')(request, sound)
        : sound(request),
  ],
  [
    '5.4',
    'takes a token without letters',
    ({ headers, ...request }, sound) =>
      sound({
        ...request,
        headers: {
          ...headers,
          ...(headers['x-access-token'] === '' && { 'x-access-token': 'all' }),
        },
      }),
  ],
  ...(
    [
      ['an id of letters', ({ url }) => url.endsWith('/articles/blogctl')],
      ['an id below 0', ({ url }) => url.endsWith('/articles/-1')],
      ['an id of more than 64 bits', ({ url }) => /\/\d{20}$/.test(url)],
      ['a page below 0', ({ url }) => /=-1/.test(url)],
      ['null', ({ body }) => body === 'null'],
      ['a list', ({ body }) => body === '[]'],
      ['a word', ({ body }) => body === '"blogctl"'],
      ['no body', ({ body, headers }) => body === '' && 'content-type' in headers],
      ['NUL', ({ body }) => String(body).includes('\\u0000')],
      ['half a letter', ({ body }) => String(body).includes('\\ud800')],
      ['a page beyond 32 bits', ({ url }) => url.endsWith('=3000000000')],
      ['a page between two', ({ url }) => url.endsWith('=1.5')],
      ['a page of no number', ({ url }) => url.endsWith('pageIndex=')],
      ['two pages at once', ({ url }) => url.endsWith('pageIndex=1&pageIndex=2')],
      ['what is no text in an address', ({ url }) => url.endsWith('%zz')],
      ['whoever wants HTML', ({ headers }) => headers['accept'] === 'text/html'],
      ['an id of letters in a body', ({ body }) => String(body).includes('"id":"blogctl"')],
      ['a long title', ({ body }) => /"title":"[^"]{256}/.test(String(body))],
      ['a long content', ({ body }) => String(body).length > 65_536],
      ['a title that is a number', ({ body }) => String(body).includes('"title":7')],
      ['a content that is a number', ({ body }) => String(body).includes('"content":7')],
    ] satisfies [string, Which][]
  ).map(([what, which]) => ['7.3', `fails at ${what}`, fails(which)] as const),
  [
    '7.3',
    'answers 502 to pageSize=0',
    answers(
      ({ url }) => url.endsWith('pageSize=0'),
      () => ({ status: 502 }),
    ),
  ],
  [
    '7.9',
    'calls a copy of what is gone current',
    async (request, sound) => {
      const answer = await sound(request);
      const isAsked = 'if-none-match' in request.headers && answer.status === 410;
      return isAsked ? { ...answer, status: 304, body: Buffer.alloc(0) } : answer;
    },
  ],
  ['9.3', 'writes addresses of listed articles without a host', inListing(hostless)],
  ['9.3', 'writes addresses of a new article without a host', shows(by('POST'), hostless)],
  ['9.3', 'writes addresses of a replaced article without a host', shows(by('PUT'), hostless)],
];

describe('a service with a fault', () => {
  it.each(faults)('%s: %s', async (number, _name, fault) => {
    const sound = await givenTransport();
    let requests = 0;
    const anonymous: Transport = (request) => {
      requests += 1;
      // Its version is read by another name too.
      const url = request.url.replace('/v2/', '/v1.2/');
      return fault({ ...request, url }, sound);
    };
    const run = await checkAll({ anonymous });
    expect(brokenIn(run)).toEqual([number]);
    expect({ left: run.left, articles: await articlesIn(sound) }).toEqual({
      left: [],
      articles: 0,
    });
    expect(requests).toBe(run.requests);
    expect(requests).toBeLessThan(460);
    expect(outcomeOf(run, number)).toMatchObject({
      expected: expect.stringMatching(/./),
      got: expect.stringMatching(/./),
    });
  });
});

it.each([
  [
    '2.10',
    'curies in _links with doc, {rel} and templated: true',
    'them beside _links',
    shows(reads(isArticle), (body) => {
      body.curies = body._links.curies;
      delete body._links.curies;
    }),
  ],
  [
    '1.5',
    '_links in article 1 of the page',
    'nothing',
    shows(reads(isPage), ({ _embedded }) => {
      for (const each of _embedded) delete each._links;
    }),
  ],
  ['2.14', 'a body of {_links}', 'a body of {}', shows(by('DELETE'), (body) => delete body._links)],
])('what %s expects says where in the body: %s', async (number, expected, got, fault) => {
  const sound = await givenTransport();
  const run = await checkAll({ anonymous: (request) => fault(request, sound) });
  expect(outcomeOf(run, number)).toMatchObject({ expected, got });
});

it.each([
  [
    'its self and id',
    (body: Json, url: string) =>
      Object.assign(body, { id: 1, _links: { ...body._links, self: { href: url } } }),
  ],
  [
    'all of it',
    (body: Json, url: string) =>
      Object.assign(body, {
        id: 1,
        title: 'Theirs, 1',
        content: '',
        _links: { ...body._links, self: { href: url } },
      }),
  ],
])(
  'an answer to POST that shows an article that was there before, %s, breaks 4.12',
  async (_name, change) => {
    const sound = await withArticles(2);
    const fault = shows(by('POST'), (body) => change(body, `${checkedBlog}/articles/1`));
    const run = await checkAll({ anonymous: (request) => fault(request, sound) });
    expect(brokenIn(run)).toEqual(['3.2', '4.12']);
    expect(outcomeOf(run, '4.12')).toMatchObject({
      expected: 'self of the new article',
      got: 'that of article 1, "Theirs, 1"',
    });
  },
);

describe('ids that are strings', () => {
  const places: Readonly<Record<string, Which>> = {
    read: reads(isArticle),
    listed: reads(isPage),
    made: by('POST'),
    put: by('PUT'),
  };
  const spelled = (body: Json) => {
    for (const each of body._embedded ?? [body]) if (each.id) each.id = String(each.id);
  };
  it.each([
    [['read', 'listed'], ['2.7']],
    [['read', 'made'], ['2.7']],
    [['read', 'listed', 'put'], ['2.7']],
    [['read', 'listed', 'made', 'put'], ['2.7']],
    [['listed', 'made'], ['2.7']],
    [['made'], ['4.1']],
    [
      ['listed', 'put'],
      ['2.7', '4.5'],
    ],
  ])('where articles are %j break %j alone', async (where, broken) => {
    const sound = await withArticles(2);
    const fault = shows((request) => where.some((place) => places[place]?.(request)), spelled);
    const run = await checkAll({ anonymous: (request) => fault(request, sound) });
    expect(brokenIn(run)).toEqual(broken);
    expect(await articlesIn(sound)).toBe(2);
    for (const number of ['4.3', '2.26'])
      expect(outcomeOf(run, number)).toMatchObject({ outcome: 'held' });
  });

  it('hide nothing else that a listing lacks', async () => {
    const sound = await givenTransport();
    const fault = inListing((article) => {
      article.id = String(article.id);
      article.content = article.content?.slice(0, 3);
    });
    const run = await checkAll({ anonymous: (request) => fault(request, sound) });
    expect(brokenIn(run)).toEqual(['2.7', '2.26']);
  });
});

it('an id in a body is never that of an article of others, whatever ids are shown', async () => {
  const sound = await withArticles(5);
  const shifted = shows(reads(isArticle), (body) => {
    body.id = (body.id % 5) + 1;
  });
  const sent: string[] = [];
  await checkAll({
    anonymous: (request) => {
      sent.push(...[idSent(request.body)].filter((id) => id !== undefined));
      return shifted(request, sound);
    },
  });
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.filter((id) => Number(id) <= 5)).toEqual([]);
});

it('a read that is answered behind a redirect holds with a word', async () => {
  const sound = await withArticles(1);
  const redirects: Transport = async (request) =>
    request.method === 'GET' && isArticle(request)
      ? { status: 302, headers: { location: `${request.url}?r=1` }, body: Buffer.alloc(0) }
      : sound(request);
  const origins = { home: new URL(checkedBlog).origin };
  const retry = { retries: 0, maxWaitMs: 0 };
  const trace = { level: 0, write: () => {} };
  const anonymous = createConnection(redirects, { origins, retry, trace });
  const run = await checkAll({ anonymous, token: undefined });
  expect(brokenIn(run)).toEqual([]);
  const what = 'only what a redirect (302) leads to is 200';
  expect(outcomeOf(run, '4.13')).toMatchObject({ outcome: 'held', what });
  expect(outcomeOf(run, '4.14')).not.toHaveProperty('what');
});

it('articles without an ETag are why no change goes by one, and are said in JUnit and TAP', async () => {
  const untagged = answers(isArticle, ({ headers }) => ({
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'etag')),
  }));
  const sound = await withArticles(2);
  const run = await checkAll({ anonymous: (request) => untagged(request, sound) });
  const what = 'articles have no ETag to change them by';
  for (const number of ['4.9', '4.10'] as const)
    expect(outcomeOf(run, number)).toMatchObject({ outcome: 'held', what });
  const at = {
    version: '1',
    blog: checkedBlog,
    wrote: true,
    known: new Set<SentenceNumber>(),
    ms: 1,
    at: '',
  };
  const report = reportOf(run, at);
  expect(junitOf(report)).toMatch(/"4\.9 [^>]*><system-out>articles have no ETag to change/);
  expect(tapOf(report)).toMatch(/^ok \d+ - 4\.9 .*\(articles have no ETag to change them by\)$/m);
});

it('a listing that has the same articles in another order each time breaks 4.2', async () => {
  const sound = await withArticles(5);
  let asked = 0;
  const anonymous: Transport = async (request) => {
    if (request.method !== 'GET' || !isPage(request)) return sound(request);
    const answer = await sound(request);
    if (answer.status !== 200) return answer;
    const url = `${checkedBlog}/articles?pageIndex=1&pageSize=100`;
    const all = JSON.parse(Buffer.from((await sound({ ...request, url })).body).toString());
    const body = JSON.parse(Buffer.from(answer.body).toString());
    const at = (body.pageIndex - 1) * body.pageSize;
    asked += 1;
    const turned = all._embedded.map(
      (_: Json, index: number) => all._embedded[(index + asked) % all._embedded.length],
    );
    body._embedded = turned.slice(at, at + body.pageSize);
    return { ...answer, body: Buffer.from(JSON.stringify(body)) };
  };
  for (const token of ['all', undefined]) {
    const run = await checkAll({ anonymous, token });
    expect(brokenIn(run)).toContain('4.2');
    expect(outcomeOf(run, '2.17')).toMatchObject({ what: '4.2 is broken, and it needs that' });
    expect(run.results.filter(({ what = '' }: Json) => what.includes('came or went'))).toEqual([]);
  }
});

async function withArticles(count: number): Promise<Transport> {
  const sound = await givenTransport();
  const headers = { 'content-type': 'application/json', 'x-access-token': 'all' };
  for (let made = 1; made <= count; made += 1) {
    const body = JSON.stringify({ title: `Theirs, ${made}`, content: '' });
    await sound({ method: 'POST', url: `${checkedBlog}/articles`, headers, body });
  }
  return sound;
}

describe('somebody else at work meanwhile', () => {
  const headers = { 'content-type': 'application/json', 'x-access-token': 'all' };
  const change = (method: string, place: string, body: Json) => (sound: Transport) =>
    sound({ method, url: `${checkedBlog}${place}`, headers, body: JSON.stringify(body) });
  const other = { title: 'Somebody', content: 'else' };

  it.each([
    ['adds an article', change('POST', '/articles', other)],
    ['changes the first one', change('PUT', '/articles/1', other)],
    [
      'deletes the last one',
      (sound: Transport) => sound({ method: 'DELETE', url: `${checkedBlog}/articles/5`, headers }),
    ],
  ])('who %s at any moment makes no rule broken', async (_name, act) => {
    for (let at = 2; at < 70; at += 1) {
      const sound = await withArticles(5);
      let asked = 0;
      const anonymous: Transport = async (request) => {
        asked += 1;
        if (asked === at) await act(sound);
        return sound(request);
      };
      expect([at, ...brokenIn(await checkAll({ anonymous, token: undefined }))]).toEqual([at]);
    }
  });

  it('who puts the same text again, while changes are checked too, makes no rule broken', async () => {
    const again = change('PUT', '/articles/1', { title: 'Theirs, 1', content: '' });
    for (let at = 100; at < 140; at += 4) {
      const sound = await withArticles(5);
      let asked = 0;
      const anonymous: Transport = async (request) => {
        asked += 1;
        if (asked === at) await again(sound);
        return sound(request);
      };
      expect([at, ...brokenIn(await checkAll({ anonymous }))]).toEqual([at]);
    }
  });

  it('who adds an article a second after a change makes no date of a page broken', async () => {
    const service = await givenService();
    const sound = transportOf(service);
    let added = 0;
    const anonymous: Transport = async (request) => {
      const answer = await sound(request);
      const isDated = isPage(request) && 'if-modified-since' in request.headers;
      if (!isDated || added > 0) return answer;
      service.clock.now += 2000;
      added = (await change('POST', '/articles', other)(sound)).status;
      return answer;
    };
    const run = await checkAll({ anonymous, only: new Set(['4.8']) });
    expect([brokenIn(run), added]).toEqual([[], 201]);
  });

  it('who deletes all the while, at the first deletion of a run too, makes no rule broken', async () => {
    const sound = await withArticles(12);
    let next = 1;
    const deletesOne = () => change('DELETE', `/articles/${next++}`, {})(sound);
    const anonymous: Transport = async (request) => {
      const answer = await sound(request);
      const isFirst = request.method === 'DELETE' && answer.status === 204 && next === 1;
      if (isFirst) await deletesOne();
      return answer;
    };
    const sleep = async (ms: number) => {
      await skipTime(ms);
      if (next < 4) await deletesOne();
    };
    expect(brokenIn(await checkAll({ anonymous, sleep }))).toEqual([]);
    expect(await articlesIn(sound)).toBe(9);
  });

  it('who checks it too makes no rule broken', async () => {
    const sound = await withArticles(5);
    const anonymous: Transport = async (request) => {
      await pause(0);
      return sound(request);
    };
    const runs = ['one', 'two', 'three'].map((name) => checkAll({ anonymous, name }));
    expect((await Promise.all(runs)).map(brokenIn)).toEqual([[], [], []]);
    expect(await articlesIn(sound)).toBe(5);
  });
});

/** A service that shows so many articles where no page size is asked for. */
const shownUnasked =
  (size: number, sound: Transport): Transport =>
  (request) => {
    const isUnasked =
      request.method === 'GET' && /\/articles(?:\?pageIndex=\d+)?$/.test(request.url);
    if (!isUnasked) return sound(request);
    const url = new URL(request.url);
    url.searchParams.set('pageSize', String(size));
    return sound({ ...request, url: url.href });
  };

it.each([1, 2, 6, 7, 10])(
  'pages that are counted down are told whatever sizes go into %i articles',
  async (count) => {
    const sound = shownUnasked(count, await withArticles(count));
    const fault = faultOf('2.17', 'rounds the number of pages down');
    const run = await checkAll({ anonymous: (request) => fault(request, sound), token: undefined });
    expect(brokenIn(run)).toEqual(['2.17']);
  },
);

it.each([
  ['begin with the second', (index: number) => index + 1, [1, 2, 3, 7]],
  ['pass over every other one', (index: number) => 2 * index - 1, [2, 3, 7]],
])('pages that %s are told by 4.2 alone, however few articles there are', async (_, of, counts) => {
  for (const count of counts) {
    const sound = await withArticles(count);
    const anonymous: Transport = (request) => passesOver(of)(request, sound);
    const run = await checkAll({ anonymous, token: undefined });
    expect([count, ...brokenIn(run)]).toEqual([count, '4.2']);
    expect(brokenIn(await checkAll({ anonymous: sound, token: undefined }))).toEqual([]);
  }
});

it('pages that count from 0 are told by 2.15 alone, however few articles there are', async () => {
  for (const count of [1, 2, 3, 7]) {
    const sound = await withArticles(count);
    const anonymous: Transport = (request) => fromZero(request, sound);
    expect(brokenIn(await checkAll({ anonymous, token: undefined }))).toEqual(['2.15']);
  }
});

it.each([
  ['anything', () => true],
  ['pages and articles', (request: HttpRequest) => isPage(request) || isArticle(request)],
  ['articles', isArticle],
])('a token that is wanted for reading %s is told by 5.2 alone', async (_name, which) => {
  const sound = await withArticles(1);
  const headers = { 'content-type': 'application/hal+json' };
  const refusal = { status: 401, headers, body: Buffer.from('{"title":"Who are you?"}') };
  const anonymous: Transport = async (request) =>
    request.method === 'GET' && which(request) ? refusal : sound(request);
  for (const token of ['all', undefined]) {
    const run = await checkAll({ anonymous, token });
    expect(brokenIn(run)).toEqual(['5.2']);
    expect(outcomeOf(run, '5.2')).toMatchObject({ got: '401' });
    expect({ left: run.left, articles: await articlesIn(sound) }).toEqual({
      left: [],
      articles: 1,
    });
  }
});

it('a tag that stands for the texts may stay where the same ones are put again', async () => {
  const sound = await givenTransport();
  const stored = new Map<string, unknown>();
  const anonymous: Transport = async (request) => {
    const { body, ...others } = request;
    const isPut = request.method === 'PUT';
    if (isPut && stored.get(request.url) === body) return sound({ ...others, method: 'GET' });
    const answer = await sound(request);
    if (isPut && answer.status === 200) stored.set(request.url, body);
    return answer;
  };
  expect(brokenIn(await checkAll({ anonymous }))).toEqual([]);
});

const toInfinity: Fault = async (request, sound) => {
  const url = request.url.replace('pageSize=0', 'pageSize=1');
  const answer = await sound({ ...request, url });
  if (url === request.url) return answer;
  const text = Buffer.from(answer.body).toString();
  const body = Buffer.from(text.replace(/("lastPage":.*?pageIndex=)\d+/, '$1Infinity'));
  return { ...answer, body };
};

it.each([
  ['pageSize=blogctl', 'null', ofOdd('pageSize=blogctl', Number.NaN)],
  ['pageSize=0', '0', ofOdd('pageSize=0', 0)],
  ['pageSize=0', '1', toInfinity],
])('what is answered to %s is told and breaks no rule', async (query, shownAs, fault) => {
  const sound = await givenTransport();
  const run = await checkAll({ anonymous: (request) => fault(request, sound) });
  expect(brokenIn(run)).toEqual([]);
  expect(outcomeOf(run, '4.18')).toMatchObject({
    what: expect.stringContaining(`${query}: 200 (as ${shownAs})`),
  });
});

const faultOf = (number: string, said: string): Fault => {
  const found = faults.find(([each, name]) => each === number && name === said);
  if (found === undefined) throw new Error(`No fault ${number}: ${said}`);
  return found[2];
};

/** The article is made, and lost. */
const loses: Fault = async (request, sound) => {
  const answer = await sound(request);
  if (request.method !== 'POST' || answer.status !== 201) return answer;
  const { _links } = JSON.parse(Buffer.from(answer.body).toString());
  await sound({ ...request, method: 'DELETE', url: _links.self.href });
  return answer;
};

describe('a fault', () => {
  it.each([
    [
      ['4.12', 'answers POST with 200'],
      ['3.2', 'keeps letters of ASCII alone'],
    ],
    [
      ['4.12', 'answers POST with the self of the blog'],
      ['3.2', 'keeps letters of ASCII alone'],
    ],
    [
      ['4.14', 'shows a page with 203'],
      ['2.19', 'navigates in _links'],
    ],
    [
      ['4.14', 'shows a page with 203'],
      ['2.25', 'goes too far in lastPage'],
    ],
    [
      ['2.16', 'leaves one out of larger pages'],
      ['2.17', 'counts a page too many'],
    ],
    [
      ['2.16', 'has null for the size of a page'],
      ['2.17', 'counts a page too many'],
    ],
    [
      ['4.3', 'answers PUT with the id of the body'],
      ['4.4', 'keeps a content that was left out'],
    ],
    [
      ['4.15', 'answers PUT with 202'],
      ['4.4', 'keeps a content that was left out'],
    ],
    [
      ['4.15', 'answers PUT with 202'],
      ['4.5', 'answers PUT with the article as it was'],
    ],
    [
      ['2.8', 'has a number for a title'],
      ['2.26', 'lists articles without content'],
    ],
    [
      ['4.2', 'repeats another page size'],
      ['2.15', 'has a string for the index of a page'],
    ],
  ] as const)('%j does not hide %j', async ([one, how], [other, too]) => {
    const sound = await givenTransport();
    const both = [faultOf(one, how), faultOf(other, too)] as const;
    const anonymous: Transport = (request) => both[0](request, (asked) => both[1](asked, sound));
    expect(brokenIn(await checkAll({ anonymous })).toSorted()).toEqual([one, other].toSorted());
  });

  it('that loses what is created is told by 3.2, with both requests', async () => {
    const sound = await givenTransport();
    const run = await checkAll({ anonymous: (request) => loses(request, sound) });
    expect(brokenIn(run)).toEqual(['3.2']);
    expect(outcomeOf(run, '3.2')).toMatchObject({
      reply: { request: { method: 'GET' }, after: { request: { method: 'POST' } } },
      got: '410',
    });
  });
});

it.each([
  [
    '4.8',
    'since',
    /^200; DELETE with if-unmodified-since too: expected 412, got 204; GET with if-modified-since too: expected 304, got 200$/,
  ],
  [
    '4.9',
    'match',
    /^200; DELETE with if-match too: expected 412, got 204; GET with if-none-match too: expected 304, got 200$/,
  ],
] as const)('of %s all that is broken is told, a lost change first', async (number, word, got) => {
  const sound = await givenTransport();
  const names = ['if-modified-since', 'if-unmodified-since', 'if-match', 'if-none-match'];
  const ignored = names.filter((name) => name.endsWith(word));
  const run = await checkAll({
    anonymous: (request) => ignores(() => true, ...ignored)(request, sound),
  });
  expect(brokenIn(run)).toEqual([number]);
  expect(outcomeOf(run, number)).toMatchObject({
    reply: { request: { method: 'PUT' } },
    expected: '412',
    got: expect.stringMatching(got),
  });
});

it('a HEAD of another length is told in bytes', async () => {
  const sound = await givenTransport();
  const bare = answers(by('HEAD'), ({ headers }) => ({
    headers: { ...headers, 'content-length': '0' },
  }));
  const run = await checkAll({ anonymous: (request) => bare(request, sound), token: undefined });
  expect(outcomeOf(run, '4.20')).toMatchObject({
    what: expect.stringMatching(
      /^HEAD: 200, with a Content-Length of 0 bytes where GET has \d+ bytes; /,
    ),
  });
});

it.each([500, 423])('a deletion that is answered %i is told by 4.16 alone', async (status) => {
  const sound = await givenTransport();
  const anonymous: Transport = async (request) => {
    const isDeletion = request.method === 'DELETE' && 'x-access-token' in request.headers;
    const isTried = isDeletion && request.headers['if-match'] === undefined;
    return isTried ? { status, headers: {}, body: Buffer.alloc(0) } : sound(request);
  };
  const run = await checkAll({ anonymous });
  expect(brokenIn(run)).toEqual(['4.16']);
  expect(outcomeOf(run, '7.9')).toMatchObject({ what: `DELETE is answered ${status}, see 4.16` });
});

/** Its navigation leads by cursors. */
const cursors: Fault = (request, sound) => {
  const url = request.url.replace(/\?cursor=(.+)$/, (_, cursor) => `?${atob(cursor)}`);
  const hide = (href: string) => href.replace(/\?(.*)$/, (_, query) => `?cursor=${btoa(query)}`);
  const hides = shows(reads(isPage), ({ _link }) => {
    for (const rel of Object.keys(_link))
      if (rel !== 'self') _link[rel].href = hide(_link[rel].href);
  });
  return hides({ ...request, url }, sound);
};

/** Articles are where only their self leads. */
const entries: Fault = async (request, sound) => {
  const url = request.url.replace(/\/entry\?no=(\d+)$/, '/articles/$1');
  if (url === request.url && isArticle(request))
    return { status: 404, headers: {}, body: Buffer.alloc(0) };
  const answer = await sound({ ...request, url });
  const text = Buffer.from(answer.body).toString();
  return { ...answer, body: Buffer.from(text.replaceAll(/\/articles\/(\d+)"/g, '/entry?no=$1"')) };
};

it('a PUT that changes every article is told by 4.15, is the last change, and deletes none of theirs', async () => {
  const sound = await withArticles(4);
  const headers = { 'x-access-token': 'all', 'content-type': 'application/json' };
  let puts = 0;
  const run = await checkAll({
    anonymous: async (request) => {
      const answer = await sound(request);
      if (request.method !== 'PUT' || answer.status !== 200) return answer;
      puts += 1;
      for (const id of [1, 2, 3, 4])
        await sound({ ...request, url: `${checkedBlog}/articles/${id}`, headers });
      return answer;
    },
  });
  expect([brokenIn(run), puts, await articlesIn(sound)]).toEqual([['4.15'], 1, 4]);
  expect(outcomeOf(run, '4.15')).toMatchObject({ expected: 'no other article changed' });
  expect(run.left.map(({ url }) => url)).toContain(`${checkedBlog}/articles/1`);
});

it('a creation that fails where its title is there already breaks 4.12', async () => {
  const sound = await givenTransport();
  const titles = new Set<string>();
  const run = await checkAll({
    anonymous: async (request) => {
      const [, title = ''] =
        request.method === 'POST' ? (/"title":"([^"]*)"/.exec(String(request.body)) ?? []) : [];
      if (titles.has(title)) return { status: 409, headers: {}, body: Buffer.alloc(0) };
      if (title) titles.add(title);
      return sound(request);
    },
  });
  expect(brokenIn(run)).toEqual(['4.12']);
  expect(outcomeOf(run, '4.12')).toMatchObject({ expected: '201', got: '409' });
});

it('a deletion that takes another article along is told by 4.16, and is the last one', async () => {
  const sound = await withArticles(4);
  const headers = { 'x-access-token': 'all' };
  let taken = 0;
  const run = await checkAll({
    anonymous: async (request) => {
      const answer = await sound(request);
      if (request.method !== 'DELETE' || answer.status !== 204) return answer;
      await sound({ method: 'DELETE', url: `${checkedBlog}/articles/${(taken += 1)}`, headers });
      return answer;
    },
  });
  expect([brokenIn(run), taken]).toEqual([['4.16'], 1]);
  const got = `${checkedBlog}/articles/1 gone (410) with it`;
  expect(outcomeOf(run, '4.16')).toMatchObject({ got });
  expect(outcomeOf(run, '4.3')).toMatchObject({ what: '4.16 is broken, and it needs that' });
  // Theirs but for the first, and what it made beside the one that it deleted.
  expect([await articlesIn(sound), run.left.length]).toEqual([5, 2]);
  expect(new Set(run.left.map(({ reason }) => reason))).toEqual(
    new Set(['a deletion takes others along']),
  );
});

describe('a change that harms an article that was there before', () => {
  const headers = { 'x-access-token': 'all', 'content-type': 'application/json' };
  const at = (id: number | string) => `${checkedBlog}/articles/${id}`;
  const read = async (sound: Transport, url: string): Promise<Json> => {
    const { status, body } = await sound({ method: 'GET', url, headers: {} });
    return status === 200 ? JSON.parse(Buffer.from(body).toString()) : {};
  };
  const idOf = ({ url }: HttpRequest) => Number(url.split('/').at(-1));
  /** Gives its title to another article, from one of its creations on. */
  const titles = (id: number, from = 1): Fault => {
    let made = 0;
    return async (request, sound) => {
      const answer = await sound(request);
      if (request.method !== 'POST' || answer.status !== 201 || (made += 1) < from) return answer;
      const { title } = JSON.parse(String(request.body));
      const { content } = await read(sound, at(id));
      const body = JSON.stringify({ title, content });
      await sound({ method: 'PUT', url: at(id), headers, body });
      return answer;
    };
  };
  const takesAlong =
    (
      method: string,
      others: (request: HttpRequest, sound: Transport) => Promise<string[]>,
    ): Fault =>
    async (request, sound) => {
      const isOne = request.method === method && 'x-access-token' in request.headers;
      const urls = isOne ? await others(request, sound) : [];
      const answer = await sound(request);
      for (const url of answer.status < 300 ? urls : []) await sound({ ...request, url, headers });
      return answer;
    };
  const sameTitle = async (request: HttpRequest, sound: Transport) => {
    const { title } = await read(sound, request.url);
    const urls = Array.from({ length: 140 }, (_, index) => at(index + 1));
    const all = await Promise.all(urls.map(async (url) => [url, (await read(sound, url)).title]));
    return all.flatMap(([url, other]) => (title && title === other ? [url] : []));
  };

  it.each<[string, string, Fault]>([
    [
      '4.15',
      'puts into the one before too',
      takesAlong('PUT', async (asked) => [at(idOf(asked) - 1)]),
    ],
    [
      '4.15',
      'puts into the next one too',
      takesAlong('PUT', async (asked) => [at(idOf(asked) + 1)]),
    ],
    [
      '4.16',
      'deletes the one before too',
      takesAlong('DELETE', async (asked) => [at(idOf(asked) - 1)]),
    ],
    ['4.16', 'deletes all of that title', takesAlong('DELETE', sameTitle)],
  ])(
    'breaks %s, and is the last one, before anything of others is lost: it %s',
    async (number, _, fault) => {
      for (const theirs of [1, 21, 25, 130]) {
        const sound = await withArticles(theirs);
        const run = await checkAll({ anonymous: (request) => fault(request, sound) });
        expect(brokenIn(run)).toEqual([number]);
        for (let id = 1; id <= theirs; id += 1)
          expect(await read(sound, at(id))).toMatchObject({ title: `Theirs, ${id}`, content: '' });
        expect(run.left.length).toBe((await articlesIn(sound)) - theirs);
      }
    },
  );

  it.each([1, 25, 130])('as a POST breaks 4.12, and deletes none (%i)', async (theirs) => {
    const sound = await withArticles(theirs);
    const fault = titles(theirs);
    const run = await checkAll({ anonymous: (request) => fault(request, sound) });
    expect(brokenIn(run)).toEqual(['4.12']);
    const got = `${at(theirs)} changed with it`;
    expect(outcomeOf(run, '4.12')).toMatchObject({ expected: 'no other article changed', got });
    const reason = 'it was there before this run, and bears its title';
    expect(run.left).toEqual([{ url: at(theirs), reason }]);
    expect(await articlesIn(sound)).toBe(theirs);
  });

  const idsIn = async (sound: Transport) => {
    const page = await read(sound, `${checkedBlog}/articles?pageSize=100`);
    return page._embedded.map(({ id }: Json) => id);
  };
  /** Deletes the newest article where there is none to delete. */
  const newestInstead =
    (status: number): Fault =>
    async (request, sound) => {
      const answer = await sound(request);
      if (request.method !== 'DELETE' || answer.status !== status) return answer;
      await sound({ ...request, url: at((await idsIn(sound)).at(-1)) });
      return { ...answer, status: 204 };
    };

  it.each([
    [404, '7.6', undefined],
    [404, '7.6', ['4.4']],
    [410, '7.9', undefined],
  ] as const)(
    'as a DELETE of nothing (%i) breaks %s, and is the last one, before anything of others is lost (--only %j)',
    async (status, number, only) => {
      for (const theirs of [1, 25]) {
        const sound = await withArticles(theirs);
        const before = await idsIn(sound);
        const fault = newestInstead(status);
        const run = await checkAll({
          anonymous: (request) => fault(request, sound),
          ...(only && { only: new Set(only) }),
        });
        expect(brokenIn(run)).toEqual([number]);
        expect(await idsIn(sound)).toEqual(before);
        expect(run).toMatchObject({ left: [], unknown: [], missing: [] });
      }
    },
  );

  it('as a DELETE of all that has the same content finds nothing of others', async () => {
    const sound = await withArticles(25);
    const sameContent = takesAlong('DELETE', async (asked, whole) => {
      const { content } = await read(whole, asked.url);
      const { _embedded } = await read(whole, `${checkedBlog}/articles?pageSize=100`);
      return _embedded.flatMap((each: Json) =>
        each.content === content && at(each.id) !== asked.url ? [at(each.id)] : [],
      );
    });
    const run = await checkAll({ anonymous: (request) => sameContent(request, sound) });
    expect([await articlesIn(sound), run.missing, run.left]).toEqual([25, [], []]);
  });

  it('later on is named by what is missing afterwards', async () => {
    const sound = await withArticles(25);
    let deletions = 0;
    const run = await checkAll({
      anonymous: async (request) => {
        const answer = await sound(request);
        if (request.method === 'DELETE' && answer.status === 204 && (deletions += 1) === 3)
          await sound({ ...request, url: at(7), headers });
        return answer;
      },
    });
    const reason = 'it was there before this run, and is gone (410)';
    expect(run.missing).toEqual([{ url: at(7), reason }]);
    expect(restLines(run)).toEqual([`Gone: ${at(7)} (${reason})`]);
    const message = `What was there before this run is gone: ${at(7)}.`;
    expect(lossOf(run, checkedBlog)).toMatchObject({ code: 'rule-broken', message });
  });

  it('later on deletes none, and names it', async () => {
    const sound = await withArticles(25);
    const fault = titles(25, 5);
    const run = await checkAll({ anonymous: (request) => fault(request, sound) });
    const reason = 'it was there before this run, and bears its title';
    expect(run.left).toEqual([{ url: at(25), reason }]);
    expect(await articlesIn(sound)).toBe(25);
  });

  it('deletes none by a title alone, where the listing did not show it before', async () => {
    const sound = await withArticles(25);
    const fault = titles(25, 5);
    let isMade = false;
    const run = await checkAll({
      anonymous: async (request) => {
        isMade ||= request.method === 'POST';
        const isHidden = !isMade && request.method === 'GET' && isPage(request);
        return isHidden
          ? { status: 500, headers: {}, body: Buffer.alloc(0) }
          : fault(request, sound);
      },
    });
    const reason = 'it has a text that was not sent, and bears its title';
    expect(run.left).toEqual([{ url: at(25), reason }]);
    expect(await articlesIn(sound)).toBe(25);
  });
});

describe('what is left open of long texts and odd requests', () => {
  const refuses =
    (which: Which, status: number): Fault =>
    async (request, sound) => {
      const headers = { 'content-type': 'application/hal+json' };
      return which(request) ? { status, headers, body: Buffer.from('{}') } : sound(request);
    };
  it.each<[string, Fault]>([
    [
      'a title of 256 letters (422)',
      refuses(({ body }) => /"title":"[^"]{256}/.test(String(body)), 422),
    ],
    ['a body of 64 KiB (413)', refuses(({ body }) => String(body).length > 65_536, 413)],
    ['a body of 64 KiB (400)', refuses(({ body }) => String(body).length > 65_536, 400)],
    ['an id of letters (422)', refuses(({ body }) => String(body).includes('"id":"blogctl"'), 422)],
    [
      'a range of types (406)',
      refuses(({ headers }) => headers['accept'] === 'application/*', 406),
    ],
    ['a page beyond 32 bits (404)', refuses(({ url }) => url.endsWith('=3000000000'), 404)],
  ])('no rule is broken by who refuses %s', async (_name, fault) => {
    const sound = await withArticles(3);
    const run = await checkAll({ anonymous: (request) => fault(request, sound) });
    expect([brokenIn(run), run.left, await articlesIn(sound)]).toEqual([[], [], 3]);
  });

  it('a blog whose address has a name may have any id, and dates may stay within a second', async () => {
    const sound = await withArticles(3);
    const run = await checkAll({
      blogUrl: checkedBlog.replace('/blogs/1', '/blogs/notes'),
      anonymous: (request) => renames('/blogs/1', '/blogs/notes')(request, sound),
    });
    expect(brokenIn(run)).toEqual([]);
  });
});

describe('what is shown of a fault', () => {
  const told = async (fault: Fault, number: string, theirs = 5) => {
    const sound = await withArticles(theirs);
    const anonymous: Transport = (request) => fault(request, sound);
    return outcomeOf(await checkAll({ anonymous, token: undefined }), number);
  };

  it('names the article whose self is that of another, not the other one', async () => {
    const wrong = inListing((each) => {
      if (each.id === 3) each._links.self.href = each._links.self.href.replace(/3$/, '4');
    });
    expect(await told(wrong, '2.11')).toMatchObject({
      expected: 'for article 3 a self of its own',
      got: `${checkedBlog}/articles/4`,
    });
  });

  it('shows the template of comments as it came', async () => {
    const fault = shows(reads(isPage), ({ _embedded: [first, ...others] }) => {
      for (const each of others) each._links['doc:comments'] = first._links['doc:comments'];
    });
    expect(await told(fault, '2.13')).toMatchObject({
      got: `${checkedBlog}/articles/1/comments{?pageIndex,pageSize}, as of 1`,
    });
  });

  it('asks again for the page that shows another article than it should', async () => {
    const skips: Fault = (request, sound) =>
      sound({
        ...request,
        url: request.url.replace('pageIndex=2&pageSize=1', 'pageIndex=3&pageSize=1'),
      });
    const again = shows(reads(isPage), (page) => {
      if (page.pageIndex === 3 && page.pageSize === 1) page.pageIndex = 2;
    });
    expect(
      await told((request, sound) => again(request, (asked) => skips(asked, sound)), '4.2'),
    ).toMatchObject({
      reply: { request: { url: `${checkedBlog}/articles?pageIndex=2&pageSize=1` } },
      expected: 'article 2, number 2 of ?pageIndex=1&pageSize=2',
      got: '3',
    });
  });

  it('says of an empty blog that there is nothing to look at, without asking for page 0', async () => {
    const asked: string[] = [];
    const notes: Fault = (request, sound) => {
      asked.push(request.url);
      return sound(request);
    };
    expect(await told(notes, '4.8', 0)).toMatchObject({
      what: 'there was no article to look at; --write makes some',
    });
    expect(asked.filter((url) => url.endsWith('pageIndex=0&pageSize=1'))).toEqual([]);
  });

  it('judges no body that came with a refusal', async () => {
    const wantsToken = statusOf(reads(isArticle), 200, 401);
    const run = await checkAll({
      anonymous: (
        (sound) => (request: HttpRequest) =>
          wantsToken(request, sound)
      )(await withArticles(2)),
      token: undefined,
    });
    expect(brokenIn(run)).toEqual(['5.2']);
  });

  it('is none of a token that expires: the run ends', async () => {
    const sound = await withArticles(1);
    let puts = 0;
    const run = await checkAll({
      anonymous: async (request) => {
        const isChange = 'x-access-token' in request.headers && request.method === 'PUT';
        puts += isChange ? 1 : 0;
        return isChange && puts > 8
          ? {
              status: 401,
              headers: { 'content-type': 'application/hal+json' },
              body: Buffer.from('{}'),
            }
          : sound(request);
      },
    });
    expect([brokenIn(run), run.end?.error]).toMatchObject([
      [],
      { code: 'authentication-required' },
    ]);
  });
});

describe('what is left open, or a fault of another rule', () => {
  let views = 0;
  it.each<[string, Fault, readonly string[]]>([
    ['leads by cursors', cursors, []],
    [
      'counts the readers of an article in it',
      shows(
        (request) => isArticle(request) || isPage(request),
        (body) => {
          for (const each of body._embedded ?? [body])
            if (each.title) each.stats = { views: (views += 1) };
        },
      ),
      [],
    ],
    ['has articles at addresses of their own', entries, ['1.7', '4.12']],
  ])('of a service that %s', async (_name, fault, broken) => {
    const sound = await withArticles(3);
    const run = await checkAll({
      anonymous: (request) => fault(request, sound),
    });
    expect([brokenIn(run), run.left]).toEqual([broken, []]);
    expect(outcomeOf(run, '3.2')).toMatchObject({ outcome: 'held' });
    expect(await articlesIn(sound)).toBe(3);
  });
});

describe('what HTTP adds', () => {
  const isCased = ({ headers }: HttpRequest) =>
    /[A-Z]{5}/.test(`${headers['accept']}${headers['content-type']}`);

  it.each([
    [
      'takes types in capitals',
      async (request, sound) => sound(request),
      'types in capitals: 200, 201',
    ],
    [
      'takes types in small letters alone',
      async (request, sound) => {
        const status = request.method === 'GET' ? 406 : 400;
        const headers = { 'content-type': 'application/hal+json' };
        return isCased(request) ? { status, headers, body: Buffer.from('{}') } : sound(request);
      },
      'types in capitals: 406, 400',
    ],
    [
      'names another article as the place of the new one',
      answers(by('POST'), ({ headers }) =>
        headers['location']
          ? { headers: { ...headers, location: `${checkedBlog}/articles/2` } }
          : {},
      ),
      'Location on 201: not to the new article',
    ],
    [
      'knows keys',
      async (request, sound) => sound(request),
      'the same Idempotency-Key twice: one article',
    ],
    [
      'announces keys and ignores them',
      ignores(() => true, 'idempotency-key'),
      'the same Idempotency-Key twice: two articles',
    ],
    [
      'knows no keys',
      answers(isBlog, ({ headers: { 'accept-idempotency': _none, ...headers } }) => ({ headers })),
      'Idempotency-Key: not announced',
    ],
  ] satisfies [string, Fault, string][])('of a service that %s', async (_name, fault, what) => {
    const sound = await givenTransport();
    const run = await checkAll({ anonymous: (request) => fault(request, sound) });
    expect(brokenIn(run)).toEqual([]);
    expect(outcomeOf(run, '4.20')).toMatchObject({ what: expect.stringContaining(what) });
    expect(run.left).toEqual([]);
  });
});

describe('an answer that is no blog', () => {
  it.each([
    [{ 'content-encoding': 'gzip' }, 'x', 'gzip, which was not asked for'],
    [{}, '['.repeat(100_000), 'JSON of more than 64 levels'],
    [{}, '', 'nothing'],
    [{}, Buffer.from([0x7b, 0xff]), 'what is not UTF-8'],
    [{}, '[1]', 'no JSON object'],
  ])('says what it is: %j', async (more, text, said) => {
    const headers = { 'content-type': 'application/hal+json', ...more };
    const anonymous: Transport = async () => ({ status: 200, headers, body: Buffer.from(text) });
    await expect(checkAll({ anonymous })).rejects.toMatchObject({
      message: `What answers at ${checkedBlog} is no blog: labelled application/hal+json, and ${said}.`,
    });
  });
});

it('what takes a second token is told, and what of 5.4 was tried where that was', async () => {
  const sound = await givenTransport();
  const said = async (token: string | undefined) => {
    const run = await checkAll({ anonymous: sound, token });
    return ['5.4', '7.5'].map((number) => outcomeOf(run, number));
  };
  const what = `takes a token of fewer rights: run blogctl check ${checkedBlog} --write --only 7.5 with one in BLOGCTL_TOKEN`;
  const skipped = { outcome: 'skipped', what };
  expect(await said(undefined)).toMatchObject([{ what: 'needs --write' }, skipped]);
  const part = { outcome: 'held', what: 'only the 401 was tried, see 7.5' };
  expect(await said('all')).toMatchObject([part, skipped]);
});

it('a status that the interface does not have is told with the one that it has for it', async () => {
  const sound = await givenTransport();
  const anonymous: Transport = async (request) => {
    const answer = await sound(request);
    return request.method === 'PATCH' ? { ...answer, status: 405 } : answer;
  };
  expect(outcomeOf(await checkAll({ anonymous }), '7.3')).toMatchObject({
    outcome: 'broken',
    expected: expect.stringMatching(/^400: 405 is no status of the interface \(section 7\), which/),
    got: '405',
  });
});

it('texts that look alike are told apart', async () => {
  const sound = await givenTransport();
  const anonymous: Transport = ({ body, ...request }) =>
    sound(body === undefined ? request : { ...request, body: String(body).normalize('NFC') });
  const run = await checkAll({ anonymous, only: new Set(['3.2'] as const) });
  expect(outcomeOf(run, '3.2')).toMatchObject({
    expected: expect.stringContaining(String.raw`\ne\u0301\n`),
    got: expect.stringContaining(String.raw`\né\n`),
  });
});

it('an id that is given again after a deletion is told as that', async () => {
  const sound = await givenTransport();
  let [deleted, next] = ['', ''];
  /** The article that comes after the first deletion is shown by the id that was deleted. */
  const anonymous: Transport = async (request) => {
    const isOfIt = next !== '' && request.url.endsWith(`/articles/${deleted}`);
    const url = isOfIt ? request.url.replace(/\d+$/, next) : request.url;
    const answer = await sound({ ...request, url });
    const text = Buffer.from(answer.body).toString();
    if (request.method === 'DELETE' && answer.status === 204)
      deleted ||= /\d+$/.exec(url)?.[0] ?? '';
    if (request.method === 'POST' && deleted !== '') next ||= /"id":(\d+)/.exec(text)?.[1] ?? '';
    if (next === '') return answer;
    const ofNext = new RegExp(`("id":|/articles/)${next}(?!\\d)`, 'g');
    const shown = (words: string) => words.replaceAll(ofNext, `$1${deleted}`);
    const { location = '', ...headers } = answer.headers;
    const named = location === '' ? headers : { ...headers, location: shown(location) };
    return { ...answer, headers: named, body: Buffer.from(shown(text)) };
  };
  const run = await checkAll({ anonymous, only: new Set(['7.9'] as const) });
  const got = '200, as a new article was given its id since';
  expect(outcomeOf(run, '7.9')).toMatchObject({ outcome: 'broken', expected: '410', got });
});

it('a validator that is none is told before what comes of it', async () => {
  const sound = await givenTransport();
  const iso = (text: string) => new Date(text).toISOString();
  const anonymous: Transport = async (request) => {
    const since = request.headers['if-unmodified-since'];
    if (since?.endsWith('Z')) return { status: 412, headers: {}, body: new Uint8Array() };
    const answer = await sound(request);
    const { 'last-modified': given } = answer.headers;
    if (given === undefined) return answer;
    return { ...answer, headers: { ...answer.headers, 'last-modified': iso(given) } };
  };
  const run = await checkAll({ anonymous, only: new Set(['4.8'] as const) });
  expect(outcomeOf(run, '4.8')).toMatchObject({
    outcome: 'broken',
    expected: 'Last-Modified as HTTP has it',
    got: expect.stringContaining('; PUT with if-unmodified-since too: expected the change'),
  });
});

describe('a token of fewer rights', () => {
  const withRights = (rights: readonly ('create' | 'update' | 'delete')[]) =>
    givenTransport(() => ({ tokens: () => ({ name: 'some', rights }) }));

  it.each([
    [[], 'DELETE'],
    [['create'], 'DELETE'],
    [['delete'], 'POST'],
    [['create', 'delete'], 'PUT'],
  ] as const)('that allows %j alone shows that 7.5 holds', async (rights, method) => {
    const anonymous = await withRights(rights);
    const told = { outcome: 'held', what: `only ${method} was tried` };
    const all = await checkAll({ anonymous });
    expect(outcomeOf(all, '7.5')).toMatchObject(told);
    expect(all.end?.error).toMatchObject({ code: 'forbidden' });
    const alone = await checkAll({ anonymous, only: new Set(['7.5'] as const) });
    expect(alone).toMatchObject({ results: [told] });
    expect(alone.end).toBeUndefined();
  });

  it.each([
    [['create', 'delete'], 'broken'],
    [[], 'skipped'],
  ] as const)('that allows %j alone and is answered 401 makes 7.5 %s', async (rights, outcome) => {
    const sound = await withRights(rights);
    const anonymous: Transport = async (request) => {
      const answer = await sound(request);
      return answer.status === 403 ? { ...answer, status: 401 } : answer;
    };
    const run = await checkAll({ anonymous, only: new Set(['7.5'] as const) });
    expect(outcomeOf(run, '7.5')).toMatchObject({ outcome });
    expect(run.end === undefined).toBe(outcome === 'broken');
  });
});

it('what is labelled JSON and is none is told so', async () => {
  const sound = await givenTransport();
  const cut = answers(isBlog, ({ body }) => ({ body: Buffer.from(body).subarray(1) }));
  await expect(checkAll({ anonymous: (request) => cut(request, sound) })).rejects.toMatchObject({
    message: `What answers at ${checkedBlog} is no blog: labelled application/hal+json, and no JSON object.`,
  });
});

it('a change without effect is told with its line, the read after it and names of members', async () => {
  const sound = await givenTransport();
  const forgets: Fault = async (request, asked) => {
    const isSecond = String(request.body).includes('Replaced again');
    return asked(
      isSecond
        ? { ...request, body: String(request.body).replace('Replaced again', 'Replaced') }
        : request,
    );
  };
  const run = await checkAll({ anonymous: (request) => forgets(request, sound) });
  const about = {
    blog: checkedBlog,
    version: '1',
    at: '',
    wrote: true,
    ms: 0,
    known: new Set<never>(),
  };
  const [told] = brokenOf(reportOf(run, about));
  expect(told).toMatchObject({
    number: '4.3',
    request: expect.stringMatching(
      /^curl -i -X PUT .*--data-raw '\{"id":<other-id>,"title":.*\}' '.*<id>' && curl -i -H 'Accept: [^']+' '.*<id>'$/,
    ),
    expected: expect.stringMatching(
      /^id: \d+, title: "blogctl check test .*, again", content: "Repl.* again /,
    ),
    got: expect.stringMatching(
      /^id: \d+, title: "blogctl check test .*, again", content: "Replaced  /,
    ),
  });
});

describe('what is missing and shown with 200', () => {
  const ofPlainJson: Fault = async (request, sound) => {
    const answer = await sound(request);
    const headers = { ...answer.headers, 'content-type': 'application/json' };
    return answer.status === 404
      ? { status: 200, headers, body: Buffer.from('null') }
      : { ...answer, headers };
  };

  it.each([undefined, ['1.2'], ['7.6']] satisfies (SentenceNumber[] | undefined)[])(
    'hides neither itself nor a wrong label (--only %j)',
    async (only) => {
      const sound = await givenTransport();
      const anonymous: Transport = (request) => ofPlainJson(request, sound);
      const run = await checkAll({
        anonymous,
        token: undefined,
        ...(only && { only: new Set(only) }),
      });
      expect(brokenIn(run)).toEqual(only ?? ['1.2', '7.6']);
      if (only?.[0] === '1.2') return;
      expect(outcomeOf(run, '7.6')).toMatchObject({ expected: '404', got: '200 null' });
    },
  );

  it.each([hangsUp, leadsAway])(
    'or not at all keeps no label from being judged (%s)',
    async (fault) => {
      const sound = await givenTransport();
      const isWrong = reads(isBlog);
      const anonymous: Transport = (request) =>
        fault(isNothing)(request, (asked) =>
          isWrong(asked) ? ofPlainJson(asked, sound) : sound(asked),
        );
      const run = await checkAll({ anonymous, token: undefined });
      expect(brokenIn(run)).toEqual(['1.2', '7.6']);
    },
  );
});

describe('a service that dies in the middle', () => {
  it('is judged by what it answered until then', async () => {
    const sound = await givenTransport();
    let isDead = false;
    const anonymous: Transport = (request) => {
      isDead ||= String(request.body).endsWith(':');
      return hangsUp(() => isDead)(request, sound);
    };
    const run = await checkAll({ anonymous });
    expect(run.end).toMatchObject({ at: '7.20' });
    const told = (...numbers: readonly string[]) =>
      numbers.map((number) => outcomeOf(run, number)?.outcome);
    expect(told('1.2', '1.6', '9.1', '9.2', '9.3')).toEqual([
      'held',
      'held',
      'held',
      'note',
      'held',
    ]);
    expect(outcomeOf(run, '7.3')).toMatchObject({ outcome: 'skipped', what: 'stopped before it' });
  });
});

describe('a change that is never answered', () => {
  const bears = ({ headers }: HttpRequest) => 'x-access-token' in headers;
  const isChange =
    (method: string): Which =>
    (request) =>
      request.method === method && bears(request) && !isNothing(request);
  const faulty = async (which: Which, fault: (which: Which) => Fault, from = 1) => {
    const sound = await givenTransport();
    let asked = 0;
    const anonymous: Transport = (request) => {
      asked += which(request) ? 1 : 0;
      return fault((each) => which(each) && asked >= from)(request, sound);
    };
    const run = await checkAll({ anonymous });
    expect(run.requests).toBeLessThan(410);
    return { run, articles: await articlesIn(sound) };
  };

  describe.each([
    ['POST', '4.12', 3, '4.1'],
    ['POST', '4.12', 1, '4.1'],
    ['PUT', '4.15', 1, '4.5'],
    ['DELETE', '4.16', 1, '7.9'],
  ])('as a %s is told by %s alone, from number %i on', (method, number, from, other) => {
    it.each([
      ['is not done', hangsUp],
      ['leads elsewhere', leadsAway],
      ['is done all the same', losesAnswers],
    ])('where it %s', async (_name, fault) => {
      const { run, articles } = await faulty(isChange(method), fault, from);
      expect(brokenIn(run)).toEqual([number]);
      const [place] = method === 'DELETE' && fault !== losesAnswers ? run.left : [];
      expect(articles > 0).toBe(place !== undefined);
      expect(outcomeOf(run, number)).toMatchObject({ expected: 'an answer' });
      expect(outcomeOf(run, other)).toMatchObject({
        outcome: 'skipped',
        what: `${number} is broken, and it needs that`,
      });
    });
  });
});

describe('a link to another origin', () => {
  const elsewhere = (href: string) => href.replace('http://localhost:4000', 'https://evil.example');
  const comments = shows(isArticle, ({ _links }) => {
    _links['doc:comments'].href = elsewhere(_links['doc:comments'].href);
  });

  it.each([
    ['firstPage', '2.21', nav('firstPage', elsewhere)],
    ['previousPage', '2.22', nav('previousPage', elsewhere)],
    ['self', '2.23', nav('self', elsewhere)],
    ['nextPage', '2.24', nav('nextPage', elsewhere)],
    ['lastPage', '2.25', nav('lastPage', elsewhere)],
    ['doc:comments', '2.13', comments],
  ] as const)('is broken as %s, unless that origin is allowed', async (_rel, number, fault) => {
    const sound = await givenTransport();
    const isThere = ({ url }: HttpRequest) => url.startsWith('https://evil.example/');
    const refuses: Transport = async (request) => {
      if (!isThere(request)) return fault(request, sound);
      const hint = 'Tell its operator; --allow-origin https://evil.example goes there.';
      throw new BlogctlError('broken-contract', 'A link leads elsewhere.', { hint });
    };
    const run = await checkAll({ anonymous: refuses });
    expect(brokenIn(run)).toEqual([number]);
    expect(outcomeOf(run, number)).toMatchObject({
      expected: 'a link to http://localhost:4000',
      reply: { request: { url: expect.stringMatching(/^http:\/\/localhost:4000/) } },
      got: expect.stringMatching(
        /^https:\/\/evil.example\S+, where --allow-origin https:\/\/evil.example goes$/,
      ),
    });
    const tokens: (string | undefined)[] = [];
    const allowed: Transport = async (request) => {
      if (!isThere(request)) return fault(request, sound);
      tokens.push(request.headers['x-access-token']);
      return sound({
        ...request,
        url: request.url.replace('https://evil.example', 'http://localhost:4000'),
      });
    };
    expect(brokenIn(await checkAll({ anonymous: allowed }))).toEqual([]);
    expect(new Set(tokens)).toEqual(new Set([undefined]));
  });
});

it.each([
  ['every third one', '{', 3],
  ['the first one of many signs', '二行', 99],
] as const)(
  'a creation whose answer is lost breaks 4.12 alone, and what needs it is skipped: %s',
  async (_name, words, every) => {
    const sound = await givenTransport();
    let asked = every === 3 ? 0 : every - 1;
    const isLost = ({ method, headers, body }: HttpRequest) => {
      const isOne =
        method === 'POST' && 'x-access-token' in headers && String(body).includes(words);
      asked += isOne ? 1 : 0;
      return isOne && asked % every === 0;
    };
    const anonymous: Transport = (request) => losesAnswers(isLost)(request, sound);
    const run = await checkAll({ anonymous });
    expect(brokenIn(run).filter((number) => /^[1-4]/.test(number))).toEqual(['4.12']);
    const reply = { request: { method: 'POST' } };
    expect(outcomeOf(run, '4.12')).toMatchObject({ reply, expected: 'an answer' });
    const skipped = run.results.flatMap((each) => ('what' in each ? [each.what] : []));
    expect(skipped).toContain('4.12 is broken, and it needs that');
    expect(await articlesIn(sound)).toBe(0);
  },
);

describe('a listing that never shows what is new', () => {
  const hides = (count: number) =>
    shows(reads(isPage), (page) => {
      page._embedded = page._embedded.filter(({ id }: Json) => id <= count);
      page.totalArticles = count;
      page.totalPages = Math.ceil(count / page.pageSize);
    });

  it.each([0, 1, 3])('breaks 2.18, and what is left is not known (%i others)', async (theirs) => {
    const sound = await withArticles(theirs);
    const run = await checkAll({ anonymous: (request) => hides(theirs)(request, sound) });
    expect(outcomeOf(run, '2.18')).toMatchObject({
      outcome: 'broken',
      reply: { request: { method: 'GET' }, after: { request: { method: 'POST' } } },
      expected: 'all 3 new articles',
      got: '0',
    });
    expect({ left: run.left, unknown: run.unknown }).toEqual({
      left: [],
      unknown: [{ url: `${checkedBlog}/articles`, reason: 'it does not show what was made' }],
    });
    expect(await articlesIn(sound)).toBe(theirs);
  });
});

it('tags that are weak and that If-Match takes none of leave 4.9 open, and hide no fault of it', async () => {
  const sound = await givenTransport();
  const isTagged = answers(
    () => true,
    ({ headers }) =>
      headers['etag'] ? { headers: { ...headers, etag: `W/${headers['etag']}` } } : {},
  );
  const run = await checkAll({ anonymous: (request) => isTagged(request, sound) });
  expect(brokenIn(run)).toEqual([]);
  const what = expect.stringMatching(/^its tags are weak, .*\(RFC 9110, 13\.1\.1\)$/);
  expect(outcomeOf(run, '4.9')).toMatchObject({ outcome: 'skipped', what });
  expect(outcomeOf(run, '4.10')).toMatchObject({ outcome: 'held', what });
  const deletes = ignores(by('DELETE'), 'if-match');
  const anonymous: Transport = (request) => isTagged(request, (asked) => deletes(asked, sound));
  expect(brokenIn(await checkAll({ anonymous }))).toEqual(['4.9']);
});

describe('an article that is never read', () => {
  it.each([hangsUp, leadsAway])(
    'is told by 4.13 alone, whoever asks for it (%s)',
    async (fault) => {
      const sound = await withArticles(1);
      const anonymous: Transport = (request) => fault(reads(isArticle))(request, sound);
      const run = await checkAll({ anonymous, token: undefined });
      expect(brokenIn(run)).toEqual(['4.13', '7.6']);
      expect(run.requests).toBeLessThan(410);
    },
  );
});

it('does not send again what was waited for long without an answer', async () => {
  const sound = await givenTransport();
  const asked: string[] = [];
  const anonymous: Transport = async (request) => {
    asked.push(request.url);
    if (!isPage(request)) return sound(request);
    await pause(1100);
    throw new BlogctlError('unreachable', 'No answer in time.', { retryable: true });
  };
  const run = await checkAll({ anonymous, token: undefined, only: new Set(['4.14', '2.19']) });
  expect(brokenIn(run)).toEqual(['4.14']);
  expect(asked.filter((url) => url.includes('/articles'))).toHaveLength(1);
});

it('waits no third time for what was not answered twice', async () => {
  const sound = await givenTransport();
  let asked = 0;
  const anonymous: Transport = async (request) => {
    if (request.method !== 'PUT') return sound(request);
    asked += 1;
    await pause(1100);
    throw new BlogctlError('unreachable', 'No answer in time.', { retryable: true });
  };
  expect(brokenIn(await checkAll({ anonymous }))).toEqual(['4.15']);
  expect(asked).toBe(2);
});

it.each(['PUT', 'DELETE'])(
  'a token that does not allow %s ends the run; nothing is left',
  async (method) => {
    const sound = await givenTransport();
    const anonymous: Transport = async (request) => {
      const isAllowed =
        request.method !== method || request.headers['x-access-token'] === undefined;
      if (isAllowed) return sound(request);
      return {
        status: 403,
        headers: { 'content-type': 'application/hal+json' },
        body: Buffer.alloc(0),
      };
    };
    const { end, left } = await checkAll({ anonymous });
    expect({ end, left }).toMatchObject({ end: { error: { code: 'forbidden' } }, left: [] });
    expect(await articlesIn(sound)).toBe(0);
  },
);

describe('an article that is still there after the run', () => {
  const left = async (fault: Fault, theirs = 0) => {
    const sound = shownUnasked(2, await withArticles(theirs));
    const anonymous: Transport = (request) => fault(request, sound);
    const run = await checkAll({ anonymous });
    return {
      broken: brokenIn(run),
      told: run.left,
      unknown: run.unknown,
      articles: (await articlesIn(sound)) - theirs,
      there: async (url: string) => (await sound({ method: 'GET', url, headers: {} })).status,
    };
  };

  const bears = ({ headers }: HttpRequest) => 'x-access-token' in headers;

  it.each([200, 204, 404])(
    'is told where DELETE answers %i and deletes nothing',
    async (status) => {
      const { told, articles } = await left(async (request, sound) => {
        const isDeletion = request.method === 'DELETE' && bears(request);
        return isDeletion ? { status, headers: {}, body: Buffer.alloc(0) } : sound(request);
      });
      expect(articles).toBeGreaterThan(0);
      expect(new Set(told.map(({ url }) => url)).size).toBe(articles);
      const reason = `DELETE: ${status}, and it is still there`;
      expect(told.filter((each) => each.reason !== reason)).toEqual([]);
    },
  );

  it.each([
    ['self', []],
    ['self and id', [`${checkedBlog}/articles`]],
  ])('is named by no address of others, whatever %s the listing gives it', async (what, seen) => {
    const before = (id: number) => (id === 1 ? 2 : id - 1);
    const shifted = shows(reads(isPage), ({ _embedded }) => {
      for (const each of _embedded) {
        each._links.self.href = each._links.self.href.replace(/\d+$/, String(before(each.id)));
        if (what !== 'self') each.id = before(each.id);
      }
    });
    const { told, unknown, articles } = await left(async (request, sound) => {
      const isDeletion = request.method === 'DELETE' && bears(request);
      return isDeletion
        ? { status: 204, headers: {}, body: Buffer.alloc(0) }
        : shifted(request, sound);
    }, 2);
    expect(articles).toBeGreaterThan(0);
    const theirs = [1, 2].map((id) => `${checkedBlog}/articles/${id}`);
    expect(told.filter(({ url }) => theirs.includes(url))).toEqual([]);
    expect(new Set(told.map(({ url }) => url)).size).toBe(articles);
    expect(unknown.map(({ url }) => url)).toEqual(seen);
  });

  const isDeletion = (request: HttpRequest) => request.method === 'DELETE' && bears(request);

  it.each([
    ['leads every deletion elsewhere', leadsAway(isDeletion)],
    ['hangs up on every deletion', hangsUp(isDeletion)],
  ])('is told as left where a service %s', async (_name, fault) => {
    const { told, unknown, articles } = await left(fault, 2);
    expect(articles).toBeGreaterThan(3);
    expect(new Set(told.map(({ url }) => url)).size).toBe(articles);
    expect(unknown).toEqual([]);
  });

  it('is none where every deletion is done and not answered', async () => {
    const { told, unknown, articles } = await left(losesAnswers(isDeletion), 2);
    expect({ told, unknown, articles }).toEqual({ told: [], unknown: [], articles: 0 });
  });

  it('is one alone where its deletion leads elsewhere, and those of all others do not', async () => {
    let first = '';
    const { told, unknown, articles } = await left((request, sound) => {
      if (first === '' && isDeletion(request) && isArticle(request) && !isNothing(request))
        first = request.url;
      return leadsAway((each) => isDeletion(each) && each.url === first)(request, sound);
    });
    expect(told.map(({ url }) => url)).toEqual([first]);
    expect({ unknown, articles }).toEqual({ unknown: [], articles: 1 });
  });

  it.each(['self', 'listing'])('is deleted where a PUT moved it, as its %s tells', async (how) => {
    let moved = '';
    const { told, articles } = await left(async (request, sound) => {
      const isMove = by('PUT')(request) && idSent(request.body) !== undefined;
      if (isMove) {
        const made = await sound({ ...request, method: 'POST', url: `${checkedBlog}/articles` });
        await sound({ method: 'DELETE', url: request.url, headers: request.headers });
        moved = JSON.parse(Buffer.from(made.body).toString())._links.self.href;
        return { ...made, status: 200, ...(how === 'listing' && { body: Buffer.alloc(0) }) };
      }
      const isHidden = how === 'self' && moved !== '' && isPage(request);
      return isHidden ? { status: 500, headers: {}, body: Buffer.alloc(0) } : sound(request);
    });
    expect(moved).not.toBe('');
    expect({ told, articles }).toEqual({ told: [], articles: 0 });
  });

  it('is none where what was deleted is not answered for', async () => {
    const gone = new Set<string>();
    const found = await left(async (request, sound) => {
      if (request.method === 'DELETE' && bears(request)) gone.add(request.url);
      const isDeaf = request.method === 'GET' && gone.has(request.url);
      return isDeaf ? hangsUp(() => true)(request, sound) : sound(request);
    });
    expect(found).toMatchObject({ told: [], articles: 0 });
  });

  const isCreation = (request: HttpRequest) => request.method === 'POST' && bears(request);
  const offByOne = (_: string, place: string, id: string) => `"self":${place}/${Number(id) + 1}"`;

  it.each([
    ['is never shown by itself', answers(reads(isArticle), () => ({ status: 404 }))],
    ['is made by a request that fails', answers(isCreation, () => ({ status: 500 }))],
    [
      'is made so, and is on no large page',
      async (request, sound) => {
        const answer = await sound({
          ...request,
          url: request.url.replace('pageSize=100', 'pageIndex=99'),
        });
        return isCreation(request) ? { ...answer, status: 500 } : answer;
      },
    ],
    [
      'is made twice',
      async (request, sound) => {
        if (isCreation(request)) await sound(request);
        return sound(request);
      },
    ],
    [
      'names the next one as its self',
      async (request, sound) => {
        const answer = await sound(request);
        const text = Buffer.from(answer.body).toString();
        const self = /"self":(\{"href":"[^"]*\/articles)\/(\d+)"/g;
        return { ...answer, body: Buffer.from(text.replaceAll(self, offByOne)) };
      },
    ],
  ] satisfies [string, Fault][])('is deleted, though it %s', async (_name, fault) => {
    for (const theirs of [7, 12]) {
      const { told, unknown, articles } = await left(fault, theirs);
      expect({ told, unknown, articles }).toEqual({ told: [], unknown: [], articles: 0 });
    }
  });

  const asLatin = ({ body }: HttpResponse) => ({
    body: Buffer.from(Buffer.from(body).toString(), 'latin1'),
  });
  const unescaped = ({ body }: HttpResponse) => ({
    body: Buffer.from(Buffer.from(body).toString().replaceAll('\\"', '"')),
  });
  const asUtf16 = ({ body }: HttpResponse) => ({
    body: Buffer.from(Buffer.from(body).toString(), 'utf16le'),
  });
  const withoutPlace = (answer: HttpResponse) => {
    const { location: _place, ...headers } = answer.headers;
    return { ...unescaped(answer), headers };
  };

  it.each([
    ['leaves quotes as they are', 0, unescaped],
    ['answers in Latin-1', 0, asLatin],
    ['answers in UTF-16', 2, asUtf16],
  ])('is deleted by its Location, though a service %s', async (_name, theirs, change) => {
    const fault = answers((request) => !isBlog(request), change);
    const { told, unknown, articles } = await left(fault, theirs);
    expect({ told, articles }).toEqual({ told: [], articles: 0 });
    const reason = 'GET: 200, and what came cannot be read';
    expect(unknown).toEqual(theirs > 0 ? [{ url: `${checkedBlog}/articles`, reason }] : []);
  });

  it('is told as one that may be there, where neither its place nor the listing can be read', async () => {
    const fault = answers((request) => !isBlog(request), withoutPlace);
    const { told, unknown, articles } = await left(fault);
    expect(articles).toBeGreaterThan(0);
    const reason = 'GET: 200, and what came cannot be read';
    expect({ told, unknown }).toEqual({
      told: [],
      unknown: [{ url: `${checkedBlog}/articles`, reason }],
    });
  });

  it('is none that a Location names, where what is there is of others', async () => {
    const fault: Fault = async (request, sound) => {
      const answer = await sound(request);
      if (!isCreation(request) || answer.status !== 201) return answer;
      const headers = { ...answer.headers, location: `${checkedBlog}/articles/1` };
      return { ...answer, headers, body: Buffer.from('made') };
    };
    const { told, unknown, articles, there } = await left(fault, 2);
    expect({ told, unknown, articles }).toEqual({ told: [], unknown: [], articles: 0 });
    expect(await there(`${checkedBlog}/articles/1`)).toBe(200);
  });

  it.each([41, 61, 81])(
    'is told apart from what is gone, where request %i and all others are refused',
    async (from) => {
      let asked = 0;
      const found = await left(async (request, sound) => {
        asked += 1;
        return asked < from ? sound(request) : { status: 401, headers: {}, body: Buffer.alloc(0) };
      }, 7);
      for (const { url, reason } of found.told) {
        expect({ url, reason, status: await found.there(url) }).toEqual({
          url,
          reason: 'DELETE: 401',
          status: 200,
        });
      }
      const unknown = found.unknown.filter(({ url }) => /\d$/.test(url));
      expect(found.told.length + unknown.length).toBe(found.articles);
      expect(found.unknown.length).toBe(unknown.length + 1);
    },
  );

  it('is named where a POST that was refused made one without our words', async () => {
    const nameless = shows(reads(isPage), ({ _embedded }) => {
      for (const each of _embedded) if (each.title === 'Lost') each.title = '';
    });
    const drops = takes(by('POST'), async (body) => {
      if (body.title === null) body.content = '';
    });
    const makes: Fault = (request, sound) =>
      drops(request, (asked) => makesNonsense('')(asked, sound));
    const { broken, told, unknown, articles } = await left(
      (request, sound) => nameless(request, (asked) => makes(asked, sound)),
      2,
    );
    // It may be of somebody else, so it proves nothing.
    expect({ broken, told, articles }).toEqual({ broken: [], told: [], articles: 1 });
    expect(unknown).toMatchObject([{ reason: 'it came with a POST that was answered 422' }]);
  });

  it('is none where every refusal is 400', async () => {
    const isRefusal = (status: number) => status >= 400 && status < 500;
    const fault = answers(
      () => true,
      ({ status }) => (isRefusal(status) ? { status: 400 } : {}),
    );
    const { told, unknown, articles } = await left(fault, 7);
    expect({ told, unknown, articles }).toEqual({ told: [], unknown: [], articles: 0 });
  });

  it('is not sought in all of a long listing, which is said', async () => {
    const short: Fault = (request, sound) =>
      sound({
        ...request,
        url: request.url
          .replace('pageSize=100&', 'pageSize=1&')
          .replace(/pageSize=100$/, 'pageSize=1'),
      });
    const { told, unknown, articles } = await left(short, 50);
    expect({ told, articles }).toEqual({ told: [], articles: 0 });
    expect(unknown).toEqual([
      { url: `${checkedBlog}/articles`, reason: 'it shows 30 of the 50 articles that it counts' },
    ]);
  });
});
