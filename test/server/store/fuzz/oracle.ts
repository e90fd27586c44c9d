import type { JsonFileStore } from '../../../../server/store/json-file/json-file-store.ts';
import { checkJsonFile } from '../../../../server/store/json-file/check.ts';
import { repairJsonFile } from '../../../../server/store/json-file/repair.ts';
import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from '../../../../server/store/file-system/memory-file-system.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import { UnusableStore } from '../../../../server/store/unusable-store.ts';
import { StoreError } from '../../../../server/store/store.ts';
import { PATH, stateOf, type Acknowledged, type Start } from './acknowledged.ts';
import { idsIn, toldBy, type Files, type Harm, type Told } from './told.ts';

const TARGET = '/saved.json';
const idleMs = 2 ** 30;

export type Verdict = { readonly outcome: string; readonly broken: readonly string[] };

/** What the store did with a harmed file, held against what it had promised. */
export async function judgeHarmed(start: Start, files: Files, harm: Harm): Promise<Verdict> {
  const opening = await judgeOpening(start, files, harm);
  const broken = [
    ...opening.broken,
    ...(await judgeCheck(files, opening.outcome)),
    ...(await judgeRepair(start, files, harm)),
    ...(await judgeConfirmation(start, files, harm)),
  ];
  return { outcome: opening.outcome, broken };
}

async function opened(files: Files) {
  const disk = createMemoryFileSystem(files);
  const notices: string[] = [];
  const report = (notice: string) => void notices.push(notice);
  const store = await openJsonFile({ path: PATH, fileSystem: disk, idleMs, report }).catch(refused);
  return { disk, notices, store };
}

function refused(error: unknown): undefined {
  if (!(error instanceof UnusableStore)) throw error;
}

async function judgeOpening(start: Start, files: Files, harm: Harm): Promise<Verdict> {
  const { disk, notices, store } = await opened(files);
  if (store === undefined) return { outcome: 'refused', broken: untouched(disk, files) };
  const told = toldBy(notices.join('\n'), files, harm);
  const broken = [
    ...(await differences(store, start, told)),
    ...(await comeBack(store, start, told)),
    ...(await otherBlogs(store, start, told)),
  ];
  await store.close();
  return { outcome: store.recovery.kind, broken: [...broken, ...untouched(disk, files)] };
}

/** Reading leaves every byte as it was. */
function untouched(disk: MemoryFileSystem, files: Files): string[] {
  const after = disk.files();
  const same = files.get(PATH)?.equals(after.get(PATH) ?? Buffer.alloc(0)) === true;
  const added = [...after.keys()].filter((path) => !files.has(path));
  return [
    ...(same ? [] : ['reading changed the file']),
    ...added.filter((path) => !path.includes('.lock')).map((path) => `reading made ${path}`),
  ];
}

/** Articles that are not as they were acknowledged, and of which nothing was said. */
async function differences(
  store: JsonFileStore,
  { articles }: Start,
  told: Told,
): Promise<string[]> {
  const broken: string[] = [];
  for (const one of articles) {
    const state = await readState(store, one);
    if (state === one.state) continue;
    const isIntact = one.line !== undefined && told.lines.has(one.line);
    const what = `article ${one.id} is ${short(state)}, not ${short(one.state)}`;
    if (isIntact && !/blog/.test(told.words)) broken.push(`${what}, though its line is intact`);
    else if (!told.names(one)) broken.push(`${what}, and nobody was told: ${told.words}`);
  }
  return [...broken, ...(await strangers(store, articles, told))];
}

/** A blog that is gone, or another; which articles are its own shows where they are read. */
async function otherBlogs(store: JsonFileStore, start: Start, told: Told): Promise<string[]> {
  const blogs = new Map((await store.blogs()).map((blog) => [blog.id, blog]));
  return start.blogs.flatMap(({ id, title, locked }) => {
    const now = blogs.get(id);
    const isSame = now?.title === title && now.locked === locked;
    return isSame || told.words.includes(`blog ${id}`) ? [] : [`blog ${id} is another`];
  });
}

/**
 * Damage to a deletion publishes nothing again, whoever is told; a write cut short is none yet, and
 * where a crash may have cut it no other damage can be told from that.
 */
async function comeBack(store: JsonFileStore, { articles }: Start, told: Told): Promise<string[]> {
  const back: string[] = [];
  for (const one of articles) {
    const isCut = /cut short|commit record is damaged/.test(told.words) && told.names(one);
    const isExplained = isCut || told.words.includes(`article ${one.id} was changed`);
    if (one.state !== null || isExplained) continue;
    if (typeof (await readState(store, one)) === 'string') back.push(`article ${one.id} is back`);
  }
  return back;
}

async function readState(store: JsonFileStore, { blogId, id }: Acknowledged) {
  try {
    return stateOf(await store.read(blogId, id));
  } catch (error) {
    if (error instanceof StoreError) return `refused: ${error.message}`;
    throw error;
  }
}

