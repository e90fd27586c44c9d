import type { Check } from '../json-file/check.ts';
import { readAddress } from './address.ts';
import { type Ask, type Running, transaction } from './open.ts';
import { bucketOf, holesOf } from './page-places.ts';
import { type ArticleRow, checksumHolds } from './rows.ts';
import { SCHEMA_VERSION, steps, writes } from './sql.ts';

type Problem = Check['problems'][number];
/** Articles read at once. */
const ROWS_AT_ONCE = 1000;

/** Every tag against its body, and totals and holes against the rows, all of one moment. */
export async function checkPostgres(text: string, report: Running['report']): Promise<Check> {
  return transaction(readAddress(text), check, { isRead: true, report });
}

async function check(ask: Ask): Promise<Check> {
  const problems: Problem[] = [];
  let articles = 0;
  const note = (what: string) => problems.push({ what });
  for (const blog of await ask('SELECT id, total, next_id FROM blogctl.blogs ORDER BY id')) {
    const [blogId, nextId] = [Number(blog['id']), Number(blog['next_id'])];
    const live = await readAll(ask, blogId, (row) => {
      if (!checksumHolds(row, Buffer.from(row.body))) {
        note(`article ${row.id} of blog ${blogId}: its checksum does not hold`);
      }
      if (row.id >= nextId)
        note(`article ${row.id} of blog ${blogId} has an id not handed out yet`);
    });
    articles += live.total;
    if (live.total !== Number(blog['total'])) {
      note(`blog ${blogId} counts ${String(blog['total'])} articles and has ${live.total}`);
    }
    for (const what of await wrongHoles(ask, blogId, nextId, live.byBucket)) note(what);
  }
  for (const { pid, since } of await ask(oldSnapshots)) {
    const what = `session ${String(pid)} has kept a transaction open since ${String(since)}: reads get slower`;
    problems.push({ what, isAdvice: true });
  }
  const isBroken = problems.some(({ isAdvice }) => isAdvice !== true);
  const verdict = isBroken ? 'broken' : problems.length > 0 ? 'usable' : 'sound';
  return { verdict, articles, problems };
}

const oldSnapshots = `SELECT pid, xact_start::text AS since FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()
    AND xact_start < now() - interval '5 minutes'`;

async function readAll(ask: Ask, blogId: number, see: (row: ArticleRow) => void) {
  const byBucket = new Map<number, number>();
  let [total, last] = [0, 0];
  for (;;) {
    const rows = await ask<ArticleRow>(
      `SELECT blog_id, id, body, tag, updated_at, locked, private FROM blogctl.articles
        WHERE blog_id = $1 AND id > $2 ORDER BY id LIMIT ${ROWS_AT_ONCE}`,
      [blogId, last],
    );
    for (const row of rows) {
      see(row);
      const bucket = bucketOf(row.id);
      byBucket.set(bucket, (byBucket.get(bucket) ?? 0) + 1);
      last = row.id;
    }
    total += rows.length;
    if (rows.length < ROWS_AT_ONCE) return { total, byBucket };
  }
}

async function wrongHoles(
  ask: Ask,
  blogId: number,
  nextId: number,
  live: ReadonlyMap<number, number>,
): Promise<readonly string[]> {
  const rows = await ask('SELECT bucket, holes FROM blogctl.holes WHERE blog_id = $1', [blogId]);
  const counted = new Map(rows.map((row) => [Number(row['bucket']), Number(row['holes'])]));
  const wrong: string[] = [];
  for (const { bucket, first, end, holes } of holesOf(nextId - 1, live)) {
    const known = counted.get(bucket) ?? 0;
    if (known === holes) continue;
    wrong.push(`blog ${blogId}, ids ${first} to ${end}: ${known} holes counted, ${holes} there`);
  }
  return wrong;
}

/**
 * Brings a schema to this program's version, while instances run: it waits for their batches and
 * they for it. Answers the SQL of the steps that were, or with `dryRun` would be, taken.
 */
export async function upgradePostgres(
  text: string,
  dryRun: boolean,
  report?: Running['report'],
): Promise<readonly string[]> {
  const upgrade = async (ask: Ask) => {
    await ask('LOCK TABLE blogctl.format IN ACCESS EXCLUSIVE MODE');
    const [format] = await ask(writes.format);
    const missing = steps.slice(Number(format?.['version'] ?? 0));
    if (dryRun) return missing.map(({ sql }) => sql);
    for (const { sql } of missing) await ask(sql);
    if (missing.length > 0) {
      await ask('UPDATE blogctl.format SET version = $1, readable_from = $2', [
        SCHEMA_VERSION,
        steps.at(-1)?.readableFrom,
      ]);
    }
    return missing.map(({ sql }) => sql);
  };
  return transaction(readAddress(text), upgrade, { report });
}
