import { UnusableStore } from '../json-file/unusable-store.ts';
import { dateAfter } from '../store.ts';
import type { Tokens } from '../tokens.ts';
import { type Address, readAddress } from './address.ts';
import { type Connection, Connector } from './connections.ts';
import { explained, lackedRight } from './failures.ts';
import { PostgresStore } from './postgres-store.ts';
import { nextBlogTag } from './rows.ts';
import { foundation, grantsTo, lackedTable, SCHEMA_VERSION, steps, writes } from './sql.ts';
import { PATIENCE_MS } from './write-batches.ts';
import { openTokens } from './tokens.ts';

type PostgresOptions = {
  readonly address: string;
  readonly readOnly?: boolean;
  /** The owner is to do something; else a role serves. */
  readonly upkeep?: boolean;
  /** Of readers; one more writes. */
  readonly connections?: number;
  readonly report?: (notice: string) => void;
  /** How long changes wait for a database that does not answer, in milliseconds. */
  readonly patienceMs?: number;
};

type OpenedPostgres = {
  readonly store: PostgresStore;
  readonly tokens: Tokens;
  /** `role@host:port/name`. */
  readonly shown: string;
};

const OPENING_MS = 3000;

/** Opens the store in a database; throws UnusableOption or UnusableStore. */
export async function openPostgres(options: PostgresOptions): Promise<OpenedPostgres> {
  const { report = ignore, readOnly = false, connections = 2, patienceMs = PATIENCE_MS } = options;
  const address = readAddress(options.address);
  if (address.unverified) {
    report(
      `${address.shown} is encrypted, but not verified: sslmode=verify-full tells who answers.`,
    );
  }
  const writer = new Connector(address, readOnly);
  const readers = Array.from({ length: connections }, () => new Connector(address, readOnly));
  const serving = options.upkeep === true ? undefined : address.user;
  const open = async () => {
    const connection = await writer.connection(Date.now() + Math.min(OPENING_MS, patienceMs));
    try {
      await requireSchema(address, connection);
      if (!readOnly) await connection.query({ text: writes.forgetWriters });
      const { durably, lacked } = await readSettings(address, connection, report);
      // Else the first request that needs it would be the one to find out.
      if (serving !== undefined && !readOnly && lacked !== null) throw lackedRight(lacked);
      return durably;
    } catch (error) {
      // An open connection keeps the process from ending.
      connection.destroy();
      throw error;
    }
  };
  const durably = await explained(address, open, { serving });
  const [reader = writer] = readers;
  const store = new PostgresStore({ writer, readers, readOnly, durably, patienceMs });
  return { store, tokens: openTokens(reader), shown: `postgres://${address.shown}` };
}

async function requireSchema({ shown }: Address, connection: Connection): Promise<void> {
  const { rows } = await connection.query({ text: writes.format });
  const { version = 0, readable_from: readableFrom = 0 } = rows[0] ?? {};
  if (readableFrom > SCHEMA_VERSION) {
    throw new UnusableStore('foreign', `${shown} was upgraded by a newer blogctl.`, {
      hint: `Use the blogctl that upgraded it: it has schema ${version}, this one knows ${SCHEMA_VERSION}.`,
    });
  }
  if (version < SCHEMA_VERSION) {
    throw new UnusableStore('foreign', `${shown} has schema ${version}, not ${SCHEMA_VERSION}.`, {
      hint: 'Run `blogctl store upgrade` on it.',
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
): Promise<{ readonly shown: string; readonly grants: readonly string[] }> {
  const address = readAddress(text);
  await transaction(address, async (ask) => {
    await makeSchema(ask);
    const tag = nextBlogTag(
      { blog: 1, title, description, blog_tag: '', blog_private: null },
      false,
    );
    await ask(writes.newBlog, [1, title, description, tag, dateAfter(undefined, Date.now())]);
  });
  return { shown: address.shown, grants: grantsTo() };
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

/**
 * Brings a schema to this program's version, while instances run: it waits for their batches and
 * they for it. Answers the SQL of the steps that were, or with `dryRun` would be, taken.
 */
export async function upgradePostgres(text: string, dryRun: boolean): Promise<readonly string[]> {
  const address = readAddress(text);
  return transaction(address, async (ask) => {
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
  });
}

export type Ask = <Row = Readonly<Record<string, unknown>>>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/** Resolves when more may be prepared: what is asked next waits for it, and throws what it met. */
export type CopyIn = (text: string, data: Buffer) => Promise<void>;

type Running = {
  readonly begin?: string;
  /** Ends what is asked; what was all asked already is committed. */
  readonly signal?: AbortSignal | undefined;
};

/** Runs work in a transaction of its own; what it throws rolls all of it back. */
export async function transaction<Result>(
  address: Address,
  work: (ask: Ask, copyIn: CopyIn) => Promise<Result>,
  { begin = 'BEGIN', signal }: Running = {},
): Promise<Result> {
  const run = async () => {
    signal?.throwIfAborted();
    const connection = await new Connector(address, false).connection(Date.now() + OPENING_MS);
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
      await ask(begin);
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
