import { describe, expect, it } from 'vitest';
import { createFieldLines, type Request } from '../../../server/http/message.ts';
import { withOrigins } from '../../../server/app.ts';
import { fieldsOfReads, withResponseCache } from '../../../server/http/response-cache.ts';
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
