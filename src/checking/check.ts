import { articlesOf } from '../hal/document.ts';
import { withQuery } from '../hal/links.ts';
import { type Addresses, readAbsent } from './addresses.ts';
import { countArticles, type Counted, moved, readAlone, reader } from './listing.ts';
import { isGone, type Kind, type Outcome, type SentenceNumber, shown, Skipped } from './outcome.ts';
import type { Rest } from './remains.ts';
import { withToken } from '../http/connection.ts';
import type { Transport } from '../http/transport.ts';
import type { Extra, Kept, Own, Reply, Send, Wire } from './wire.ts';

export type Check = {
  readonly number: SentenceNumber;
  readonly kind: Kind;
  /** It changes articles of its own, so it is done with --write alone. */
  readonly writes: boolean;
  /** Rules without which this one tells nothing: where one is broken, this one is skipped. */
  readonly needs: readonly SentenceNumber[];
  /**
   * A rule that holds resolves, to what of it alone was tried where that is not all; one that does not
   * throws Broken. A choice resolves to what the service does, a note to its reason. What cannot be
   * seen here throws Skipped.
   */
  readonly run: (probe: Probe) => Promise<string | void>;
  /** Of a note: it is known without looking. */
  readonly reason?: string;
};

/** What is told of a sentence that the run did not come to. */
export function unseen({ reason }: Check): Outcome {
  return reason === undefined
    ? { outcome: 'skipped', what: 'stopped before it' }
    : { outcome: 'note', what: reason };
}

type Terms = Partial<Pick<Check, 'writes' | 'needs'>>;
type Given = readonly [Check['run']] | readonly [Terms, Check['run']];

/** Of what changes articles. */
export const writing = { writes: true } as const;

const checkOf =
  (kind: Kind) =>
  (number: SentenceNumber, ...given: Given): Check => {
    const [terms, run] = given.length === 1 ? [{}, given[0]] : given;
    return { number, kind, writes: false, needs: [], ...terms, run };
  };
export const rule = checkOf('rule');
export const choice = checkOf('choice');

/** A sentence that is not checked, and why. */
export function note(number: SentenceNumber, reason: string): Check {
  return { number, kind: 'note', writes: false, needs: [], run: async () => reason, reason };
}

/** What several checks look at is done once. */
export function once<T>(act: (probe: Probe) => Promise<T>): (probe: Probe) => Promise<T> {
  const done = new WeakMap<Probe, Promise<T>>();
  return (probe) => {
    const known = done.get(probe) ?? act(probe);
    done.set(probe, known);
    // A lost answer is asked for again.
    known.catch(() => done.delete(probe));
    return known;
  };
}

/** The articles of a run, all of one name: no other article is ever changed. */
export type OwnArticles = {
  readonly title: string;
  /** The addresses of all. */
  readonly made: ReadonlySet<string>;
  /** Those that no check changes. */
  readonly kept: readonly Own[];
  /** Why no more can be made or changed. */
  readonly closed: Skipped | undefined;
  /** Ends the run where the token may not do all that the checks do. */
  keep(count: number): Promise<void>;
  /** One more, to be changed. */
  make(content?: string): Promise<Kept>;
  /** POST to the collection that may be refused; what it makes is known as ours, however it was answered. */
  post(extra: Extra): Promise<Reply>;
  /** What was answered to what 4.12 has to answer. */
  readonly creations: readonly Reply[];
  /** Answers that refused a POST whose article is there all the same. */
  readonly slips: readonly Reply[];
  /** As `post`, of what 4.12 has to answer. */
  create(json: unknown): Promise<Reply>;
  /** Whether the service wants a condition for any change. */
  readonly isGuarded: boolean;
  /** PUT or DELETE; where the service wants a condition for any change it gets one. */
  change(method: string, url: string, extra?: Extra): Promise<Reply>;
  /** PUT or DELETE where nothing is, which a wrong service does to the newest article: one of ours is. What is done after all is the last change. */
  changeNothing(
    number: SentenceNumber,
    ...change: Parameters<OwnArticles['change']>
  ): Promise<Reply>;
  /** Deletes them all. */
  clear(): Promise<Rest>;
};

/** What the checks look at: each thing is read once, and all of them see the same. */
export type Probe = Addresses & {
  readonly send: Send;
  readonly wire: Wire;
  readonly blog: Reply;
  /** The articles that may be changed; Skipped where only reading is allowed. */
  readonly own: () => OwnArticles;
  readonly mayWrite: boolean;
  /** A page by its index and size; without them the one that the service chooses. */
  page(index?: number, size?: number): Promise<Reply>;
  counted(): Promise<Counted>;
  /** Pages are read again, and what was counted is counted again. */
  recount(): void;
  /** An article that no check changes, as it is when read by itself. */
  article(): Promise<Reply>;
  /** Blog, page and, where there is one, article. */
  shown(): Promise<readonly Reply[]>;
  /** By queries that a service need not allow; where it shows a page, that has the members of one. */
  odd(): Promise<ReadonlyMap<string, Reply>>;
  /** What is answered to a read of an article that is not there. */
  absent(): Promise<Reply>;
};