async function strangers(
  store: JsonFileStore,
  articles: readonly Acknowledged[],
  told: Told,
): Promise<string[]> {
  const ids = idsIn(told.words);
  const known = new Map(articles.map(({ id, blogId }) => [id, blogId]));
  const found: string[] = [];
  for (const blog of await store.blogs()) {
    const page = await store.page(blog.id, 0, 1000).catch(() => ({ articles: [] }));
    for (const { id } of page?.articles ?? []) {
      if (known.get(id) !== blog.id && !ids.has(id)) found.push(`article ${id} came from nowhere`);
    }
  }
  return found;
}

function short(state: string | null | undefined): string {
  return String(state).slice(0, 60);
}

/** What `check` says, opening does; it refuses what nothing can be repaired of. */
async function judgeCheck(files: Files, outcome: string): Promise<string[]> {
  const disk = createMemoryFileSystem(files);
  const check = await checkJsonFile(PATH, disk).catch(refused);
  const verdict = check?.verdict ?? 'broken';
  const expected = { refused: 'broken', trusted: 'sound' }[outcome] ?? 'usable';
  const contradiction = verdict === expected ? [] : [`check says ${verdict}, opening ${outcome}`];
  const repair = check ?? (await repairJsonFile(PATH, TARGET, disk).catch(refused));
  if (check === undefined && repair !== undefined)
    contradiction.push('check says nothing of it can be repaired');
  return [...contradiction, ...untouched(disk, files)];
}

/** What `repair` writes opens, and what it lacks is named. */
async function judgeRepair(start: Start, files: Files, harm: Harm): Promise<string[]> {
  const disk = createMemoryFileSystem(files);
  const repair = await repairJsonFile(PATH, TARGET, disk).catch(refused);
  const broken = untouched(disk, files).filter((what) => !what.endsWith(TARGET));
  if (repair === undefined) return broken.map((what) => `repair: ${what}`);
  const notices: string[] = [];
  const report = (notice: string) => void notices.push(notice);
  const store = await openJsonFile({ path: TARGET, fileSystem: disk, idleMs, report });
  if (notices.length > 0) broken.push(`it opens with ${notices.join(' ')}`);
  const lost = repair.lost.map(({ line }) => `line ${line} is broken`);
  const said = [...repair.problems.map(({ what }) => what), ...lost].join('\n');
  broken.push(
    ...(await differences(store, start, toldBy(said, files, { ...harm, isEvidence: true }))),
  );
  await store.close();
  return broken.map((what) => `repair: ${what}`);
}

/** Once it is confirmed the file is what it was shown as, and sound. */
async function judgeConfirmation(start: Start, files: Files, harm: Harm): Promise<string[]> {
  const { disk, notices, store } = await opened(files);
  if (store === undefined) return [];
  const shown = await contentOf(store, start);
  await store.confirm();
  const broken =
    (await contentOf(store, start)) === shown ? [] : ['confirming changed what is shown'];
  const told = toldBy(notices.join('\n'), files, harm);
  broken.push(...(await judgeKeys(store, start, told)), ...(await judgeNextId(store, start, told)));
  await store.close();
  const { verdict } = await checkJsonFile(PATH, disk);
  if (verdict !== 'sound') broken.push(`the confirmed file is ${verdict}`);
  JSON.parse(disk.files().get(PATH)?.toString() ?? '');
  return broken;
}

async function contentOf(store: JsonFileStore, { articles }: Start): Promise<string> {
  const states: unknown[] = [];
  for (const one of articles) states.push(await readState(store, one));
  return JSON.stringify(states);
}

/** A request that is repeated after the harm makes no second article. */
async function judgeKeys(store: JsonFileStore, { articles }: Start, told: Told): Promise<string[]> {
  const broken: string[] = [];
  for (const one of articles) {
    const { id, key, blogId } = one;
    if (key === undefined || told.names(one) || (await store.blog(blogId)) === undefined) continue;
    const creation = await store.create(
      blogId,
      { title: 'again' },
      { idempotency: { key, request: 'b' } },
    );
    const isKnown = creation.kind === 'gone' || creation.kind === 'replayed';
    if (!isKnown) broken.push(`the key of article ${id} is forgotten: ${creation.kind}`);
  }
  return broken;
}

/** No number is given twice. */
async function judgeNextId(
  store: JsonFileStore,
  { articles }: Start,
  told: Told,
): Promise<string[]> {
  const [blog] = await store.blogs();
  const creation = await store.create(blog?.id ?? 1, { title: 'next' }).catch((error: unknown) => {
    if (error instanceof StoreError && error.failure === 'no-id') return undefined;
    throw error;
  });
  if (creation === undefined || !('article' in creation)) return [];
  const { id } = creation.article;
  const isTaken = articles.some((one) => one.id === id && !told.names(one));
  return isTaken ? [`the id ${id} was given again`] : [];
}
