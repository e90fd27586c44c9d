// A process that works on a database: through a store of ours, or with a connection for each client.
// Told what to do by messages, it answers how often it was done, or the milliseconds of each time.
import { Client } from 'pg';
import { openPostgres } from '../../server/store/postgres/open.ts';
import { CONTENT } from '../store/setting.ts';

type Told =
  | { readonly what: 'create' | 'insert'; readonly clients: number; readonly ms: number }
  | { readonly what: 'pages'; readonly of: number; readonly times: number }
  | { readonly what: 'delete'; readonly ids: readonly number[] };

const [address = ''] = process.argv.slice(2);
const { store } = await openPostgres({ address });
const raw: Client[] = [];
const insert = {
  name: 'insert',
  text: 'INSERT INTO raw (blog_id, body, tag, updated_at) VALUES (1, $1, $2, $3)',
};
const body = JSON.stringify({ id: 1, title: 'Title', content: CONTENT });

process.on('message', (told: Told) => void answer(told));
process.send?.('ready');

async function answer(told: Told): Promise<void> {
  if (told.what === 'pages') process.send?.(await pages(told.of, told.times));
  else if (told.what === 'delete') process.send?.(await deleted(told.ids));
  else {
    const { what, clients, ms } = told;
    if (what === 'insert') await connect(clients);
    process.send?.(await times(clients, ms, what === 'create' ? create : insertRaw));
  }
}

async function connect(clients: number): Promise<void> {
  while (raw.length < clients) {
    const client = new Client({ connectionString: address });
    await client.connect();
    raw.push(client);
  }
  while (raw.length > clients) await raw.pop()?.end();
}

async function create(): Promise<void> {
  await store.create(1, { title: 'Title', content: CONTENT });
}

async function insertRaw(client: number): Promise<void> {
  await raw[client]?.query({ ...insert, values: [body, '1-00000000', 1_700_000_000_000] });
}

/** How often the clients did it in that time. */
async function times(
  clients: number,
  ms: number,
  once: (client: number) => Promise<void>,
): Promise<number> {
  const until = performance.now() + ms;
  let done = 0;
  const work = async (client: number) => {
    while (performance.now() < until) {
      await once(client);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)));
  return done;
}

/** Milliseconds of the first page and of any, in turn. */
async function pages(of: number, rounds: number): Promise<readonly (readonly number[])[]> {
  const pairs: number[][] = [];
  for (let round = 0; round < rounds; round += 1) {
    const pair: number[] = [];
    for (const first of [0, Math.floor(Math.random() * (of - 20))]) {
      const startedAt = performance.now();
      const page = await store.page(1, first, 20);
      pair.push(performance.now() - startedAt);
      if (page?.articles.length !== 20) throw new Error(`No page from ${first}.`);
    }
    pairs.push(pair);
  }
  return pairs;
}

async function deleted(ids: readonly number[]): Promise<number> {
  const left = ids.values();
  const work = async () => {
    for (const id of left) await store.remove(1, id, () => undefined);
  };
  await Promise.all(Array.from({ length: 1000 }, work));
  return (await store.blog(1))?.total ?? 0;
}
