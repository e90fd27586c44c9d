import type { JsonFileStore } from '../../../../server/store/json-file/json-file-store.ts';
import { checkJsonFile } from '../../../../server/store/json-file/maintenance/check.ts';
import { repairJsonFile } from '../../../../server/store/json-file/maintenance/repair.ts';
import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from '../../../../server/store/json-file/memory-file-system.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';
import { UnusableStore } from '../../../../server/store/json-file/unusable-store.ts';
import { StoreError } from '../../../../server/store/store.ts';
import { linesOf, PATH, stateOf, type Acknowledged, type Start } from './acknowledged.ts';

const TARGET = '/saved.json';
const restMs = 2 ** 30;

export type Files = ReadonlyMap<string, Buffer>;
export type Verdict = { readonly outcome: string; readonly broken: readonly string[] };

/** What the store did with a harmed file, held against what it had promised. */
export async function judgeHarmed(start: Start, files: Files): Promise<Verdict> {
  const opening = await judgeOpening(start, files);
  const broken = [
    ...opening.broken,
    ...(await judgeCheck(files, opening.outcome)),
    ...(await judgeRepair(start, files)),
    ...(await judgeConfirmation(start, files)),
  ];
  return { outcome: opening.outcome, broken };
}

async function opened(files: Files) {
  const disk = createMemoryFileSystem(files);
  const notices: string[] = [];
  const report = (notice: string) => void notices.push(notice);
  const store = await openJsonFile({ path: PATH, fileSystem: disk, restMs, report }).catch(refused);
  return { disk, notices, store };
}

function refused(error: unknown): undefined {
  if (!(error instanceof UnusableStore)) throw error;
}

