import { request } from 'node:http';
import { Client } from 'pg';
import { inject } from 'vitest';
import { createApp, type Service } from '../../server/app.ts';
import { type App, noBody } from '../../server/http/message.ts';
import { listen } from '../../server/http/node-adapter.ts';
import { initPostgres, openPostgres } from '../../server/store/postgres/open.ts';
import { startBalancer } from './balanced.ts';
import { freePort, sharedCluster } from './postgres.ts';
import {
  type Answer,
  bytesOf,
  headersFor,
  plainService,
  type Sent,
  type TestService,
} from './service.ts';

type Given = {
  readonly asked: ((plain: Service) => Partial<Service>) | undefined;
  /** One instance is asked, and it directly. */
  readonly alone: boolean;
};

/**
 * Two instances over sockets behind haproxy, which sends each request to any of them; every test has
 * a new database. Its clock is the one of the test, as the service's is: `clock_timestamp` is found
 * in a schema that stands before PostgreSQL's own.
 */
export async function startBalancedServices() {
  const cluster = await sharedCluster(inject('clusters'));
  const role = `clock_${cluster.port}_${process.pid}`;
  await cluster.sql(
    `CREATE ROLE ${role} LOGIN SUPERUSER; ALTER ROLE ${role} SET search_path = testing, pg_catalog`,
  );
  const template = (await cluster.database()).replace('postgres@', `${role}@`);
  const nameOf = (address: string) => address.slice(address.lastIndexOf('/') + 1);
  await initPostgres(template, { title: 'Café “B”', description: 'Words' });
  await cluster.sql(clock, nameOf(template));
  const admin = new Client({ connectionString: template.replace(nameOf(template), 'postgres') });
  await admin.connect();

  const apps: App[] = [ready, ready];
  const host = '127.0.0.1';
  const instances = await Promise.all(
    [0, 1].map((at) => listen((each) => (apps[at] ?? ready)(each), { host, port: 0 })),
  );
  const ports = instances.map(({ port }) => port);
  const balanced = await freePort();
  const balancer = await startBalancer(balanced, ports);
  let made = 0;

  async function given({ asked = () => ({}), alone }: Given) {
    const database = `${nameOf(template)}_${(made += 1)}`;
    await admin.query(`CREATE DATABASE ${database} TEMPLATE ${nameOf(template)}`);
    const address = template.replace(nameOf(template), database);
    const [one, two] = await Promise.all([openPostgres({ address }), openPostgres({ address })]);
    const { clock: time, moved } = movedClock(address);
    const reports: unknown[] = [];
    for (const [at, { store }] of [one, two].entries()) {
      const plain = plainService(store, time, reports);
      apps[at] = createApp({ ...plain, ...asked(plain) });
    }
    const send: TestService['send'] = async (method, target, sent = {}) => {
      await moved();
      if (alone) return exchange(ports[0] ?? 0, method, target, sent);
      const answer = await answered(() => exchange(balanced, method, target, sent));
      if (method === 'GET' && answer.status < 400) {
        for (const port of ports) requireSame(answer, await exchange(port, method, target, sent));
      }
      return answer;
    };
    const { store } = one;
    const service = { app: apps[0] ?? ready, store, owner: store, reports, clock: time, send };
    const end = async () => {
      await Promise.all([one.store.close(), two.store.close()]);
      await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    };
    return { service, end };
  }
  const stop = async () => {
    await balancer.stop();
    await Promise.all(instances.map((each) => each.stop(0)));
    await admin.end();
  };
  return { given, stop };
}

const start = Date.UTC(2026, 5, 1, 12, 0, 0, 500);
const clock = `CREATE SCHEMA testing; CREATE TABLE testing.clock AS SELECT ${start}::bigint AS now;
  CREATE FUNCTION testing.clock_timestamp() RETURNS timestamptz LANGUAGE sql
    AS 'SELECT to_timestamp(now / 1000.0) FROM testing.clock';
  UPDATE blogctl.blogs SET changed_at = ${start}`;

const ready: App = async () => ({ status: 200, headers: { 'Content-Length': '0' }, body: noBody });

/** Moves the database's clock as well, before the next request is sent. */
function movedClock(address: string) {
  let now = start;
  let isMoved = false;
  return {
    clock: {
      get now() {
        return now;
      },
      set now(next: number) {
        now = next;
        isMoved = true;
      },
    },
    moved: async () => {
      if (!isMoved) return;
      isMoved = false;
      const client = new Client({ connectionString: address });
      await client.connect();
      await client.query('UPDATE testing.clock SET now = $1', [now]);
      await client.end();
    },
  };
}

/** Where a body is refused before its end, the end of the connection can overtake the answer. */
async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const isCut = error instanceof Error && /hang up|ECONNRESET|EPIPE/.test(error.message);
      if (!isCut || tries === 5) throw error;
    }
  }
}

function exchange(port: number, method: string, target: string, sent: Sent): Promise<Answer> {
  const { body } = sent;
  const bytes = bytesOf(body);
  const own = headersFor(sent);
  // What names another length than it has is sent in chunks.
  if (body !== undefined && own['content-length'] !== String(bytes.length)) {
    delete own['content-length'];
    own['transfer-encoding'] = 'chunked';
  }
  return new Promise((resolve, reject) => {
    const asking = request({ port, path: target, setHost: false, headers: own, agent: false });
    asking.method = method;
    asking.on('error', reject);
    asking.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const json = text.startsWith('{') ? JSON.parse(text) : undefined;
        const fields = Object.entries(answer.headers).filter(([name]) => !ofConnection.has(name));
        const named = fields.map(([name, value]) => [fieldName(name), String(value)]);
        const { statusCode: status = 0 } = answer;
        resolve({ status, headers: Object.fromEntries(named), text, json });
      });
    });
    asking.end(bytes);
  });
}

const ofConnection = new Set(['connection', 'date', 'keep-alive', 'transfer-encoding']);

/** As the service writes it: haproxy makes every name small. */
function fieldName(name: string): string {
  if (name === 'etag') return 'ETag';
  if (name === 'www-authenticate') return 'WWW-Authenticate';
  return name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());
}

function requireSame(one: Answer, other: Answer): void {
  const [a, b] = [one, other].map(({ status, headers, text }) =>
    JSON.stringify([status, Object.entries(headers), text]),
  );
  if (a !== b) throw new Error(`Two instances answer differently:\n${a}\n${b}`);
}
