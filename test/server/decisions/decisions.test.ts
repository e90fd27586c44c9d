import { describe, expect, it } from 'vitest';
import { givenArticles, givenService } from '../../support/service.ts';
import { bodiesRows } from './bodies.ts';
import { conditionsRows } from './conditions.ts';
import { errorsAndDocumentsRows } from './errors-and-documents.ts';
import { idempotencyRows } from './idempotency.ts';
import { negotiationRows } from './negotiation.ts';
import { pagingRows } from './paging.ts';
import { pathsRows } from './paths.ts';
import { tokensRows } from './tokens.ts';

const rows = [
  ...errorsAndDocumentsRows,
  ...pagingRows,
  ...conditionsRows,
  ...negotiationRows,
  ...tokensRows,
  ...bodiesRows,
  ...idempotencyRows,
  ...pathsRows,
].sort((a, b) => a.row - b.row);

describe('decisions', () => {
  it.each(rows)('$row: $claim', async ({ articles: count = 0, holds }) => {
    const service = await givenService();
    await givenArticles(service, count);
    await holds(service);
    expect(service.reports).toEqual([]);
  });
});