type ProbeOptions = {
  readonly send: Send;
  readonly wire: Wire;
  readonly blog: Reply;
  readonly addresses: Addresses;
  /** Or why there are none. */
  readonly own: OwnArticles | Skipped;
};

const oddQueries = [
  ['pageIndex', '0'],
  ['pageSize', '0'],
  ['pageSize', '100000'],
  ['pageIndex', '-1'],
  ['pageSize', '-1'],
  ['pageIndex', '1000000000'],
  ['pageSize', 'blogctl'],
] as const;

function onceOnly<T>(read: () => Promise<T>): () => Promise<T> {
  let known: Promise<T> | undefined;
  return () => (known ??= read());
}

/** How often an article is looked for that is listed and not there. */
const attempts = 3;

export function createProbe({ send, wire, blog, addresses, own }: ProbeOptions): Probe {
  const pages = new Map<string, Promise<Reply>>();
  let counted: Promise<Counted> | undefined;

  const read = reader(send, addresses);

  const probe: Probe = {
    ...addresses,
    send,
    wire,
    blog,
    get mayWrite() {
      return !(own instanceof Skipped) && own.closed === undefined;
    },
    own: () => {
      const closed = own instanceof Skipped ? own : own.closed;
      if (own instanceof Skipped || closed !== undefined) throw closed;
      return own;
    },
    page: (index, size) => {
      const name = `${index} ${size}`;
      const known = pages.get(name) ?? read(index, size);
      pages.set(name, known);
      return known;
    },
    odd: onceOnly(readOddly),
    counted: () => (counted ??= countArticles(send, addresses)),
    recount: () => {
      counted = undefined;
      pages.clear();
    },
    article: onceOnly(anArticle),
    absent: onceOnly(() => readAbsent(send, addresses)),
    shown: async () => {
      const page = await probe.page(1, 1);
      const listed = page.document === undefined ? [] : articlesOf(page.document);
      const isArticle = listed.length > 0 || !(own instanceof Skipped || own.kept.length === 0);
      return [blog, page, ...(isArticle ? [await probe.article()] : [])];
    },
  };
  return probe;

  async function readOddly(): Promise<ReadonlyMap<string, Reply>> {
    const replies = new Map<string, Reply>();
    for (const [name, value] of oddQueries) {
      const url = withQuery(addresses.collection, { [name]: value });
      replies.set(`${name}=${value}`, await send('GET', url, { isOdd: true }));
    }
    return replies;
  }

  async function anArticle(): Promise<Reply> {
    for (const { url } of own instanceof Skipped ? [] : own.kept) {
      const reply = await send('GET', url);
      if (!isGone.has(reply.status)) return reply;
    }
    let [listed] = articlesOf(shown(await probe.page(1, 1), '4.14'));
    for (let tried = 1; tried <= attempts; tried += 1) {
      if (listed === undefined) throw new Skipped('the blog has no article; --write makes some');
      const reply = await readAlone(send, listed, probe);
      if (!isGone.has(reply.status)) return reply;
      // Somebody may have deleted it since it was listed.
      const [now] = articlesOf(shown(await read(1, 1), '4.14'));
      if (now !== undefined && now.body['id'] === listed.body['id']) return reply;
      listed = now;
    }
    throw new Skipped(moved);
  }
}

export type Sender = {
  readonly blogUrl: string;
  /** Sends no token. */
  readonly anonymous: Transport;
  /** For changes; without it there are none. */
  readonly token?: string | undefined;
};

export function sender({ anonymous, token, blogUrl }: Sender, wire: Wire, evenNow = false): Send {
  const { origin } = new URL(blogUrl);
  // The token goes to the blog's own origin alone.
  const authorized = token === undefined ? anonymous : withToken(anonymous, { origin, token });
  return (
    method,
    url,
    { headers, json, body, anonymous: isAnonymous = false, isOdd = false } = {},
  ) => {
    const accept = 'application/hal+json';
    const text = json === undefined ? body : JSON.stringify(json);
    const type = json === undefined ? {} : { 'content-type': 'application/json' };
    const transport = isAnonymous ? anonymous : authorized;
    const request = { method, url, headers: { accept, ...type, ...headers } };
    const whole = text === undefined ? request : { ...request, body: text };
    return wire.send(transport, whole, { evenNow, isAnonymous, isOdd });
  };
}
