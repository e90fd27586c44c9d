// oxlint-disable vitest/no-standalone-expect -- asked inside a test
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { PostgresStore } from '../../../../server/store/postgres/postgres-store.ts';
import { StoreError, type Version } from '../../../../server/store/store.ts';

/** What was answered, by any of the instances. */
type Written = { readonly entries: Map<number, Entry>; removed: number; count: number };
type Entry = { readonly title: string; readonly revision: number };

const passing = ['overloaded', 'unreachable', 'outcome-unknown'];

/** Makes changes in a store, and writes down what was answered: that, and nothing else, must be in it. */
export class Ledger {
  readonly #store: PostgresStore;
  readonly #shared: Written;
  /** How often a client was told to come again. */
  refusals = 0;
  #wasInDoubt = false;

  constructor(
    store: PostgresStore,
    shared: Written = { entries: new Map(), removed: 0, count: 0 },
  ) {
    this.#store = store;
    this.#shared = shared;
  }

  /** The same ledger for what another instance is asked. */
  beside(store: PostgresStore): Ledger {
    return new Ledger(store, this.#shared);
  }

  /** Of the articles that are there, in the order of their answers. */
  ids(): readonly number[] {
    return [...this.#shared.entries.keys()];
  }

  get size(): number {
    return this.#shared.entries.size;
  }

  /** With a key, so that it may be repeated where the answer says so. */
  async create(): Promise<number> {
    const title = `Article ${(this.#shared.count += 1)}`;
    const idempotency = { key: hash('sha256', title), request: hash('sha256', `${title}!`) };
    const made = await this.#again(() => this.#store.create(1, { title }, { idempotency }));
    if (made.kind !== 'created' && made.kind !== 'replayed') throw new TypeError(made.kind);
    const { id } = made.article;
    expect(this.#shared.entries.get(id)).toBeUndefined();
    this.#shared.entries.set(id, { title, revision: 1 });
    return id;
  }

  /** As its only writer: a repetition finds the tag of before, or its own. */
  async replace(id: number): Promise<void> {
    const { title = '', revision = 0 } = this.#shared.entries.get(id) ?? {};
    const next = { title: `${title}+`, revision: revision + 1 };
    const done = new Error('It was saved before.');
    const guard = ({ tag }: Version) => {
      if (tag.startsWith(`${next.revision}-`)) throw done;
      expect(tag).toMatch(new RegExp(`^${revision}-`));
    };
    await this.#again(() => this.#store.replace(1, id, { title: next.title }, guard)).catch(
      (error: unknown) => {
        if (error !== done || !this.#wasInDoubt) throw error;
      },
    );
    this.#shared.entries.set(id, next);
  }

  async remove(id: number): Promise<void> {
    expect(await this.#store.remove(1, id, () => undefined)).toMatchObject({ kind: 'article' });
    this.#shared.entries.delete(id);
    this.#shared.removed += 1;
  }

  /** What is lost, doubled, changed twice or left out, in words. */
  async broken(store: PostgresStore): Promise<readonly string[]> {
    const { entries, removed } = this.#shared;
    const broken: string[] = [];
    const missing = new Map(entries);
    for (let first = 0; ; first += 500) {
      const { articles = [] } = (await store.page(1, first, 500)) ?? {};
      for (const { id, json, tag } of articles) {
        const found = `${JSON.parse(String(json)).title} in revision ${Number.parseInt(tag, 10)}`;
        const { title, revision } = missing.get(id) ?? {};
        const answered = `${title} in revision ${revision}`;
        if (found !== answered) broken.push(`article ${id} is ${found}, not ${answered}`);
        missing.delete(id);
      }
      if (articles.length < 500) break;
    }
    for (const [id, { title }] of missing) broken.push(`article ${id} is lost: ${title}`);
    const total = (await store.blog(1))?.total;
    if (total !== entries.size) broken.push(`${total} are counted, not ${entries.size}`);
    const next = await store.create(1, { title: 'The next id' });
    const id = next.kind === 'created' ? next.article.id : 0;
    const made = entries.size + removed;
    if (id !== made + 1) broken.push(`after ${made} articles comes ${id}`);
    return broken;
  }

  told(): string {
    const { entries, removed } = this.#shared;
    return `${entries.size + removed} articles made, ${removed} removed: none lost, doubled or left out`;
  }

  /** As a client repeats what was answered 503, or 500 outcome-unknown. */
  async #again<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof StoreError) || !passing.includes(error.failure)) throw error;
        this.refusals += 1;
        this.#wasInDoubt ||= error.failure === 'outcome-unknown';
        await pause(100);
      }
    }
  }
}
