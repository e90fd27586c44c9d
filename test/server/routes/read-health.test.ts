import { describe, expect, it, vi } from 'vitest';
import { withResponseCache } from '../../../server/http/response-cache.ts';
import { StoreError } from '../../../server/store/store.ts';
import type { Store } from '../../../server/store/store.ts';
import { givenService } from '../../support/service.ts';
import { withFaults } from '../store/support/faulty-file-system.ts';
import { givenStore, numbered, reopened } from '../store/support/given-store.ts';

function refusing(store: Store): Store {
  const why = new StoreError('degraded', 'The disk is gone.', { retryAfterSeconds: 60 });
  return Object.create(store, {
    writesRefused: { value: () => why },
    damage: { value: () => undefined },
  });
}

describe('GET /health', () => {
  it('is 200 as long as everything works', async () => {
    const { send } = await givenService();
    const { status, headers, json } = await send('GET', '/health');
    expect({ status, json }).toMatchObject({ status: 200, json: { status: 'pass' } });
    expect(headers).toMatchObject({ 'Cache-Control': 'no-store' });
  });

  it('asks the store once, however many ask at a time, and again afterwards', async () => {
    let asked = 0;
    const slow = (store: Store): Store =>
      Object.create(store, {
        writesRefused: { value: async () => void (asked += 1) },
        damage: { value: () => undefined },
      });
    const { send } = await givenService(({ store }) => ({ store: slow(store) }));
    const many = await Promise.all(Array.from({ length: 20 }, () => send('GET', '/health')));
    expect(many.every(({ status }) => status === 200)).toBe(true);
    expect(asked).toBe(1);
    await send('GET', '/health');
    expect(asked).toBe(2);
  });

  it('is what a write would meet where the store takes none', async () => {
    const { send } = await givenService(({ store }) => ({ store: refusing(store) }));
    const { status, headers, json } = await send('GET', '/health');
    expect(status).toBe(503);
    expect(json.detail).toBe('The store takes no changes until it is opened again. Reads go on.');
    expect(headers).toMatchObject({ 'Retry-After': '60' });
  });

  it('is 507 after a change that found no room, until one does or it is time for the next', async () => {
    const { store: first, disk } = await givenStore(1);
    await first.close();
    const faults = withFaults(disk);
    const store = await reopened(faults.fileSystem);
    const { send } = await givenService(() => ({ store }));
    const health = async () => (await send('GET', '/health')).status;
    expect(await health()).toBe(200);
    faults.failNext({ call: 'write', code: 'ENOSPC' });
    await expect(store.create(1, numbered(2))).rejects.toMatchObject({ failure: 'no-room' });
    faults.heal();
    const { status, json, headers } = await send('GET', '/health');
    expect([status, json.detail]).toEqual([507, 'There is no room to save this. Reads go on.']);
    expect(headers).toMatchObject({ 'Retry-After': '30' });
    await store.create(1, numbered(2));
    expect(await health()).toBe(200);
    faults.failNext({ call: 'write', code: 'ENOSPC' });
    await expect(store.create(1, numbered(3))).rejects.toMatchObject({ failure: 'no-room' });
    faults.heal();
    const then = performance.now();
    const clock = vi.spyOn(performance, 'now');
    for (const [seconds, told] of [
      [29, 507],
      [31, 200],
    ] as const) {
      clock.mockReturnValue(then + 1000 * seconds);
      expect(await health()).toBe(told);
    }
    clock.mockRestore();
    await store.close();
  });

  it('names an article that was found damaged', async () => {
    const found = new StoreError('damaged', 'Article 3 is damaged on the disk.');
    const damaged = (store: Store) =>
      Object.create(store, {
        writesRefused: { value: () => undefined },
        damage: { value: () => found },
      });
    const { send } = await givenService(({ store }) => ({ store: damaged(store) }));
    const { status, json } = await send('GET', '/health');
    expect([status, json.code, json.detail]).toEqual([
      500,
      'damaged-article',
      'Article 3 is damaged on the disk. The others can be read.',
    ]);
  });

  it('is 200 where nobody wants to write', async () => {
    const { send } = await givenService(({ store, rules }) => ({
      store: refusing(store),
      rules: { ...rules, readOnly: true },
    }));
    expect((await send('GET', '/health')).json).toMatchObject({ status: 'pass', readOnly: true });
  });

  it('is never remembered', async () => {
    const { app } = await givenService();
    const remembering = withResponseCache(app, { subjectOf: () => undefined, version: () => 1 });
    const lines = ['Host', 'localhost'];
    const asked = { method: 'GET', target: '/health', headers: { host: 'localhost' }, lines };
    const request = { ...asked, peer: '', body: async () => new Uint8Array() };
    const first = await remembering(request);
    expect(await remembering(request)).not.toBe(first);
  });
});
