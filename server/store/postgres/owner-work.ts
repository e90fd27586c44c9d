import { dateAfter } from '../store.ts';
import { type Hint, inShell, UnusableStore } from '../unusable-store.ts';
import type { Address } from './address.ts';
import { type Connection, Connector } from './connections.ts';
import { changesStore, codeOf, isAnswer, noStandby, wordsOf } from './failures.ts';
import type { CopyIn } from './copy-rows.ts';
import { explained } from './in-words.ts';
import { nextBlogTag } from './rows.ts';
import { type Ask, writes } from './sql.ts';
import { type Format, requireFormat } from './transaction.ts';

const OPENING_MS = 3000;
/** What takes longer is looked at, and told what it waits for. */
const LOOK_MS = 2000;
/** What is done in a moment is given up then, and a lock that it needs before. */
const SHORT_MS = 10_000;
const LOCK_MS = 8000;
/** Who stops what only waits for the answer to COMMIT waits so long for it. */
const LAST_MS = 1000;

/** What is said where nobody knows whether a work was committed. */
type Doubt = { readonly what: string; readonly look: Hint };

export type Running = {
  /** Reads all of one moment: a standby will do where no primary answers. */
  readonly isRead?: boolean;
  /** Told of what a person should know of the connection, and what is waited for. */
  readonly report?: ((notice: string) => void) | undefined;
  /** Ends what is asked; what was all asked already is committed. */
  readonly signal?: AbortSignal | undefined;
  readonly doubt?: Doubt;
  /** Done in a moment, or not at all. */
  readonly isShort?: boolean;
  /** The store is open: what is remarked of the connection was said then. */
  readonly isOpen?: boolean;
  /** Neither makes nor fills a store: it waits for nobody who does. */
  readonly isBeside?: boolean;
};

const frozen = 'REPEATABLE READ, READ ONLY';

/**
 * Whoever makes a store, fills or upgrades it holds this until the end: the next one waits, and then
 * sees what was left. No row could be locked where nothing is made yet.
 */
const alone = `SELECT pg_advisory_xact_lock(x'${Buffer.from('blogctl').toString('hex')}'::bigint)`;

/** Runs work in a transaction of its own; what it throws rolls all of it back. */
export async function transaction<Result>(
  address: Address,
  work: (ask: Ask, copyIn: CopyIn) => Promise<Result>,
  running: Running = {},
): Promise<Result> {
  const { isRead = false, isShort = false, isBeside = isRead, report, signal } = running;
  const run = async () => {
    signal?.throwIfAborted();
    const told = running.isOpen === true ? undefined : report;
    const link = new Connector(address, { standby: isRead ? 'at-last' : undefined, report: told });
    const connection = await link.connection(performance.now() + OPENING_MS);
    const late = isShort ? setTimeout(() => connection.destroy(), SHORT_MS) : undefined;
    const waiting = new Waiting(address, running);
    let copied = Promise.resolve();
    const copyIn: CopyIn = async (text, data) => {
      await unlessStopped(copied, signal);
      copied = connection.copyIn(text, data);
      copied.catch(ignore);
    };
    const ask: Ask = async (text, values) => {
      await unlessStopped(copied, signal);
      const query = values === undefined ? { text } : { text, values: [...values] };
      return (await waiting.told(unlessStopped(connection.query(query), signal))).rows;
    };
    try {
      await requireOwn(address, connection);
      // Whatever role and database are set to: it takes as long as the store is large and others let it wait.
      await ask(`BEGIN ISOLATION LEVEL ${isRead ? frozen : 'READ COMMITTED'}; SET LOCAL statement_timeout = 0;
        SET LOCAL client_min_messages = warning; ${writes.durably}; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = ${isShort ? LOCK_MS : 0}`);
      const [session] = await ask<{ readonly pid: number }>('SELECT pg_backend_pid() AS pid');
      waiting.pid = session?.pid;
      if (!isBeside) await ask(alone);
      const result = await work(ask, copyIn);
      await unlessStopped(copied, signal);
      await commit(address, connection, waiting, running);
      await connection.close();
      return result;
    } catch (error) {
      connection.destroy();
      throw waiting.named(error);
    } finally {
      clearTimeout(late);
    }
  };
  return explained(address, run, { signal });
}

/** What is sent cannot be called back: only the answer tells what became of it. */
async function commit(
  { shown }: Address,
  connection: Connection,
  waiting: Waiting,
  { isRead, doubt, signal }: Running,
): Promise<void> {
  const stop = () => void setTimeout(() => connection.destroy(), LAST_MS).unref();
  signal?.addEventListener('abort', stop);
  // What was waited for before is over.
  waiting.why = undefined;
  let answered = 'COMMIT';
  try {
    connection.noticed();
    answered = (await waiting.told(connection.query({ text: 'COMMIT' }))).command;
    // Somebody ended the wait for the synchronous standby: it is on one machine alone.
    if (connection.noticed() === '01000') throw new Error(noStandby);
  } catch (error) {
    if (isRead === true || isAnswer(error) || doubt === undefined) throw error;
    const why = waiting.why ?? wordsOf(error).replace(/\.$/, '');
    const message = `${shown} did not say whether it was saved: ${why}. ${doubt.what}.`;
    throw new UnusableStore('unreachable', message, { hint: doubt.look, cause: error });
  } finally {
    signal?.removeEventListener('abort', stop);
  }
  if (answered !== 'COMMIT') throw new Error(`COMMIT was answered ${answered}.`);
}

