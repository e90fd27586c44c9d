import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from '../../../../server/store/file-system/memory-file-system.ts';
import type { JsonFileStore } from '../../../../server/store/json-file/json-file-store.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import type { Image } from './crash-images.ts';
import { allowedStates, UNKNOWN_ID, type Promises } from './model.ts';
import { PATH, stateOf } from './story.ts';

export type Verdict = {
  /** What promise was broken; undefined where all were kept. */
  readonly broken: string | undefined;
  /** The calls on the disk while it recovered. */
  readonly trace: MemoryFileSystem['trace'];
  readonly mended: boolean;
};

const idleMs = 2 ** 30;

/** Opens what a crash left and holds it against what was promised. */
export async function judge(image: Image, promises: Promises): Promise<Verdict> {
  const disk = createMemoryFileSystem(image, { trace: true });
  try {
    const store = await openJsonFile({ path: PATH, fileSystem: disk, now: () => 2e12, idleMs });
    const broken = (await brokenPromise(store, promises)) ?? (await brokenFile(disk, store));
    const trace = [...disk.trace];
    await store.close();
    return { broken, trace, mended: store.recovery.kind !== 'trusted' };
  } catch (error) {
    return { broken: `recovery threw ${String(error)}`, trace: disk.trace, mended: true };
  }
}

async function brokenPromise(
  store: JsonFileStore,
  promises: Promises,
): Promise<string | undefined> {
  const ids = new Set(promises.articles.keys());
  for (const id of ids) {
    const found = await store.read(1, id);
    const state = found.kind === 'absent' ? undefined : stateOf(found);
    if (!allowedStates(promises, id).includes(state)) return `article ${id} is ${String(state)}`;
    const known = promises.articles.get(id);
    const same = known?.state === state && found.kind === 'article' && known?.tag !== '';
    if (same && found.article.tag !== known?.tag)
      return `article ${id} has tag ${found.article.tag}, not ${known?.tag}`;
  }
  return (
    (await strangers(store, promises)) ??
    (await forgottenKey(store, promises)) ??
    changedBefore(store, promises)
  );
}

async function strangers(store: JsonFileStore, promises: Promises): Promise<string | undefined> {
  const { articles = [], blog } = (await store.page(1, 0, 1000)) ?? {};
  const created = new Set(
    promises.inFlight.filter(({ id }) => id === UNKNOWN_ID).map(({ state }) => state),
  );
  const unknown = articles.filter(({ id }) => !promises.articles.has(id));
  const stranger = unknown.find(
    ({ id, json = '' }) => !created.delete(json.toString().replace(`{"id":${id},`, '{"id":0,')),
  );
  if (stranger !== undefined) return `article ${stranger.id} was never asked for`;
  return articles.length === blog?.total
    ? undefined
    : `${blog?.total} counted, ${articles.length} listed`;
}

async function forgottenKey(
  store: JsonFileStore,
  { articles, keys, inFlight }: Promises,
): Promise<string | undefined> {
  // Of a deleted article if there is one: its key is the easier one to lose.
  const isDead = ([, id]: readonly [string, number]) => articles.get(id)?.state === null;
  const last = [...keys].find(isDead) ?? [...keys].at(-1);
  if (last === undefined || inFlight.some(({ id }) => id === last[1])) return undefined;
  const [key, id] = last;
  const creation = await store.create(
    1,
    { title: 'again' },
    { idempotency: { key, request: 'b' } },
  );
  if (creation.kind === 'gone') return stateIsGone(store, id);
  return creation.kind === 'replayed' && creation.article.id === id
    ? undefined
    : `key ${key} is ${creation.kind}`;
}

async function stateIsGone(store: JsonFileStore, id: number): Promise<string | undefined> {
  const found = await store.read(1, id);
  return found.kind === 'gone' ? undefined : `the key of ${id} is gone, the article ${found.kind}`;
}

async function changedBefore(
  store: JsonFileStore,
  promises: Promises,
): Promise<string | undefined> {
  const blog = await store.blog(1);
  return blog === undefined || blog.changedAt < promises.changedAt
    ? `the blog changed at ${promises.changedAt}, not ${blog?.changedAt}`
    : undefined;
}

/** Once it is confirmed the file is JSON, and opening it again finds nothing to do. */
async function brokenFile(
  disk: MemoryFileSystem,
  store: JsonFileStore,
): Promise<string | undefined> {
  await store.confirm();
  const before = await store.blogs();
  const files = disk.files();
  const content = files.get(PATH)?.toString() ?? '';
  try {
    JSON.parse(content);
  } catch {
    return 'the file is no JSON after recovery';
  }
  const fileSystem = createMemoryFileSystem(files);
  const again = await openJsonFile({ path: PATH, fileSystem, readOnly: true });
  const after = await again.blogs();
  await again.close();
  if (again.recovery.kind !== 'trusted') return `the second opening was ${again.recovery.kind}`;
  return JSON.stringify(before) === JSON.stringify(after)
    ? undefined
    : 'the second opening differs';
}
