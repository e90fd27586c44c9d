import { describe, expect, it } from 'vitest';
import { StoreError } from '../../server/store/store.ts';
import type { Store } from '../../server/store/store.ts';
import { readOptions } from '../../server/running/options.ts';
import { assemble } from '../../server/running/service.ts';
import { articles, givenService } from '../support/service.ts';

const draft = { title: 'T', content: 'C' };

const failing = (store: Store, error: unknown): Store => ({
  ...bound(store),
  create: () => Promise.reject(error),
});

const bound = (store: Store): Store => ({
  ...store,
  blogs: () => store.blogs(),
  blog: (id) => store.blog(id),
  version: () => store.version(),
});

describe('a store that fails', () => {
  it.each([
    ['no-room', 507, 'insufficient-storage', '30'],
    ['overloaded', 503, 'unavailable', '1'],
    ['degraded', 503, 'unavailable', '60'],
    ['refused', 503, 'unavailable', '60'],
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

const never = () => Promise.reject(new Error('nobody asks for that'));
const noTokens = {
  list: async () => [],
  lookup: async () => undefined,
  create: never,
  revoke: never,
};

describe('the log of a service', () => {
  it.each([
    ['of an article', `${articles}/1`],
    ['of a page', articles],
  ])('tells a damage once, in words and without a stack: %s', async (_, target) => {
    const { store } = await givenService();
    const damaged = async () => {
      throw new StoreError('damaged', 'Article 1 is damaged on the disk.', {
        cause: new Error('its checksum does not hold'),
      });
    };
    const said: string[] = [];
    const options = { host: 'localhost', port: 0, file: '', address: '127.0.0.1' };
    const { app } = assemble(
      {
        store: { ...bound(store), read: damaged, page: damaged },
        tokens: noTokens,
      },
      { ...options, runToken: undefined, notice: (text) => said.push(text) },
      readOptions({}),
    );
    const headers = { host: 'localhost' };
    const body = async () => new Uint8Array();
    for (let at = 0; at < 3; at += 1) {
      const answer = await app({ method: 'GET', target, headers, peer: '127.0.0.1', body });
      expect(answer.status).toBe(500);
    }
    expect(said).toEqual(['Article 1 is damaged on the disk. (its checksum does not hold)']);
  });
});
