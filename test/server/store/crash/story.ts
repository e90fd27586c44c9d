import { setTimeout as wait } from 'node:timers/promises';
import { createJsonFile } from '../../../../server/store/json-file/create.ts';
import type { JsonFileStore } from '../../../../server/store/json-file/json-file-store.ts';
import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from '../../../../server/store/file-system/memory-file-system.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import type { Article, Found, FoundArticle, Idempotency } from '../../../../server/store/store.ts';
import type { FileSystem } from '../../../../server/store/file-system/file-system.ts';
import { withPauses } from '../support/pausing-file-system.ts';
import type { Random } from '../../../support/random.ts';
import type { Image } from './crash-images.ts';
import { NOTHING_PROMISED, UNKNOWN_ID, type InFlight, type Promises, type State } from './model.ts';

export const PATH = '/blog.json';
const SCRAPS = [
  'alpha ',
  'be"ta ',
  String.raw`gam\ma `,
  '{"id":7} ',
  '],\n',
  'é“x” ',
  ',"etag":"1-',
];

/** A run of the store on a disk that remembers every call; marks in its trace say what was promised. */
export type Story = {
  readonly base: Image;
  readonly disk: MemoryFileSystem;
  /** What was promised, by the number of the mark. */
  readonly promises: readonly Promises[];
};

/** Makes a file, or takes the one given, and lives with it for some steps. */
export async function tellStory(random: Random, start?: Image): Promise<Story> {
  const base = start ?? new Map<string, Buffer>();
  const disk = createMemoryFileSystem(base, { trace: true });
  if (start === undefined) await createJsonFile(PATH, { title: 'Blog', description: '' }, disk);
  const teller = new Teller(disk, random, await promisedAtFirst(base));
  teller.mark();
  await teller.open();
  for (let step = 0; step < 6; step += 1) await teller.step();
  await teller.end();
  return { base, disk, promises: teller.marks };
}

/** A file that people wrote promises what it opens as. */
async function promisedAtFirst(base: Image): Promise<Promises> {
  if (base.size === 0) return NOTHING_PROMISED;
  const probe = await openJsonFile({
    path: PATH,
    fileSystem: createMemoryFileSystem(base),
    now: () => 1,
  });
  const articles = new Map<number, { state: State; tag: string }>();
  for (let id = 1; id < 40; id += 1) {
    const found = await probe.read(1, id);
    if (found.kind !== 'absent') articles.set(id, { state: stateOf(found), tag: '' });
  }
  await probe.close();
  return { ...NOTHING_PROMISED, articles };
}

export function stateOf(found: FoundArticle | Found): State {
  return found.kind === 'article' ? found.article.json.toString() : null;
}

class Teller {
  readonly marks: Promises[] = [];
  readonly #disk: MemoryFileSystem;
  readonly #slow: FileSystem;
  readonly #random: Random;
  readonly #articles: Map<number, { state: State; tag: string }>;
  readonly #inFlight = new Set<InFlight>();
  readonly #keys = new Map<string, number>();
  #keyCount = 0;
  #changedAt = 0;
  #clock = 1_800_000_000_000;
  #store: JsonFileStore | undefined;

  constructor(disk: MemoryFileSystem, random: Random, start: Promises) {
    this.#disk = disk;
    this.#slow = withPauses(disk, random);
    this.#random = random;
    this.#articles = new Map(start.articles);
  }

