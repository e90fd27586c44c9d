import { inShell, UnusableStore } from '../unusable-store.ts';
import { dateAfter } from '../store.ts';
import type { Tokens } from '../tokens.ts';
import { type Address, readAddress } from './address.ts';
import { type Connection, Connector } from './connections.ts';
import type { CopyIn } from './copy-rows.ts';
import { lackedRight } from './failures.ts';
import { explained, grantsTo } from './in-words.ts';
import { PostgresStore, OutageLog } from './postgres-store.ts';
import { nextBlogTag } from './rows.ts';
import { foundation, lackedTable, SCHEMA_VERSION, steps, writes } from './sql.ts';
import { WRITE_TIMEOUT_MS } from './write-batches.ts';
import { openTokens } from './tokens.ts';

type PostgresOptions = {
  readonly address: string;
  readonly readOnly?: boolean;
  /** The owner is to do something; else a role serves. */
  readonly asOwner?: boolean;
  /** Of readers; one more writes. */
  readonly connections?: number;
  readonly report?: (notice: string) => void;
  /** How long changes wait for a database that does not answer, in milliseconds. */
  readonly writeTimeoutMs?: number;
};

type OpenedPostgres = {
  readonly store: PostgresStore;
  readonly tokens: Tokens;
  /** `role@host:port/name`. */
  readonly shown: string;
  /** Does work on it; what fails is said in words of a command. */
  readonly explain: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

const OPENING_MS = 3000;

/** Opens the store in a database; throws UnusableOption or UnusableStore. */
export async function openPostgres(options: PostgresOptions): Promise<OpenedPostgres> {
  const { report = ignore, readOnly = false, connections = 2 } = options;
  const { writeTimeoutMs = WRITE_TIMEOUT_MS } = options;
  const address = readAddress(options.address);
  const serving = options.asOwner === true ? undefined : address.user;
  // What is met on the way to a store that is open is thrown.
  let told: (notice: string) => void = ignore;
  const outages = serving === undefined ? undefined : new OutageLog(address, (text) => told(text));
  const standby = readOnly ? (serving === undefined ? 'at-last' : 'as-well') : undefined;
  const writer = new Connector(address, { standby, outages, report });
  const readers = Array.from(
    { length: connections },
    () => new Connector(address, { standby, outages }),
  );
  const open = async () => {
    const connection = await writer.connection(Date.now() + Math.min(OPENING_MS, writeTimeoutMs));
    try {
      await requireOwn(address, connection);
      await requireSchema(address, connection);
      if (!readOnly) await connection.query({ text: writes.forgetWriters });
      const remark = serving === undefined ? ignore : report;
      const { durably, lacked } = await readSettings(address, connection, remark);
      // Else the first request that needs it would be the one to find out.
      if (serving !== undefined && !readOnly && lacked !== null) throw lackedRight(lacked);
      return durably;
    } catch (error) {
      // An open connection keeps the process from ending.
      connection.destroy();
      throw error;
    }
  };
  const explain = <Result>(work: () => Promise<Result>) => explained(address, work, { serving });
  const durably = await explain(open);
  told = report;
  const [reader = writer] = readers;
  const store = new PostgresStore({
    writer,
    readers,
    readOnly,
    durably,
    writeTimeoutMs,
    outages,
  });
  return { store, tokens: openTokens(reader), shown: `postgres://${address.shown}`, explain };
}

const isForeign = `SELECT EXISTS (SELECT FROM pg_namespace n WHERE nspname = 'blogctl'
  AND NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = 'format')) AS found`;

/** A schema of that name may be another program's, or what is left of a store. */
async function requireOwn({ shown }: Address, connection: Connection): Promise<void> {
  const { rows } = await connection.query({ text: isForeign });
  if (rows[0]?.found !== true) return;
  throw new UnusableStore('foreign', `${shown} has a schema blogctl that is no store.`, {
    hint: 'Name another database, or, if nothing is in that schema, have psql run `DROP SCHEMA blogctl`, which drops nothing else.',
  });
}

async function requireSchema({ shown, given }: Address, connection: Connection): Promise<void> {
  const { rows } = await connection.query({ text: writes.format });
  const { version = 0, readable_from: readableFrom = 0 } = rows[0] ?? {};
  if (readableFrom > SCHEMA_VERSION) {
    throw new UnusableStore('foreign', `${shown} was upgraded by a newer blogctl.`, {
      hint: `Use the blogctl that upgraded it: it has schema ${version}, this one knows ${SCHEMA_VERSION}.`,
    });
  }
  if (version < SCHEMA_VERSION) {
    throw new UnusableStore('foreign', `${shown} has schema ${version}, not ${SCHEMA_VERSION}.`, {
      hint: `Run \`blogctl store upgrade ${inShell(given)}\`.`,
    });
  }
}

type Settings = {
  /** A commit must be told to wait for the disk. */
  readonly durably: boolean;
  /** A table of which a role that serves lacks a right. */
  readonly lacked: string | null;
};

/** What the server leaves out is said. */
async function readSettings(
  { shown }: Address,
  connection: Connection,
  report: (notice: string) => void,
): Promise<Settings> {
  const text = `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
    current_setting('synchronous_commit') AS waits, ${lackedTable} AS lacked`;
  const { fsync, pages, waits, lacked = null } = (await connection.query({ text })).rows[0] ?? {};
  if (fsync === 'off')
    report(`${shown} has fsync = off: a crash of its machine loses what was answered.`);
  if (pages === 'off')
    report(`${shown} has full_page_writes = off: a crash of its machine can damage it.`);
  return { durably: waits === 'off', lacked };
}

/** Makes the schema and blog 1 in a database that has none; answers the rights of a serving role. */
export async function initPostgres(
  text: string,
  { title, description }: { readonly title: string; readonly description: string },
  report?: Running['report'],
): Promise<{ readonly shown: string; readonly grants: readonly string[] }> {
  const address = readAddress(text);
  const make = async (ask: Ask) => {
    // Who may make no schema is told even so that one is there.
    if (await isMade(ask)) throw Object.assign(new Error('It is made.'), { code: '42P06' });
    await makeSchema(ask);
    const own = { blog: 1, title, description, blog_tag: '', blog_private: null };
    const tag = nextBlogTag(own, false);
    await ask(writes.newBlog, [1, title, description, tag, dateAfter(undefined, Date.now())]);
  };
  await transaction(address, make, { report });
  return { shown: address.shown, grants: grantsTo() };
}

export async function isMade(ask: Ask): Promise<boolean> {
  const [found] = await ask(`SELECT to_regclass('blogctl.format') IS NOT NULL AS made`);
  return found?.['made'] === true;
}

type Encoding = { readonly name: string };

/** The database counts the bytes of texts as they are served: as UTF-8, or without a look at them. */
function requireUnicode(encoding: string): void {
  if (encoding === 'UTF8' || encoding === 'SQL_ASCII') return;
  throw new UnusableStore('foreign', `The database is encoded as ${encoding}, and not as UTF8.`, {
    hint: 'Make another one: createdb --encoding UTF8 --template template0 <name>.',
  });
}

/** The newest schema, without a blog. */
export async function makeSchema(ask: Ask): Promise<void> {
  const [{ name } = { name: '' }] = await ask<Encoding>(
    `SELECT current_setting('server_encoding') AS name`,
  );
  requireUnicode(name);
  await ask(foundation);
  for (const { sql } of steps) await ask(sql);
  await ask(
    'INSERT INTO blogctl.format (version, readable_from, store) VALUES ($1, $2, gen_random_uuid())',
    [SCHEMA_VERSION, steps.at(-1)?.readableFrom],
  );
}

export type Ask = <Row = Readonly<Record<string, unknown>>>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

export type Running = {
  /** Reads all of one moment: a standby will do where no primary answers. */
  readonly isRead?: boolean;
  /** Told of what a person should know of the connection. */
  readonly report?: ((notice: string) => void) | undefined;
  /** Ends what is asked; what was all asked already is committed. */
  readonly signal?: AbortSignal | undefined;
};

const frozen = ' ISOLATION LEVEL REPEATABLE READ, READ ONLY';

/** Runs work in a transaction of its own; what it throws rolls all of it back. */
export async function transaction<Result>(
  address: Address,
  work: (ask: Ask, copyIn: CopyIn) => Promise<Result>,
  { isRead = false, report, signal }: Running = {},
): Promise<Result> {
  const run = async () => {
    signal?.throwIfAborted();
    const reaching = { standby: isRead ? 'at-last' : undefined, report } as const;
    const connection = await new Connector(address, reaching).connection(Date.now() + OPENING_MS);
    let copied = Promise.resolve();
    const copyIn: CopyIn = async (text, data) => {
      await unlessStopped(copied, signal);
      copied = connection.copyIn(text, data);
      copied.catch(ignore);
    };
    const ask: Ask = async (text, values) => {
      await unlessStopped(copied, signal);
      const query = values === undefined ? { text } : { text, values: [...values] };
      return (await unlessStopped(connection.query(query), signal)).rows;
    };
    try {
      await requireOwn(address, connection);
      // An owner's work takes as long as the store is large.
      await ask(`BEGIN${isRead ? frozen : ''}; SET LOCAL statement_timeout = 0`);
      const result = await work(ask, copyIn);
      await unlessStopped(copied, signal);
      const { command } = await connection.query({ text: 'COMMIT' });
      if (command !== 'COMMIT') throw new Error(`COMMIT was answered ${command}.`);
      await connection.close();
      return result;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  };
  return explained(address, run, { signal });
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
