import { array, assert, asyncProperty, constantFrom, nat, tuple } from 'fast-check';
import { expect, it } from 'vitest';
import type { Page, Store, OwnerStore, Version } from '../../../../server/store/store.ts';
import { anyText } from '../../../support/any-text.ts';
import { type Opened, subjects } from './subjects.ts';

type Step = readonly [what: keyof typeof steps, number: number, text: string];
type One = Store & OwnerStore;
type Told = { readonly kind: string; readonly article?: unknown };

class Refused extends Error {}

/** Of an article's tag: equal on every instance, and never in two stores, whose clocks differ. */
const checksumWithDate = /( \d+ \d+)-[0-9a-f]{8}(?= (?:true|false))/g;

/** What each step answers, in words that must be the same in every store. */
const steps = {
  create: async ({ store }: Opened, _: number, title: string) =>
    told(await store.create(1, { title, content: title })),
  keyed: async ({ other }: Opened, number: number, title: string) => {
    const idempotency = { key: `${number % 5}`.repeat(64), request: hashOf(title) };
    return told(await other.create(1, { title }, { idempotency }));
  },
  guarded: async ({ other }: Opened, number: number, title: string) => {
    const holds = (page: Page) => {
      if (page.blog.total !== number) throw new Refused();
    };
    return refusedOr(other.create(1, { title }, { guard: { count: 3, holds } }));
  },
  replace: async ({ store }: Opened, number: number, title: string) =>
    told(await store.replace(1, number, { title }, () => undefined)),
  remove: async ({ other }: Opened, number: number) =>
    told(await other.remove(1, number, () => undefined)),
  /** Two changes of one version at once: one passes. */
  pair: async ({ store, other }: Opened, number: number, title: string) => {
    const current = await other.read(1, number);
    if (current.kind !== 'article') return current.kind;
    const guard = ({ tag }: Version) => {
      if (tag !== current.article.tag) throw new Refused();
    };
    const writers = [store, other].map((one) =>
      refusedOr(one.replace(1, number, { title }, guard)),
    );
    return (await Promise.all(writers)).sort();
  },
  lock: async ({ other }: Opened, number: number) =>
    told(await other.lockArticle(1, number, number % 2 === 0)),
  // Its title comes from a command line, which has no U+0000.
  blog: async ({ store }: Opened, number: number, text: string) => {
    const title = text.replaceAll('\0', '');
    return store.changeBlog(1, number < 6 ? { title } : { locked: number % 2 === 0 });
  },
} as const;

const kinds = Object.keys(steps).filter((name): name is keyof typeof steps => name in steps);
const stories = array(tuple(constantFrom(...kinds), nat(12), anyText(30)), { maxLength: 30 });
const runs = Number(process.env['BLOGCTL_MODEL_RUNS'] ?? 10);

it('a story ends alike in every store, whichever instance is asked', async () => {
  const property = asyncProperty(stories, async (story) => {
    const [first, ...others] = await Promise.all(subjects.map((subject) => lived(subject, story)));
    for (const other of others) expect(other).toEqual(first);
  });
  await expect(assert(property, { numRuns: runs })).resolves.toBeUndefined();
});

/** Each step asks the other instance than the step before. */
async function lived(subject: (typeof subjects)[number], story: readonly Step[]) {
  const opened = await subject.open();
  const answers: unknown[] = [];
  for (const [at, [what, number, text]] of story.entries()) {
    const { store, other } = opened;
    const dealt = at % 2 === 0 ? opened : { ...opened, store: other, other: store };
    answers.push([what, await steps[what](dealt, number, text)]);
  }
  const all = await readings(opened.store);
  expect(await readings(opened.other)).toEqual(all);
  expect(await readings(await opened.reopened())).toEqual(all);
  await opened.end();
  return JSON.stringify([...answers, all]).replaceAll(checksumWithDate, '$1');
}

async function readings(store: One) {
  const [page, blog] = [await store.page(1, 0, 100), await store.blog(1)];
  const articles = page?.articles.map((article) => told({ kind: 'listed', article }));
  const found: unknown[] = [];
  for (let id = 0; id <= 40; id += 1) found.push(told(await store.read(1, id)));
  for (let key = 0; key < 5; key += 1) {
    found.push(told(await store.readByKey(1, `${key}`.repeat(64))));
  }
  return [articles, blog?.total, blog?.tag, blog?.locked, found];
}

function told(answer: Told): string {
  if (answer.article === undefined) return answer.kind;
  const { id, tag, locked, json } = Object(answer.article);
  return `${answer.kind} ${id} ${tag} ${locked} ${json}`;
}

async function refusedOr(asked: Promise<Told>): Promise<string> {
  try {
    return told(await asked);
  } catch (error) {
    if (error instanceof Refused) return 'refused';
    throw error;
  }
}

function hashOf(text: string): string {
  return Buffer.from(text).toString('hex').slice(0, 64).padEnd(64, '0');
}