  mark(): void {
    this.#disk.mark(this.marks.length);
    this.marks.push({
      articles: new Map(this.#articles),
      inFlight: [...this.#inFlight],
      keys: new Map(this.#keys),
      changedAt: this.#changedAt,
    });
  }

  async open(idleMs = 2 ** 30): Promise<void> {
    const now = () => (this.#clock += 1);
    this.#store = await openJsonFile({ path: PATH, fileSystem: this.#slow, now, idleMs });
  }

  async end(): Promise<void> {
    await this.#store?.close();
  }

  /**
   * A compaction, a restart, some changes at once or while a compaction runs, a file that shrinks,
   * a rest.
   */
  async step(): Promise<void> {
    const store = this.#store;
    if (store === undefined) return;
    const chance = this.#random.next();
    if (chance < 0.18) await store.compact();
    else if (chance < 0.28) {
      await store.close();
      await this.open();
    } else if (chance < 0.45)
      await Promise.all([this.#changes(store), store.compact(), this.#changes(store)]);
    else if (chance < 0.55) await this.#shrink(store);
    else if (chance < 0.6) await this.#rest(store);
    else await this.#changes(store);
  }

  /** What was promised of the place where a crash can tear the file ends with the place. */
  async #shrink(store: JsonFileStore): Promise<void> {
    const remove = (id: number) => store.remove(1, id, () => undefined);
    const alive = this.#aliveAndFree();
    await Promise.all(alive.map((id) => this.#promise({ id, state: null }, remove(id))));
    await store.compact();
    await this.#changes(store);
  }

  /** Long enough for the file to be tidied, or ended as a close would end it. */
  async #rest(store: JsonFileStore): Promise<void> {
    await store.close();
    await this.open(1);
    if (this.#store === undefined) return;
    await this.#changes(this.#store);
    await wait(5);
    await this.#changes(this.#store);
    await this.#store.close();
    await this.open();
  }

  async #changes(store: JsonFileStore): Promise<void> {
    const count = 1 + this.#random.below(3);
    await Promise.all(Array.from({ length: count }, () => this.#change(store)));
  }

  async #change(store: JsonFileStore): Promise<void> {
    const alive = this.#aliveAndFree();
    const chance = this.#random.next();
    if (chance < 0.55 || alive.length === 0) return this.#create(store);
    const id = this.#random.oneOf(alive);
    const content = this.#text(80);
    if (chance < 0.75) {
      const state = JSON.stringify({ id, title: 'new', content });
      return void (await this.#promise(
        { id, state },
        store.replace(1, id, { title: 'new', content }, () => undefined),
      ));
    }
    await this.#promise(
      { id, state: null },
      store.remove(1, id, () => undefined),
    );
  }

  #aliveAndFree(): number[] {
    const busy = new Set([...this.#inFlight].map(({ id }) => id));
    return [...this.#articles]
      .filter(([id, { state }]) => state !== null && !busy.has(id))
      .map(([id]) => id);
  }

  async #create(store: JsonFileStore): Promise<void> {
    const draft = { title: this.#text(10), content: this.#text(this.#length()) };
    const key =
      this.#random.next() < 0.3 ? { key: `a${this.#keyCount++}`, request: 'b' } : undefined;
    const creation = { id: UNKNOWN_ID, state: JSON.stringify({ id: UNKNOWN_ID, ...draft }) };
    const article = await this.#promise(creation, created(store, draft, key));
    if (key === undefined) return;
    this.#keys.set(key.key, article.id);
    this.mark();
  }

  /** In flight from now on; promised as soon as it is acknowledged. */
  async #promise(change: InFlight, answer: Promise<FoundArticle | Found>): Promise<Article> {
    // The change got its date when it was asked for, or gets a later one.
    const askedAt = this.#clock;
    this.#inFlight.add(change);
    this.mark();
    const found = await answer;
    if (found.kind !== 'article')
      throw new Error(`the change of article ${change.id} was ${found.kind}`);
    const { article } = found;
    this.#inFlight.delete(change);
    const dead = change.state === null;
    const state = dead ? null : article.json.toString();
    this.#articles.set(article.id, { state, tag: dead ? '' : article.tag });
    this.#changedAt = Math.max(this.#changedAt, askedAt);
    this.mark();
    return article;
  }

  /** Sometimes past a page of the kernel's cache. */
  #length(): number {
    return 20 + this.#random.below(this.#random.below(100) === 0 ? 5000 : 150);
  }

  #text(length: number): string {
    let text = '';
    while (text.length < length) text += this.#random.oneOf(SCRAPS);
    return text;
  }
}

async function created(
  store: JsonFileStore,
  draft: { title: string; content: string },
  key: Idempotency | undefined,
): Promise<FoundArticle> {
  const creation = await store.create(1, draft, { idempotency: key });
  return 'article' in creation
    ? { kind: 'article', article: creation.article }
    : { kind: 'absent' };
}