type Wait = {
  readonly kind: string | null;
  readonly event: string | null;
  readonly holder: number | null;
  readonly theirs: string | null;
};

const waitsFor = `SELECT a.wait_event_type AS kind, a.wait_event AS event, b.pid AS holder,
    b.wait_event AS theirs
  FROM pg_stat_activity a
    LEFT JOIN pg_stat_activity b ON b.pid = (pg_blocking_pids(a.pid))[1]
  WHERE a.pid = $1`;

/** Looks from beside at what a session waits for: the session itself says nothing meanwhile. */
class Waiting {
  pid: number | undefined;
  /** What was seen last. */
  why: string | undefined;
  readonly #address: Address;
  readonly #report: Running['report'];
  readonly #standby: 'as-well' | undefined;

  constructor(address: Address, { report, isRead }: Running) {
    this.#address = address;
    this.#report = report;
    this.#standby = isRead === true ? 'as-well' : undefined;
  }

  async told<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const looking = setInterval(() => void this.#look(), LOOK_MS);
    try {
      return await answer;
    } finally {
      clearInterval(looking);
    }
  }

  /** Where a lock did not come: what its holder waits for says more than that. */
  named(error: unknown): unknown {
    if (codeOf(error) === '55P03' && error instanceof Error)
      error.message = this.why ?? error.message;
    return error;
  }

  async #look(): Promise<void> {
    if (this.pid === undefined) return;
    const beside = new Connector(this.#address, { standby: this.#standby });
    const seen = await beside
      .read<Wait>({ text: waitsFor }, [this.pid], LOOK_MS)
      .catch((): readonly Wait[] => []);
    await beside.close();
    const why = seen[0] && wordsOfWait(seen[0]);
    if (why === undefined || why === this.why) return;
    this.why = why;
    this.#report?.(`${this.#address.shown} lets this wait: ${why}.`);
  }
}

function wordsOfWait({ kind, event, holder, theirs }: Wait): string | undefined {
  if (event === 'SyncRep' || theirs === 'SyncRep') return noStandby;
  if (kind !== 'Lock') return undefined;
  const whose = `session ${holder ?? ''} of pg_stat_activity`;
  return event === 'advisory' ? `${whose} ${changesStore}` : `${whose} holds what is needed`;
}

/** What an owner does in a moment to a store that is there. */
export type Owning = <Result>(
  work: (ask: Ask) => Promise<Result>,
  running: Pick<Running, 'isBeside'> & { readonly doubt: (store: string) => Doubt },
) => Promise<Result>;

export function owning(address: Address, report: Running['report']): Owning {
  return (work, { doubt, ...running }) => {
    const checked = async (ask: Ask) => {
      requireFormat((await ask<Format>(writes.format))[0]);
      return work(ask);
    };
    const how = {
      ...running,
      report,
      isOpen: true,
      isShort: true,
      doubt: doubt(inShell(address.given)),
    };
    return transaction(address, checked, how);
  };
}

type LastBlog = { readonly last: number; readonly now: number };

/** Answers its id. Its date is the database's, as the dates of all changes are. */
export async function makeBlog(
  ask: Ask,
  { title, description }: { readonly title: string; readonly description: string },
): Promise<number> {
  const [{ last, now } = { last: 0, now: 0 }] = await ask<LastBlog>(writes.lastBlog);
  const own = { blog: last + 1, title, description, blog_tag: '', blog_private: null };
  const tag = nextBlogTag(own, false);
  await ask(writes.newBlog, [own.blog, title, description, tag, dateAfter(undefined, now), now]);
  return own.blog;
}

const isForeign = `SELECT EXISTS (SELECT FROM pg_namespace n WHERE nspname = 'blogctl'
  AND NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = 'format')) AS found`;

/** A schema of that name may be another program's, or what is left of a store. */
export async function requireOwn({ shown }: Address, connection: Connection): Promise<void> {
  const { rows } = await connection.query({ text: isForeign });
  if (rows[0]?.found !== true) return;
  throw new UnusableStore('foreign', `${shown} has a schema blogctl that is no store.`, {
    hint: 'Name another database, or, if nothing is in that schema, have psql run `DROP SCHEMA blogctl`, which drops nothing else.',
  });
}

/** Not by Promise.race: the signal outlives all that is asked, and would keep every answer. */
function unlessStopped<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    const done = () => signal.removeEventListener('abort', stop);
    work.then(resolve, reject).finally(done);
  });
}

function ignore(): void {}
