import { expect, it } from 'vitest';
import { articles, givenService } from '../../support/service.ts';

it('a change that takes a second is dated as its article is read afterwards', async () => {
  const { clock, send } = await givenService();
  let moment = clock.now;
  Object.defineProperty(clock, 'now', { get: () => (moment += 1000) });
  const made = await send('POST', articles, { body: { title: 'T', content: 'C' } });
  const read = await send('GET', `${articles}/1`);
  expect(made.status).toBe(201);
  expect(read.headers['Last-Modified']).toBe(made.headers['Last-Modified']);
});