async function judgeOpening(start: Start, files: Files): Promise<Verdict> {
  const { disk, notices, store } = await opened(files);
  if (store === undefined) return { outcome: 'refused', broken: untouched(disk, files) };
  const told = notices.join('\n');
  const broken = [
    ...(await differences(store, start, { files, told })),
    ...(await comeBack(store, start, told)),
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

type Told = { readonly files: Files; readonly told: string };

/** Articles that are not as they were acknowledged, and of which nothing was said. */
async function differences(
  store: JsonFileStore,
  { articles }: Start,
  { files, told }: Told,
): Promise<string[]> {
  const bytes = files.get(PATH) ?? Buffer.alloc(0);
  const lines = new Set(linesOf(bytes));
  const names = namesIn(told, bytes, articles);
  const broken: string[] = [];
  for (const one of articles) {
    const state = await readState(store, one);
    if (state === one.state) continue;
    const isIntact = one.line !== undefined && lines.has(one.line);
    const what = `article ${one.id} is ${short(state)}, not ${short(one.state)}`;
    const isDeletion = one.state === null && state === undefined;
    if (isDeletion && told.includes('which ids were deleted')) continue;
    if (isIntact) broken.push(`${what}, though its line is intact`);
    else if (!names(one.id)) broken.push(`${what}, and nobody was told: ${told}`);
  }
  return [...broken, ...(await strangers(store, articles, names))];
}

/** Damage to a deletion publishes nothing again, whoever is told; a write cut short is none yet. */
async function comeBack(
  store: JsonFileStore,
  { articles }: Start,
  told: string,
): Promise<string[]> {
  const back: string[] = [];
  for (const one of articles) {
    const isExplained =
      told.includes('cut short') || told.includes(`article ${one.id} was changed`);
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
  names: (id: number) => boolean,
): Promise<string[]> {
  const known = new Map(articles.map(({ id, blogId }) => [id, blogId]));
  const found: string[] = [];
  for (const blog of await store.blogs()) {
    const page = await store.page(blog.id, 0, 1000).catch(() => ({ articles: [] }));
    for (const { id } of page?.articles ?? []) {
      if (known.get(id) !== blog.id && !names(id)) found.push(`article ${id} came from nowhere`);
    }
  }
  return found;
}

function short(state: string | null | undefined): string {
  return String(state).slice(0, 60);
}

/** Which articles a person was told of. */
function namesIn(
  told: string,
  bytes: Buffer,
  articles: readonly Acknowledged[],
): (id: number) => boolean {
  const ids = new Set<number>();
  for (const [, list = ''] of told.matchAll(/(?:articles?|id) (\d[\d, -]*)/g)) {
    for (const [, first, last] of list.matchAll(/(\d+)(?:-(\d+))?/g)) {
      const to = Math.min(Number(last ?? first), Number(first) + 1000);
      for (let id = Number(first); id <= to; id += 1) ids.add(id);
    }
  }
  // Whoever hears that the end is cut off, or that some are missing, knows of those last in the file.
  const counts = /counts (\d+) articles, and (\d+) are there/.exec(told);
  const isCounted =
    (counts !== null && counts[1] !== counts[2]) || told.includes('commit record is missing');
  const cut = /, line (\d+): [^\n]*cut short/.exec(told)?.[1];
  const kept = new Set(cut === undefined ? [] : linesOf(bytes).slice(0, Number(cut) - 1));
  const before = new Set(articles.filter(({ line = '' }) => kept.has(line)).map(({ id }) => id));
  return (id) => ids.has(id) || isCounted || (cut !== undefined && !before.has(id));
}

/** What `check` says, opening does. */
async function judgeCheck(files: Files, outcome: string): Promise<string[]> {
  const disk = createMemoryFileSystem(files);
  const { verdict } = await checkJsonFile(PATH, disk);
  const expected = { refused: 'broken', trusted: 'sound' }[outcome] ?? 'usable';
  const contradiction = verdict === expected ? [] : [`check says ${verdict}, opening ${outcome}`];
  return [...contradiction, ...untouched(disk, files)];
}

/** What `repair` writes opens, and what it lacks is named. */
async function judgeRepair(start: Start, files: Files): Promise<string[]> {
  const disk = createMemoryFileSystem(files);
  const repair = await repairJsonFile(PATH, TARGET, disk).catch(refused);
  const broken = untouched(disk, files).filter((what) => !what.endsWith(TARGET));
  if (repair === undefined) return broken.map((what) => `repair: ${what}`);
  const notices: string[] = [];
  const report = (notice: string) => void notices.push(notice);
  const store = await openJsonFile({ path: TARGET, fileSystem: disk, restMs, report });
  if (notices.length > 0) broken.push(`it opens with ${notices.join(' ')}`);
  const lost = repair.lost.map(({ line }) => `, line ${line}: is lost or cut short`);
  const said = [...repair.problems.map(({ what }) => what), ...lost].join('\n');
  const told = repair.newBlogs || said.includes('could not be read') ? EVERYTHING : said;
  broken.push(...(await differences(store, start, { files, told })));
  await store.close();
  return broken.map((what) => `repair: ${what}`);
}

const EVERYTHING = 'id 1-1000';

/** Once it is confirmed the file is what it was shown as, and sound. */
async function judgeConfirmation(start: Start, files: Files): Promise<string[]> {
  const { disk, notices, store } = await opened(files);
  if (store === undefined) return [];
  const shown = await contentOf(store, start);
  await store.confirm();
  const broken =
    (await contentOf(store, start)) === shown ? [] : ['confirming changed what is shown'];
  const names = namesIn(notices.join('\n'), files.get(PATH) ?? Buffer.alloc(0), start.articles);
  broken.push(
    ...(await judgeKeys(store, start, names)),
    ...(await judgeNextId(store, start, names)),
  );
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
async function judgeKeys(
  store: JsonFileStore,
  { articles }: Start,
  names: (id: number) => boolean,
): Promise<string[]> {
  const broken: string[] = [];
  for (const { id, key, blogId } of articles) {
    if (key === undefined || names(id) || (await store.blog(blogId)) === undefined) continue;
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
  names: (id: number) => boolean,
): Promise<string[]> {
  const [blog] = await store.blogs();
  const creation = await store.create(blog?.id ?? 1, { title: 'next' }).catch((error: unknown) => {
    if (error instanceof StoreError && error.failure === 'no-id') return undefined;
    throw error;
  });
  if (creation === undefined || !('article' in creation)) return [];
  const { id } = creation.article;
  const isTaken = articles.some((one) => one.id === id) && !names(id);
  return isTaken ? [`the id ${id} was given again`] : [];
}
