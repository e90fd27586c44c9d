import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type QueryConfig, type QueryResult } from 'pg';
import { type Address, filedPassword, isSocket } from './address.ts';
import { columnTypes, CopyQuery } from './copy-rows.ts';
import { StoreError } from '../store.ts';
import {
  isConnectionLost,
  isFinal,
  isForgotten,
  isStandby,
  ofEach,
  type OutageListener,
} from './failures.ts';
import { writtenTogether } from '../../fair-shares.ts';

const CONNECT_MS = 1000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;
/** A read that takes longer ends with its connection. */
const READ_MS = 10_000;

/** No value changes the plan of a page, and to plan takes long; what is hidden would count as deleted. */
const FIRST_QUESTION = `SELECT pg_is_in_recovery() AS standby, set_config('row_security', 'off', false),
  set_config('plan_cache_mode', 'force_generic_plan', false)`;

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

type ConnectorOptions = {
  /** A standby will do, as well as any; or only where no primary answers. */
  readonly standby?: 'as-well' | 'at-last' | undefined;
  /** Told of what a person should know of each connection that is made. */
  readonly report?: ((notice: string) => void) | undefined;
  readonly outages?: OutageListener | undefined;
};

/** A connection that is made when it is needed, and made again where it was lost. */
export class Connector {
  readonly #address: Address;
  readonly #options: ConnectorOptions;
  #open: Promise<Connection> | undefined;
  connectionsMade = 0;
  preparesByName = true;
  #isClosed = false;

  constructor(address: Address, options: ConnectorOptions = {}) {
    this.#address = address;
    this.#options = options;
  }

  /** Tries the hosts in their order until one answers as it must, or `until` (by `performance`) is over. */
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
    timeoutMs = 2000,
  ): Promise<readonly Answer[]> {
    const until = performance.now() + timeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      const connection = await this.connection(until);
      const isNamed = this.preparesByName;
      try {
        const named = name === undefined ? {} : { name };
        const left = Math.min(READ_MS, READ_MS + until - performance.now());
        const query = { ...named, ...statement, values: [...values], query_timeout: left };
        return (await connection.query(query)).rows;
      } catch (error) {
        if (isNamed && this.unnamed(error)) continue;
        if (attempt > 1 || !isConnectionLost(error)) throw error;
        connection.destroy();
      }
    }
  }

  /** Whether names are not found again, and given up for good: what was sent by one is asked again. */
  unnamed(error: unknown): boolean {
    if (!isForgotten(error)) return false;
    this.preparesByName = false;
    const remark = `${this.#address.shown} does not find again what was prepared, as behind a pooler: from now on every statement is sent whole.`;
    this.#options.report?.(remark);
    return true;
  }

  /** What is read for a client that left may come later still: it must not open another connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#open?.catch(() => undefined))?.close();
  }

  async #connect(until: number): Promise<Connection> {
    const { standby, outages } = this.#options;
    const { hosts } = this.#address;
    let wait = FIRST_PAUSE_MS;
    for (;;) {
      const met: unknown[] = [];
      const ways: Way[] = hosts.map((host) => ({ host, mayStandBy: standby === 'as-well' }));
      for (const way of ways) {
        try {
          return await this.#reach(way);
        } catch (error) {
          met.push(error);
          if (isStandby(error) && standby === 'at-last') ways.push({ ...way, mayStandBy: true });
        }
      }
      const isSettled = met.every((error) => isFinal(error));
      if (isSettled || performance.now() + wait >= until) {
        const error = ofEach(hosts, met);
        outages?.met(error);
        throw error;
      }
      await pause(wait);
      wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
    }
  }

  async #reach({ host, mayStandBy }: Way): Promise<Connection> {
    const { standby, outages, report } = this.#options;
    const { shown, unverified } = this.#address;
    const connection = await connect(this.#address, host, {
      mayStandBy,
      isNamed: () => this.preparesByName,
      outages,
    });
    outages?.over();
    this.connectionsMade += 1;
    const place = `${host.host}:${host.port}`;
    const remarks = [
      ...(unverified && !isSocket(host)
        ? [`${shown} is encrypted, but not verified: sslmode=verify-full tells who answers.`]
        : []),
      ...(mayStandBy && standby === 'at-last'
        ? [`${place} is a standby: what is read is as old as it is.`]
        : []),
    ];
    for (const remark of remarks) report?.(remark);
    return connection;
  }
}

type Way = { readonly host: Address['hosts'][number]; readonly mayStandBy: boolean };

type ConnectOptions = {
  readonly mayStandBy: boolean;
  readonly isNamed: () => boolean;
  readonly outages: OutageListener | undefined;
};

async function connect(
  address: Address,
  host: Address['hosts'][number],
  { mayStandBy, isNamed, outages }: ConnectOptions,
): Promise<Connection> {
  const { user, password, database, tls } = address;
  const socket = new Socket();
  const client = new Client({
    ...host,
    user,
    // Left alone, the driver looks itself, and remarks on standard error that it did.
    password: password ?? (() => filedPassword([host.host, `${host.port}`, database, user])),
    database,
    ssl: isSocket(host) ? false : tls,
    types: columnTypes,
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
      if (name === undefined) return client.query(query);
      const answer = client.query(isNamed() ? { name, ...query } : query);
      return outages?.watched(name, answer) ?? answer;
    },
    copyIn: (text, data) =>
      new Promise((resolve, reject) => {
        client.query(new CopyQuery(text, data, (error) => (error ? reject(error) : resolve())));
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
    if (asked.rows[0]?.standby !== true || mayStandBy) return connection;
    throw new StoreError('refused', `${host.host}:${host.port} is a standby.`);
  } catch (error) {
    connection.destroy();
    throw error;
  }
}
