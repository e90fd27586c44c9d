import { describe, expect, it } from 'vitest';
import { withRememberedReads } from '../../../server/http/remembered-reads.ts';
import { StoreError } from '../../../server/store/store.ts';
import type { Store } from '../../../server/store/store.ts';
import { givenService } from '../../support/service.ts';

function refusing(store: Store): Store {
  const why = new StoreError('degraded', 'The disk is gone.', { retryAfterSeconds: 60 });
  return Object.create(store, { writesRefused: { value: () => why } });
}

describe('GET /health', () => {
  it('is 200 as long as everything works', async () => {
    const { send } = await givenService();
    const { status, headers, json } = await send('GET', '/health');
    expect({ status, json }).toMatchObject({ status: 200, json: { status: 'pass' } });
    expect(headers).toMatchObject({ 'Cache-Control': 'no-store' });
  });

  it('is what a write would meet where the store takes none', async () => {
    const { send } = await givenService(({ store }) => ({ store: refusing(store) }));
    const { status, headers, json } = await send('GET', '/health');
    expect(status).toBe(503);
    expect(json.detail).toBe('The store takes no changes until it is opened again. Reads go on.');
    expect(headers).toMatchObject({ 'Retry-After': '60' });
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
    const remembering = withRememberedReads(app, () => 1);
    const lines = ['Host', 'localhost'];
    const asked = { method: 'GET', target: '/health', headers: { host: 'localhost' }, lines };
    const request = { ...asked, peer: '', body: async () => new Uint8Array() };
    const first = await remembering(request);
    expect(await remembering(request)).not.toBe(first);
  });
});
