import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { spool } from '../../../../../src/importing/sources/spool.ts';

it('ends with the reason of an abort, also where that comes before anything is read', async () => {
  const reason = new Error('Interrupted.');
  const controller = new AbortController();
  const spooled = spool(new PassThrough(), controller.signal);
  controller.abort(reason);
  await expect(spooled).rejects.toBe(reason);
  await expect(spool(new PassThrough(), AbortSignal.abort(reason))).rejects.toBe(reason);
});
