import { describe, expect, it } from 'vitest';
import type { Request } from '../../../server/http/message.ts';
import { withRememberedReads } from '../../../server/http/remembered-reads.ts';
import { articles, givenArticles, givenService } from '../../support/service.ts';

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
  const app = withRememberedReads(counted, () => Number(service.store.version()));
  return { app, asked: () => asked };
}

describe('a remembered read', () => {
  it('answers at once and with the same answer, until something changed', async () => {
    const { app, asked } = await given();
    const read = request('GET', `${articles}/1`);
    const first = await app(read);
    expect(app(read)).toBe(first);
    expect(asked()).toBe(1);
    await app(request('PUT', `${articles}/2`));
    const again = app(read);
    expect(again).toBeInstanceOf(Promise);
    expect(await again).toEqual(first);
    await app(request('PUT', `${articles}/1`));
    expect(Buffer.from((await app(read)).body).toString()).toContain('"title":"New"');
  });

  it.each([
    ['another target', request('GET', `${articles}/2`)],
    ['another header', request('GET', `${articles}/1`, ['Accept', 'text/html'])],
    ['another method', request('HEAD', `${articles}/1`)],
    ['an id of its own', { ...request('GET', `${articles}/1`), id: 'mine' }],
  ])('is not taken for one with %s', async (_, other) => {
    const { app, asked } = await given();
    await app(request('GET', `${articles}/1`));
    await app(other);
    expect(asked()).toBe(2);
  });

  it('is no refusal, and never one of too many headers', async () => {
    const { app, asked } = await given();
    const many = request(
      'GET',
      articles,
      Array.from({ length: 60 }, () => 'X'),
    );
    for (const sent of [request('GET', `${articles}/9`), many]) {
      await app(sent);
      await app(sent);
    }
    expect(asked()).toBe(4);
  });
});
