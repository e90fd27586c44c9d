import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  constant,
  constantFrom,
  nat,
  oneof,
  record,
  tuple,
} from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createFieldLines,
  headersOf,
  type Request,
  type Response,
} from '../../../server/http/message.ts';
import { withOrigins } from '../../../server/app.ts';
import { fieldsOfReads, withResponseCache } from '../../../server/http/response-cache.ts';
import { wholeOf } from '../../../server/representations/representation.ts';
import { subjectOf } from '../../../server/running/service.ts';
import { api, articles, givenArticles, givenService } from '../../support/service.ts';

const lines = ['Host', 'localhost', 'X-Access-Token', 'all', 'Content-Type', 'application/json'];

function request(method: string, target: string, more: readonly string[] = []): Request {
  const all = [...lines, ...more];
  const names = all.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const headers = Object.fromEntries(names.map((name, at) => [name, all[at * 2 + 1] ?? '']));
  const body = async () => Buffer.from('{"title":"New","content":"C"}');
  return { method, target, headers, lines: all, peer: '', body };
}

async function given() {
  const service = await givenService();
  await givenArticles(service, 2);
  let asked = 0;
  const counted = (sent: Request) => {
    asked += 1;
    return service.app(sent);
  };
  const app = withResponseCache(counted, {
    subjectOf,
    version: (subject) => Number(service.store.version(subject)),
  });
  return { app, counted, asked: () => asked };
}

/** A store whose version takes time to ask for, and whose answers tell it. */
async function givenTold() {
  const { counted, asked } = await given();
  const versions = { now: 1, asked: 0, fails: false };
  const told = async (sent: Request) => ({ ...(await counted(sent)), version: versions.now });
  const version = async () => {
    versions.asked += 1;
    if (versions.fails) throw new Error('no database');
    return versions.now;
  };
  return { app: withResponseCache(told, { subjectOf, version }), asked, versions };
}

const reads = ['/', `${api}/blogs/1`, articles, `${articles}/1`, `${articles}/1/comments`];
/** Looked up by every request, and heard by those that change something alone. */
const unheard = ['x-access-token'];

