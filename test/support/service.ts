import { createApp, type Service } from '../../server/app.ts';
import { Refusal } from '../../server/errors.ts';
import type { App } from '../../server/http/message.ts';
import { wholeOf } from '../../server/representations/representation.ts';
import { createMemoryFileSystem } from '../../server/store/file-system/memory-file-system.ts';
import { openJsonFile } from '../../server/store/json-file/open.ts';
import type { Store, OwnerStore } from '../../server/store/store.ts';
import type { TokenGrant } from '../../server/store/tokens.ts';

export const api = '/api/v1.2';
export const articles = `${api}/blogs/1/articles`;

export type Sent = {
  readonly headers?: Readonly<Record<string, string>>;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  /** undefined sends the one that may do everything, null sends none. */
  readonly token?: string | null;
};

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The body as JSON, loosely typed for tests. */
  readonly json: Json;
};

// oxlint-disable-next-line typescript/no-explicit-any -- a test looks into documents freely
export type Json = any;

export type TestService = {
  readonly app: App;
  readonly store: Store;
  /** The same store as its operator sees it. */
  readonly owner: OwnerStore;
  /** What the service reported as its own failures. */
  readonly reports: unknown[];
  /** Milliseconds since the epoch; tests move it. */
  readonly clock: { now: number };
  readonly send: (method: string, target: string, sent?: Sent) => Promise<Answer>;
};

const grants: Readonly<Record<string, TokenGrant>> = {
  all: { name: 'all', rights: ['create', 'update', 'delete'] },
  reader: { name: 'reader', rights: [] },
  creator: { name: 'creator', rights: ['create'] },
  elsewhere: { name: 'elsewhere', rights: ['create', 'update', 'delete'], blogs: [2] },
  expired: { name: 'expired', rights: ['create'], expiresAt: Date.UTC(2026, 0, 1) },
};

/** A service over the real store on a file system in memory; `change` replaces parts of it. */
export async function givenService(
  change: (service: Service) => Partial<Service> = () => ({}),
): Promise<TestService> {
  const clock = { now: Date.UTC(2026, 5, 1, 12, 0, 0, 500) };
  const store = await givenStore(clock);
  const reports: unknown[] = [];
  const plain = plainService(store, clock, reports);
  const service = { ...plain, ...change(plain) };
  const app = createApp(service);
  return { app, store: service.store, owner: store, reports, clock, send: sender(app) };
}

/** As an operator has it who asks for nothing; `clock` in milliseconds since the epoch. */
export function plainService(
  store: Store,
  clock: { readonly now: number },
  reports: unknown[],
): Service {
  return {
    store,
    tokens: (token) => (Object.hasOwn(grants, token) ? grants[token] : undefined),
    now: () => clock.now,
    target: { hosts: { loopback: true, allowed: [] }, trusts: () => false },
    origins: [],
    rules: {
      maxPageSize: 1000,
      maxBodyBytes: 1024 * 1024,
      readOnly: false,
      requirePreconditions: false,
    },
    report: (error) => reports.push(error),
  };
}

async function givenStore(clock: { now: number }): Promise<Store & OwnerStore> {
  const path = '/blog.json';
  const blogs = [{ id: 1, title: 'Café “B”', description: 'Words' }];
  const text = JSON.stringify({ format: 'blogctl/1', blogs, articles: [] });
  const fileSystem = createMemoryFileSystem([[path, text]]);
  return openJsonFile({ path, fileSystem, now: () => clock.now });
}

export function sender(app: App): TestService['send'] {
  return async (method, target, sent = {}) => {
    const bytes = bytesOf(sent.body);
    const all = headersFor(sent);
    const response = await app({
      method,
      target,
      peer: '127.0.0.1',
      headers: all,
      lines: Object.entries(all).flat(),
      body: async (limitBytes) => {
        if (bytes.length <= limitBytes) return bytes;
        throw new Refusal('payload-too-large', `A body has at most ${limitBytes} bytes.`);
      },
    });
    const text = Buffer.from(await wholeOf(response.body)).toString();
    const { status, headers: own } = response;
    return {
      status,
      headers: own,
      text,
      json: text.startsWith('{') ? JSON.parse(text) : undefined,
    };
  };
}

/** What is sent where nothing else is said. */
export function headersFor({ headers = {}, body, token = 'all' }: Sent): Record<string, string> {
  return {
    host: 'localhost:4000',
    ...(token !== null && { 'x-access-token': token }),
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(bytesOf(body).length),
    }),
    ...headers,
  };
}

export function bytesOf(body: unknown): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body);
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
}

/** Creates articles named `Title 1` to `Title n` in order. */
export async function givenArticles({ send }: TestService, count: number): Promise<void> {
  for (let at = 1; at <= count; at += 1) {
    await send('POST', articles, { body: { title: `Title ${at}`, content: `Content ${at}` } });
  }
}
