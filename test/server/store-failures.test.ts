import { describe, expect, it } from 'vitest';
import { StoreError } from '../../server/store/store.ts';
import type { Store } from '../../server/store/store.ts';
import { articles, givenService } from '../support/service.ts';

const draft = { title: 'T', content: 'C' };

const failing = (store: Store, error: unknown): Store => ({
  ...store,
  blogs: () => store.blogs(),
  blog: (id) => store.blog(id),
  create: () => Promise.reject(error),
});

describe('a store that fails', () => {
  it.each([
    ['no-room', 507, 'insufficient-storage', '30'],
    ['overloaded', 503, 'unavailable', '1'],
    ['degraded', 503, 'unavailable', '60'],
    ['closing', 503, 'unavailable', '5'],
    ['outcome-unknown', 500, 'outcome-unknown', undefined],
    ['damaged', 500, 'damaged-article', undefined],
  ] as const)('%s is %i %s', async (failure, status, code, retryAfter) => {
    const error = new StoreError(failure, 'secret path /var/blog.json');
    const { send } = await givenService(({ store }) => ({ store: failing(store, error) }));
    const answer = await send('POST', articles, { body: draft });
    expect(answer).toMatchObject({ status, json: { code } });
    expect(answer.headers['Retry-After']).toBe(retryAfter);
    expect(answer.text).not.toContain('secret');
  });

  it('in an unknown way is 500, reported and not shown', async () => {
    const error = new TypeError('secret');
    const service = await givenService(({ store }) => ({ store: failing(store, error) }));
    const answer = await service.send('POST', articles, { body: draft });
    expect(answer).toMatchObject({ status: 500, json: { code: 'internal' } });
    expect(answer.text).not.toContain('secret');
    expect(service.reports).toEqual([error]);
  });
});
