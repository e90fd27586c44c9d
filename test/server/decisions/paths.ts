// oxlint-disable vitest/no-standalone-expect -- a row runs inside the test that is made of it
// oxlint-disable no-underscore-dangle -- the names are HAL's
import { expect } from 'vitest';
import { api, articles } from '../../support/service.ts';
import type { Row } from './row.ts';

export const pathsRows: readonly Row[] = (
  [
    [`${articles}/01`, 404],
    [`${articles}/-1`, 404],
    [`${articles}/1e3`, 404],
    [`${articles}/0x1`, 404],
    [`${articles}/%31`, 404],
    [`${articles}/1%2f2`, 404],
    [`${articles}/__proto__`, 404],
    [`${articles}/${'9'.repeat(400)}`, 404],
    [`${articles}/${'9'.repeat(16)}`, 404],
    [`${articles}/%zz`, 400],
    [`${articles}/%c0%ae`, 400],
    [`${articles}/1%`, 400],
    [`${articles}/%20x%c0%ae`, 400],
    [`${articles}?pageSize=%ff`, 400],
    [`${articles}/`, 404],
    [`${articles}/1/`, 404],
    [`/${articles}/1`, 404],
    [`//evil.example${articles}/1`, 404],
    [`${api}/blogs/1/../1/articles/1`, 404],
    [`http://localhost:4000${articles}/1`, 200],
    [`http://evil.example${articles}/1`, 400],
    ['articles', 400],
    ['*', 404],
  ] as const
).map(([target, status]): Row => ({
  row: 40,
  claim: `GET ${target.slice(0, 60)} is ${status}`,
  articles: 1,
  async holds({ send }) {
    expect((await send('GET', target)).status).toBe(status);
  },
}));
