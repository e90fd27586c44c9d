import { writeSync } from 'node:fs';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import type { Article } from '../../../../server/store/store.ts';

/**
 * node program.mjs <path>: four writers that never stop. Each says `try` before and `ack` after a
 * change, with the article's id (0: not known yet) and its JSON (null: deleted).
 */
const [path = ''] = process.argv.slice(2);
const store = await openJsonFile({ path, restMs: 20 });
const page = await store.page(1, 0, 1000);
const alive = new Set(page.articles.map(({ id }) => id));
let changes = 0;

function say(word: 'try' | 'ack', number: number, id: number, state: string | null): void {
  writeSync(1, `${JSON.stringify([word, number, id, state])}\n`);
}

async function change(): Promise<void> {
  const number = (changes += 1);
  const draft = { title: `t${number}`, content: 'x'.repeat(Math.floor(Math.random() * 4000)) };
  const chance = Math.random();
  const id = [...alive][Math.floor(Math.random() * alive.size)];
  if (id === undefined || (chance < 0.5 && alive.size < 200)) return create(number, draft);
  alive.delete(id);
  if (chance < 0.75) return replace(number, id, draft);
  say('try', number, id, null);
  await store.remove(1, id, () => undefined);
  say('ack', number, id, null);
}

type Draft = { title: string; content: string };

async function create(number: number, draft: Draft): Promise<void> {
  say('try', number, 0, JSON.stringify({ id: 0, ...draft }));
  const creation = await store.create(1, draft);
  if ('article' in creation) made(number, creation.article);
}

async function replace(number: number, id: number, draft: Draft): Promise<void> {
  say('try', number, id, JSON.stringify({ id, ...draft }));
  const found = await store.replace(1, id, draft, () => undefined);
  if (found.kind === 'article') made(number, found.article);
}

function made(number: number, { id, json }: Article): void {
  say('ack', number, id, json.toString());
  alive.add(id);
}

async function writer(): Promise<never> {
  for (;;) {
    if (Math.random() < 0.02) await store.compact();
    await change();
  }
}

await Promise.all([writer(), writer(), writer(), writer()]);