describe('a cached response', () => {
  it('answers at once and with the same answer, until something changed', async () => {
    const { app, asked } = await given();
    const read = request('GET', `${articles}/1`);
    const first = await app(read);
    expect(app(read)).toBe(first);
    expect(asked()).toBe(1);
    await app(request('PUT', `${articles}/1`));
    const again = app(read);
    expect(again).toBeInstanceOf(Promise);
    expect(Buffer.from((await again).body).toString()).toContain('"title":"New"');
  });

  it('is left to the app where the version cannot be read', async () => {
    const { app, asked, versions } = await givenTold();
    const read = request('GET', `${articles}/1`);
    await app(read);
    versions.fails = true;
    for (const _ of [1, 2, 3]) expect((await app(read)).status).toBe(200);
    expect([versions.asked, asked()]).toEqual([4, 4]);
  });

  it('whose version is asked for is kept with the version that it told', async () => {
    const { app, asked, versions } = await givenTold();
    const read = request('GET', `${articles}/1`);
    const first = await app(read);
    expect(await app(read)).toBe(first);
    expect([versions.asked, asked()]).toEqual([2, 1]);
    versions.now += 1;
    const second = await app(read);
    expect(second).not.toBe(first);
    // The change came behind what was read: what is kept must not be taken for newer than it is.
    versions.now += 1;
    expect(await app(read)).not.toBe(second);
    expect([versions.asked, asked()]).toEqual([4, 3]);
  });

  it('is not asked about, nor kept, where the target is asked for once', async () => {
    const { app, asked, versions } = await givenTold();
    await app(request('GET', articles));
    const read = request('GET', `${articles}/1`);
    for (const _ of [1, 2]) await app(read);
    expect([versions.asked, asked()]).toEqual([1, 3]);
    await app(read);
    expect([versions.asked, asked()]).toEqual([2, 3]);
  });

  it('of an article outlives a change of another, that of a page does not', async () => {
    const { app } = await given();
    const [article, page] = [request('GET', `${articles}/1`), request('GET', articles)];
    const first = await app(article);
    await app(page);
    await app(request('PUT', `${articles}/2`));
    expect(app(article)).toBe(first);
    const after = app(page);
    expect(after).toBeInstanceOf(Promise);
    expect(Buffer.from((await after).body).toString()).toContain('"title":"New"');
  });

  it.each([
    ['another target', request('GET', `${articles}/2`)],
    ['another header that it depends on', request('GET', `${articles}/1`, ['Accept', '*/*'])],
    ['another method', request('HEAD', `${articles}/1`)],
  ])('is not taken for one with %s', async (_, other) => {
    const { app, asked } = await given();
    await app(request('GET', `${articles}/1`));
    await app(other);
    expect(asked()).toBe(2);
  });

  it('outlives any number of changes of another', async () => {
    let version = 0;
    let asked = 0;
    const changing = '/changing';
    const app = withResponseCache(
      () => {
        asked += 1;
        return { status: 200, headers: {}, body: Buffer.from('{}') };
      },
      {
        subjectOf: (target) => (target === changing ? { blogId: 1, articleId: 1 } : undefined),
        version: (subject) => (subject === undefined ? 0 : version),
      },
    );
    await app(request('GET', '/kept'));
    for (; version < 60_000; version += 1) await app(request('GET', changing));
    await app(request('GET', '/kept'));
    expect(asked).toBe(60_001);
  });

  it('is the same for whoever asks with an id and headers that make no difference', async () => {
    const { app, asked } = await given();
    const first = await app(request('GET', `${articles}/1`));
    const more = ['X-Trip', '7', 'User-Agent', 'another', 'Prefer', 'return=minimal'];
    expect(app({ ...request('GET', `${articles}/1`, more), id: 'mine' })).toBe(first);
    expect(asked()).toBe(1);
  });

  it.each(reads)('depends on no other field than those it is known by: GET %s', async (target) => {
    const { app } = await givenService();
    const read = new Set<string>();
    const plain = request('GET', target);
    const seen = new Proxy(plain.headers, {
      get(headers, name) {
        read.add(String(name));
        return Reflect.get(headers, name);
      },
    });
    const cors = withOrigins(app, ['https://app.example']);
    await cors({ ...plain, headers: seen });
    const others = [...read].filter((name) => !fieldsOfReads.has(name));
    expect(others.filter((name) => !unheard.includes(name))).toEqual([]);
  });

  it('is sent with the fields that are added to it', async () => {
    const { app } = await given();
    const origin = 'https://app.example';
    const cors = withOrigins(app, [origin]);
    const read = request('GET', `${articles}/1`, ['Origin', origin]);
    await cors(read);
    const sent = createFieldLines(5000)(await cors(read), true);
    expect(sent).toEqual(expect.arrayContaining(['Access-Control-Allow-Origin', origin, 'ETag']));
  });

  it('is no refusal', async () => {
    const { app, asked } = await given();
    await app(request('GET', `${articles}/9`));
    await app(request('GET', `${articles}/9`));
    expect(asked()).toBe(2);
  });
});

