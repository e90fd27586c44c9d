import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBalancedServices } from '../../support/balanced-service.ts';
import { articles, givenArticles, givenService } from '../../support/service.ts';
import { bodiesRows } from './bodies.ts';
import { conditionsRows } from './conditions.ts';
import { errorsAndDocumentsRows } from './errors-and-documents.ts';
import { idempotencyRows } from './idempotency.ts';
import { limitsRows } from './limits.ts';
import { negotiationRows } from './negotiation.ts';
import { pagingRows } from './paging.ts';
import { pathsRows } from './paths.ts';
import { placesRows } from './places.ts';
import { draft, type Row } from './row.ts';
import { tokensRows } from './tokens.ts';

/** By two instances on one database behind haproxy (vitest.config.ts). */
const isBalanced = process.env['BLOG_BY'] === 'haproxy';
/** Counted by each instance for itself (docs/postgres.md), and so held by one alone. */
const byOne = [27, 35];
/** Of one key at the same time: who comes second waits for the blog, whichever instance is asked. */
const onDatabase: readonly Row[] = [
  {
    row: 32,
    claim: 'of two requests with one key at the same time one is 201 and one its replay',
    async holds({ send }) {
      const headers = { 'idempotency-key': 'k' };
      const post = () => send('POST', articles, { headers, body: draft });
      const answers = await Promise.all([post(), post(), post()]);
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
      const replays = answers.filter(({ headers: own }) => own['Idempotency-Replayed'] === 'true');
      expect(replays).toHaveLength(2);
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    },
  },
];

/** Replaced above; and Node's parser of HTTP knows no such method, so that none reaches the service. */
const notOnDatabase = ({ row, claim }: Row) => row === 32 || claim === 'get is 501';

const rows = [
  ...errorsAndDocumentsRows,
  ...pagingRows,
  ...conditionsRows,
  ...negotiationRows,
  ...placesRows,
  ...limitsRows,
  ...tokensRows,
  ...bodiesRows,
  ...idempotencyRows,
  ...pathsRows,
]
  .filter((row) => !isBalanced || !notOnDatabase(row))
  .concat(isBalanced ? onDatabase : [])
  .sort((a, b) => a.row - b.row);

/** Held by tests of their own, over sockets: stopping.test.ts and hostile-input.test.ts. */
const elsewhere = [41, 42, 52];

/** Those of docs/decisions.md that the service keeps; the others are the command's. */
const [, kept = ''] =
  /^## The service\n([^]*?)^## /m.exec(
    readFileSync(new URL('../../../docs/decisions.md', import.meta.url), 'utf8'),
  ) ?? [];
const served = [...kept.matchAll(/^### (\d+) /gm)].map(([, row]) => Number(row));

describe('decisions', () => {
  it(`every row that the service keeps is held, by ${rows.length} claims here`, () => {
    const held = new Set([...rows.map(({ row }) => row), ...elsewhere]);
    expect([...held].toSorted((a, b) => a - b)).toEqual(served.toSorted((a, b) => a - b));
  });

  let balanced: Awaited<ReturnType<typeof startBalancedServices>> | undefined;
  beforeAll(async () => {
    if (isBalanced) balanced = await startBalancedServices();
  });
  afterAll(() => balanced?.stop());

  it.each(rows)('$row: $claim', async ({ row, articles: count = 0, asked, holds }) => {
    const { service, end } = (await balanced?.given({ asked, alone: byOne.includes(row) })) ?? {
      service: await givenService(asked),
    };
    await givenArticles(service, count);
    await holds(service);
    expect(service.reports).toEqual([]);
    await end?.();
    passed.set(row, (passed.get(row) ?? 0) + 1);
  });
});

const passed = new Map<number, number>();
afterAll(() => {
  const rowsOf = (from: number) => Array.from({ length: 9 }, (_, at) => from + at);
  const told = (row: number) => passed.get(row) ?? (elsewhere.includes(row) ? 'sockets' : '');
  const starts = Array.from({ length: Math.ceil(Math.max(...served) / 9) }, (_, at) => 1 + 9 * at);
  const lines = starts.map((from) =>
    rowsOf(from).flatMap((row) => (served.includes(row) ? [`${row}: ${told(row)}`] : [])),
  );
  const rowsOfTable = lines.map((line) =>
    line
      .map((cell) => cell.padEnd(12))
      .join('')
      .trimEnd(),
  );
  process.stdout.write(`Claims that were seen to hold, of each row:\n${rowsOfTable.join('\n')}\n`);
});
