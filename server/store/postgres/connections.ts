import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, Query as PgQuery, types as pgTypes, type QueryConfig, type QueryResult } from 'pg';
import { type Address, filedPassword } from './address.ts';
import { StoreError } from '../store.ts';
import { codeOf, isConnectionLost, isForgotten, meaningOf } from './failures.ts';

const CONNECT_MS = 1000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;
/** A read that takes longer ends with its connection. */
const READ_MS = 10_000;

/** Planning a page anew each time takes longer than reading it, and no value changes the plan. */
const FIRST_QUESTION = `SELECT pg_is_in_recovery() AS standby,
  set_config('plan_cache_mode', 'force_generic_plan', false)`;

const INT8 = 20;
const INT8_ARRAY = 1016;

/** Every bigint of ours is an exact number. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return Number;
    const parse = pgTypes.getTypeParser(oid, format ?? 'text');
    if (oid !== INT8_ARRAY) return parse;
    return (text: string) => text.slice(1, -1).split(',').map(Number);
  },
};

/** `query_timeout` (milliseconds) ends the connection; its types do not know it yet. */
type Query = QueryConfig & { readonly query_timeout?: number };

export type Row = Readonly<Record<string, unknown>>;

/** Prepared once where it has a name; `rowMode` for rows as arrays of their columns. */
export type Statement = {
  readonly name?: string | undefined;
  readonly text: string;
  readonly rowMode?: 'array';
};

/** One open connection; it prepares a statement that has a name, once. */
export type Connection = {
  readonly isOpen: () => boolean;
  query(query: Query): Promise<QueryResult>;
  /** Runs a COPY … FROM STDIN with its data; nothing else may be asked before it is answered. */
  copyIn(text: string, data: Buffer): Promise<void>;
  /** SQLSTATE of what the server remarked since the last call. */
  noticed(): string | undefined;
  /** Nothing that was asked is answered any more. */
  destroy(): void;
  close(): Promise<void>;
};

/** A connection that is made when it is needed, and made again where it was lost. */
export class Connector {
  readonly #address: Address;
  /** A standby will do. */
  readonly #readOnly: boolean;
  #open: Promise<Connection> | undefined;
  #named = true;
  #isClosed = false;

  constructor(address: Address, readOnly: boolean) {
    this.#address = address;
    this.#readOnly = readOnly;
  }

  /** Tries the hosts in their order until one answers as it must, or `until` (milliseconds) is over. */
  async connection(until: number): Promise<Connection> {
    if (this.#isClosed) throw new StoreError('closing', 'The store is closed.');
    const open = this.#open;
    if (open !== undefined) {
      const known = await open.catch(() => undefined);
      if (known?.isOpen() === true) return known;
      if (this.#open === open) this.#open = undefined;
    }
    this.#open ??= this.#connect(until);
    return this.#open;
  }

  /** Asks; once more on a new connection where this one ends without an answer. */
  async read<Answer = Row>(
    { name, ...statement }: Statement,
    values: readonly unknown[],
    patienceMs = 2000,
  ): Promise<readonly Answer[]> {
    const until = Date.now() + patienceMs;
    for (let attempt = 1; ; attempt += 1) {
      const connection = await this.connection(until);
      try {
        const named = name === undefined ? {} : { name };
        const query = { ...named, ...statement, values: [...values], query_timeout: READ_MS };
        const { rows } = await connection.query(query);
        return rows;
      } catch (error) {
        if (this.unnamed(error)) continue;
        if (attempt > 1 || !isConnectionLost(error)) throw error;
        connection.destroy();
      }
    }
  }

  /** Whether statements lost their names by this, for good: then what failed is asked again. */
  unnamed(error: unknown): boolean {
    const isNew = this.#named && isForgotten(error);
    if (isNew) this.#named = false;
    return isNew;
  }

  /** What is read for a client that left may come later still: it must not open another connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#open?.catch(() => undefined))?.close();
  }

  async #connect(until: number): Promise<Connection> {
    let wait = FIRST_PAUSE_MS;
    for (;;) {
      const met: unknown[] = [];
      for (const host of this.#address.hosts) {
        try {
          return await connect(this.#address, host, this.#readOnly, () => this.#named);
        } catch (error) {
          met.push(error);
        }
      }
      if (met.every((error) => isFinal(error))) throw met[0];
      if (Date.now() + wait >= until)
        throw meaningOf(met.find((error) => isFinal(error)) ?? met[0]);
      await pause(wait);
      wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
    }
  }
}

/** Waiting changes nothing about it: role, database, or who the host says that it is. */
function isFinal(error: unknown): boolean {
  const isRefused = /^(?:28|3D)|CERT|LEAF_SIGNATURE/.test(codeOf(error) ?? '');
  return isRefused || (error instanceof Error && /not support SSL/.test(error.message));
}

/** The driver refuses a COPY from the client; this one has the data at hand. */
class CopyIn extends PgQuery {
  readonly #data: Buffer;

  constructor(text: string, data: Buffer, done: (error: Error | undefined) => void) {
    super(text, done);
    this.#data = data;
  }

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFromChunk(this.#data);
    wire.endCopyFrom();
  }
}

type Wire = { sendCopyFromChunk(data: Buffer): void; endCopyFrom(): void };

async function connect(
  address: Address,
  host: Address['hosts'][number],
  readOnly: boolean,
  isNamed: () => boolean,
): Promise<Connection> {
  const { user, password, database, tls } = address;
  const socket = new Socket();
  const client = new Client({
    ...host,
    user,
    // Left alone, the driver looks itself, and remarks on standard error that it did.
    password: password ?? (() => filedPassword({ ...host, user, database })),
    database,
    ssl: tls,
    types,
    stream: () => socket,
    pipeline: true,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'blogctl',
  });
  let isOpen = true;
  const ended = () => {
    isOpen = false;
  };
  let notice: string | undefined;
  client.on('notice', ({ code }) => {
    notice = code;
  });
  client.on('error', ended);
  client.on('end', ended);
  const together = writtenTogether(socket);
  const connection: Connection = {
    isOpen: () => isOpen,
    query: ({ name, ...query }) => {
      together();
      return client.query(name !== undefined && isNamed() ? { name, ...query } : query);
    },
    copyIn: (text, data) =>
      new Promise((resolve, reject) => {
        client.query(new CopyIn(text, data, (error) => (error ? reject(error) : resolve())));
      }),
    noticed: () => {
      const code = notice;
      notice = undefined;
      return code;
    },
    destroy: () => {
      ended();
      socket.destroy();
    },
    close: async () => {
      ended();
      await client.end();
    },
  };
  try {
    await client.connect();
    const asked = await connection.query({ text: FIRST_QUESTION, query_timeout: CONNECT_MS });
    if (asked.rows[0]?.standby !== true || readOnly) return connection;
    throw new StoreError('refused', `${host.host}:${host.port} is a standby.`);
  } catch (error) {
    connection.destroy();
    throw error;
  }
}

/** What is written in one turn of the event loop leaves in one piece, and not each in its own. */
function writtenTogether(socket: Socket): () => void {
  let isWaiting = false;
  const leave = () => {
    isWaiting = false;
    socket.uncork();
  };
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    socket.cork();
    setImmediate(leave);
  };
}