/** Small sets, so that requests that are nearly the same come soon one after the other. */
const targets = constantFrom(
  ...reads,
  `${articles}/2`,
  `${articles}/%31`,
  `${articles}/1?`,
  `${articles}/1?x=1`,
  `//localhost${articles}/1`,
  `http://localhost${articles}/1`,
  `http://127.0.0.1:4000${articles}/1`,
  `${articles}?pageIndex=1&pageSize=1`,
  `${articles}?pageSize=1&pageIndex=1`,
  `${articles}?pageSize=%31&pageIndex=1`,
  `${articles}?pageSize=1&pageSize=1`,
  `${api}/blogs/01`,
  `${api}/blogs/2`,
  '/docs/articles',
  '/health',
  '*',
);
const methods = constantFrom('GET', 'GET', 'GET', 'HEAD', 'OPTIONS', 'get', 'PATCH');
const hosts = constantFrom('localhost', 'LOCALHOST', '127.0.0.1:4000', 'example.org', '');
const conditional = constantFrom('If-Match', 'If-None-Match', 'if-none-match', 'IF-NONE-MATCH');
const dated = constantFrom('If-Modified-Since', 'if-modified-since', 'If-Unmodified-Since');
/** `tag` and `date` stand for those of what was answered last. */
const tags = constantFrom('tag', 'W/tag', '"other", tag', '"other"', '*', 'tag,', '', '"', 'x');
const dates = constantFrom('date', 'Sun, 06 Nov 1994 08:49:37 GMT', 'soon', '', 'date, date');
const types = ['*/*', 'application/hal+json', 'text/html', '', 'text/html;q=0.1, */*;q=0', 'a/b'];
const field = oneof(
  tuple(conditional, tags),
  tuple(dated, dates),
  tuple(constantFrom('Accept', 'accept', 'ACCEPT'), constantFrom(...types)),
  tuple(constant('Host'), hosts),
  tuple(constant('Expect'), constantFrom('100-continue', 'tea')),
  tuple(constant('Transfer-Encoding'), constantFrom('chunked', 'gzip')),
  tuple(constant('Origin'), constantFrom('https://app.example', 'https://b.example')),
  tuple(constantFrom('Range', 'Prefer', 'X-Access-Token', 'Cookie'), constant('bytes=0-1')),
);
const asked = record({
  method: methods,
  target: nat(1),
  fields: nat(3),
  host: oneof({ weight: 9, arbitrary: constant('localhost') }, hosts),
});
type Asked = typeof asked extends Arbitrary<infer One> ? One : never;
const changed = constantFrom('rename', 'PUT', 'DELETE', 'POST');
const story = record({
  targets: tuple(targets, targets),
  headers: array(array(field, { maxLength: 2 }), { minLength: 4, maxLength: 4 }),
  steps: array(oneof({ weight: 9, arbitrary: asked }, { weight: 1, arbitrary: changed }), {
    minLength: 30,
    maxLength: 60,
  }),
});

describe.each(['is there', 'takes time'])('where a version %s', (told) => {
  const isTold = told === 'takes time';

  it('answers whatever is asked, in whatever order, as if nothing were kept', async () => {
    let hits = 0;
    const property = asyncProperty(story, async ({ steps, targets: places, headers }) => {
      const service = await givenService();
      await givenArticles(service, 3);
      const plain = withOrigins(service.app, ['https://app.example']);
      const versionNow = (target: string) => Number(service.store.version(subjectOf(target)));
      let isAsked = false;
      const counted = async (sent: Request) => {
        isAsked = true;
        const version = versionNow(sent.target);
        const answer = await plain(sent);
        return isTold ? { ...answer, version } : answer;
      };
      const cached = withResponseCache(counted, {
        subjectOf,
        version: (subject) => {
          const now = Number(service.store.version(subject));
          return isTold ? Promise.resolve(now) : now;
        },
      });
      const pairs: [unknown, unknown][] = [];
      const last = { tag: '"none"', date: 'Sun, 06 Nov 1994 08:49:37 GMT' };
      const ask = async ({ method, target, host, fields: at }: Asked) => {
        const sent = bare(method, places[target] ?? '', [
          'Host',
          host,
          ...(headers[at] ?? []).flatMap(([name, value]) => [
            name,
            value.replaceAll('tag', last.tag).replaceAll('date', last.date),
          ]),
        ]);
        isAsked = false;
        const answer = await cached(sent);
        if (!isAsked) hits += 1;
        const other = await plain(sent);
        pairs.push([await shown(answer), await shown(other)]);
        last.tag = other.headers['ETag'] ?? last.tag;
        last.date = other.headers['Last-Modified'] ?? last.date;
      };
      for (const [at, step] of steps.entries()) {
        if (step === 'rename') await service.owner.changeBlog(1, { title: `Title ${at}` });
        else if (typeof step === 'object') await ask(step);
        else
          await cached(request(step, step === 'POST' ? articles : `${articles}/${1 + (at % 2)}`));
      }
      expect(pairs.map(([one]) => one)).toEqual(pairs.map(([, other]) => other));
    });
    await assert(property, { interruptAfterTimeLimit: 3_000, numRuns: 200 });
    expect(hits).toBeGreaterThan(0);
  });
});

function bare(method: string, target: string, all: readonly string[]): Request {
  const body = async () => Buffer.alloc(0);
  return { method, target, headers: headersOf(all), lines: all, peer: '', body };
}

async function shown({ status, headers, body }: Response) {
  return { status, headers, body: Buffer.from(await wholeOf(body)).toString() };
}
