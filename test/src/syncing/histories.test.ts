import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { deepEqual, equal, ok } from 'node:assert/strict';
import { describe, expect, it } from 'vitest';

import { createBlogClient } from '../../../src/client/create-blog-client.ts';
import type { BlogClient } from '../../../src/client/blog-client.ts';
import { withToken } from '../../../src/http/connection.ts';
import type { Transport } from '../../../src/http/transport.ts';
import { applySteps } from '../../../src/syncing/apply.ts';
import { findPosts, readFolder } from '../../../src/syncing/folder.ts';
import type { Readings } from '../../../src/syncing/kept-readings.ts';
import { readListing } from '../../../src/syncing/listing.ts';
import { makePlan } from '../../../src/syncing/plan.ts';
import type { Applied } from '../../../src/syncing/plan-document.ts';
import { pullStep } from '../../../src/syncing/pull.ts';
import { digestOf } from '../../../src/syncing/same-text.ts';
import { openState } from '../../../src/syncing/state-file.ts';
import { givenService, type TestService } from '../../support/service.ts';

const histories = Number(process.env['BLOGCTL_SYNC_HISTORIES'] ?? 60);
const firstSeed = Number(process.env['BLOGCTL_SEED'] ?? Date.now() % 1_000_000_000);

type Text = { readonly title: string; readonly content: string };
type File = Text & { readonly draft?: boolean; readonly crlf?: boolean };

/** Chance that a seed repeats. */
function chanceOf(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (count: number) => Math.floor(next() * count);
  return {
    next,
    below,
    one: <T>(things: readonly T[]): T | undefined => things[below(things.length)],
  };
}

type Chance = ReturnType<typeof chanceOf>;

/** To a service that honours keys, or hides it. */
function transportTo({ app }: TestService, hasKeys: boolean): Transport {
  return async ({ method, url, headers, body = '' }) => {
    const bytes = Buffer.from(body);
    const { host, pathname, search } = new URL(url);
    const answer = await app({
      method,
      target: pathname + search,
      peer: '127.0.0.1',
      headers: {
        ...headers,
        host,
        ...(bytes.length > 0 && { 'content-length': String(bytes.length) }),
      },
      body: async () => bytes,
    });
    const fields = Object.entries(answer.headers).map(([name, value]) => [
      name.toLowerCase(),
      value,
    ]);
    const keyed = new Set(hasKeys ? [] : ['link-template', 'accept-idempotency']);
    const known = fields.filter(([name = '']) => !keyed.has(name));
    const { status, body: text } = answer;
    return { status, headers: Object.fromEntries(known), body: Buffer.from(text) };
  };
}

type Choices = { readonly prune: boolean; readonly adopt: boolean };

class History {
  readonly files = new Map<string, File>();
  /** Digests of every text that a file ever had, of drafts those that git keeps. */
  readonly ours = new Set<string>();
  readonly log: string[] = [];
  /** Those of files that came to each other's paths, and of no other file. */
  readonly exchanged = new Set<string>();
  readings: Readings = { posts: new Map(), pages: {} };
  readonly chance: Chance;
  readonly client: BlogClient;
  readonly folder: string;
  readonly hasGit: boolean;
  #words = 0;

  constructor(chance: Chance, client: BlogClient, folder: string, hasGit: boolean) {
    this.chance = chance;
    this.client = client;
    this.folder = folder;
    this.hasGit = hasGit;
  }

  text(): Text {
    this.#words += 1;
    const title = this.chance.next() < 0.3 ? 'Weeknotes' : `Title ${this.#words}`;
    return { title, content: `lines of ${this.#words}\nand\nmore ${this.#words}` };
  }

  put(path: string, file: File): void {
    this.files.set(path, file);
    if (file.draft !== true) this.ours.add(digestOf(file).digest);
  }

  path(): string {
    this.#words += 1;
    return `${this.chance.one(['', 'en/', 'fr/'])}p${this.#words}.md`;
  }

  /** One thing that somebody does in the folder. */
  change(): void {
    const { chance, files } = this;
    const path = chance.one([...files.keys()]);
    const file = path === undefined ? undefined : files.get(path);
    const kind = chance.one([
      'new',
      'edit',
      'edit',
      'rename',
      'move',
      'twin',
      'delete',
      'draft',
      'crlf',
    ]);
    this.log.push(`${kind} ${path}`);
    if (kind === 'new' || path === undefined || file === undefined)
      return this.put(this.path(), this.text());
    if (kind === 'edit') return this.put(path, { ...file, ...this.text() });
    if (kind === 'twin') return this.put(this.path(), file);
    if (kind === 'draft') return this.put(path, { ...file, draft: file.draft !== true });
    if (kind === 'crlf') return this.put(path, { ...file, crlf: file.crlf !== true });
    files.delete(path);
    if (kind === 'rename') this.put(this.path(), file);
    if (kind === 'move') this.put(this.path(), { ...file, content: `${file.content}\nmoved` });
  }

  /** One thing that somebody does on the blog. */
  async disturb(): Promise<void> {
    const there = await this.there();
    const id = this.chance.one([...there.keys()]);
    const kind = this.chance.one(['edit', 'edit', 'delete', 'add', 'copy']);
    this.log.push(`${kind} #${id}`);
    if (kind === 'copy') {
      const file = this.chance.one([...this.files.values()]);
      if (file !== undefined)
        await this.client.create({ title: file.title, content: file.content });
    } else if (kind === 'add' || id === undefined) await this.client.create(this.text());
    else if (kind === 'delete') await this.client.remove({ id });
    else await this.client.replace({ id }, this.text());
  }

  /** Files that come to each other's paths, or one to the path that the other leaves; the blog may edit one of them. */
  async exchange(chance: Chance): Promise<void> {
    const [one, other] = [chance.one([...this.files.keys()]), chance.one([...this.files.keys()])];
    if (one === undefined || other === undefined || one === other) return;
    const [first, second] = [this.files.get(one), this.files.get(other)];
    if (first === undefined || second === undefined) return;
    const texts = counted([...this.files.values()].map((file) => digestOf(file).digest));
    for (const { digest } of [first, second].map(digestOf))
      if (texts.get(digest) === 1) this.exchanged.add(digest);
    const isSwap = chance.next() < 0.5;
    const to = isSwap ? one : `m${other}`;
    this.log.push(`${one} to ${other}, ${other} to ${to}`);
    this.files.delete(one);
    this.put(to, second);
    this.put(other, first);
    const { digest } = digestOf(chance.next() < 0.5 ? first : second);
    const [id] = [...(await this.there())].find(([, there]) => there === digest) ?? [];
    if (id === undefined || chance.next() < 0.4) return;
    this.log.push(`edit #${id}`);
    await this.client.replace({ id }, this.text());
  }

  write(): void {
    rmSync(join(this.folder, 'posts'), { recursive: true, force: true });
    mkdirSync(join(this.folder, 'posts'));
    for (const [path, { title, content, draft, crlf }] of this.files) {
      const text = `---\ntitle: ${title}\n${draft === true ? 'draft: true\n' : ''}---\n${content}\n`;
      const name = join(this.folder, 'posts', path);
      mkdirSync(dirname(name), { recursive: true });
      writeFileSync(name, crlf === true ? text.replaceAll('\n', '\r\n') : text);
    }
  }

  commit(): void {
    if (!this.hasGit) return;
    this.log.push('commit');
    for (const file of this.files.values()) this.ours.add(digestOf(file).digest);
    const words = ['-C', this.folder, '-c', 'user.name=t', '-c', 'user.email=t@t'];
    execFileSync('git', [...words, 'add', '-A', 'posts']);
    execFileSync('git', [...words, 'commit', '-q', '--allow-empty', '-m', 'x']);
  }

  async there(): Promise<ReadonlyMap<number, string>> {
    const found = new Map<number, string>();
    for await (const { articles } of this.client.pages({ pageSize: 1000 })) {
      for (const article of articles) found.set(article.id, digestOf(article).digest);
    }
    return found;
  }

  /** What was changed on the blog alone comes into its files, and stays there or is taken back. */
  async pull(isKept: boolean): Promise<void> {
    this.log.push(`pull, ${isKept ? 'kept' : 'taken back'}`);
    const { plan, state, files: folder } = await this.#planned({ prune: false, adopt: false });
    const addressOf = ({ url }: { readonly url: string }) => url;
    const git = { uncommitted: new Set<string>() };
    const pulling = { folder, state, reading: {}, dryRun: false, addressOf, ...git };
    for (const step of plan.steps) {
      const { post, target } = step;
      if (step.action.action !== 'drift' || post === undefined || target === undefined) continue;
      equal(pullStep(step, pulling)?.result, 'pulled');
      const file = this.files.get(post.path);
      if (isKept) this.put(post.path, { ...file, ...target.text });
    }
    state.save();
    if (!isKept) this.write();
  }

  async sync(choices: Choices): Promise<Applied> {
    this.log.push(`sync ${JSON.stringify(choices)}`);
    const { plan, state, world } = await this.#planned(choices);
    for (const name of plan.forgotten) state.forget(name);
    const { summary, ended } = await applySteps(plan.steps, {
      ...world,
      concurrency: 4,
      state,
      record: { note: () => undefined, end: async () => undefined },
      newest: 0,
      settled: () => undefined,
      written: () => undefined,
      refused: () => undefined,
    });
    state.save();
    equal(ended, undefined);
    equal(state.failure, undefined);
    const { planned, written, unchanged, left, refused, failed, unsent } = summary;
    equal(written + unchanged + left + refused + failed + unsent, planned);
    return summary;
  }

  async #planned(choices: Choices) {
    const { signal } = new AbortController();
    const state = openState(join(this.folder, 'state'), { blog: 'b', importId: '' });
    const map = { title: 'title', content: 'content' };
    // What was read is kept at once: no two states of a file here are as near as two ticks of a clock.
    const reading = { drafts: false, exact: false, map, now: Date.now() + 10_000 };
    const { posts, pages } = this.readings;
    const files = findPosts('posts', this.folder, reading.now);
    const folder = await readFolder(files, reading, signal, posts);
    deepEqual(folder.rejected, []);
    const retry = <T>(send: () => Promise<T>) => send();
    const world = { client: this.client, retry, signal };
    const listing = await readListing({ ...world, exact: false }, pages);
    const plan = await makePlan(
      {
        folder,
        state: state.lines,
        hasState: state.isKnown,
        reading,
        exact: false,
        history: this.hasGit,
        prune: choices.prune,
        named: [],
        overwrite: false,
        recreate: false,
        adopted: new Map(choices.adopt ? [['', 'none'] as const] : []),
        concurrency: 4,
        articles: listing.articles(),
      },
      { ...world, findOwn: async () => undefined, warned: () => undefined },
    );
    this.readings = { posts: folder.kept, pages: listing.pages };
    for (const {
      action: { action, path = '', id = '', from = '', base },
    } of plan.steps)
      if (action !== 'unchanged') this.log.push(`  ${action} ${path} ${id} ${from} ${base}`);
    return { plan, state, world, files };
  }
}

function counted(digests: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const digest of digests) counts.set(digest, (counts.get(digest) ?? 0) + 1);
  return counts;
}

/** Whether something is pulled is another chance, so that a seed of before means what it meant. */
async function live(seed: number, { pulls }: { readonly pulls: boolean }): Promise<void> {
  const [chance, ofPulls] = [chanceOf(seed), chanceOf(seed ^ 0x5bd1e995)];
  const ofMoves = chanceOf(seed ^ 0x2c1b3c6d);
  const exchanges = pulls && ofMoves.next() < 0.2;
  const hasGit = chance.next() < 0.08 || exchanges;
  const hasKeys = chance.next() < 0.6;
  const folder = mkdtempSync(join(tmpdir(), 'blogctl-history-'));
  const service = await givenService();
  const blogUrl = 'http://localhost:4000/api/v1.2/blogs/1';
  const credential = { origin: 'http://localhost:4000', token: 'all' };
  const client = createBlogClient({
    transport: withToken(transportTo(service, hasKeys), credential),
    blogUrl,
  });
  const history = new History(chance, client, folder, hasGit);
  try {
    if (hasGit) execFileSync('git', ['-C', folder, 'init', '-q']);
    for (let at = chance.below(6); at >= 0; at -= 1) history.change();
    for (let round = 0; round < 4; round += 1) {
      history.write();
      history.commit();
      if (chance.next() < 0.25) {
        history.log.push('state lost');
        rmSync(join(folder, 'state'), { force: true });
      }
      const before = await history.there();
      if (pulls && ofPulls.next() < 0.3) await history.pull(ofPulls.next() < 0.5);
      const choices = { prune: chance.next() < 0.5, adopt: chance.next() < 0.5 && !exchanges };
      const { left, refused } = await history.sync(choices);
      history.log.push('again');
      const after = await history.there();
      // What stood only on the blog still does.
      for (const [id, digest] of before) {
        if (!history.ours.has(digest)) equal(after.get(id), digest);
      }
      const published = [...history.files.values()].filter(({ draft }) => draft !== true);
      // Neither does a text leave it that has come to another path with its file.
      const texts = hasGit ? published.map((file) => digestOf(file).digest) : [];
      for (const text of texts.filter((each) => history.exchanged.has(each)))
        ok(![...before.values()].includes(text) || [...after.values()].includes(text));
      history.exchanged.clear();
      const files = counted(published.map((file) => digestOf(file).digest));
      const now = counted(after.values());
      for (const [id, digest] of after) {
        const isCreated = !before.has(id);
        // What is left as it is may still have the text that another file has by now.
        const most = (files.get(digest) ?? 0) + left + refused;
        if (isCreated) ok((now.get(digest) ?? 0) <= most);
      }
      equal((await history.sync(choices)).written, 0);
      deepEqual(await history.there(), after);
      if (exchanges && ofMoves.next() < 0.7) await history.exchange(ofMoves);
      else for (let at = chance.below(4); at >= 0; at -= 1) history.change();
      for (let at = chance.below(3); at > 0; at -= 1) await history.disturb();
    }
  } catch (error) {
    throw new Error(`BLOGCTL_SEED=${seed}: ${history.log.join(', ')}`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('histories that did not come to rest do', async () => {
  for (const seed of [429_766_338, 439_228_052, 614_658_773, 640_625_528, 765_001_120])
    await expect(live(seed, { pulls: false })).resolves.toBeUndefined();
  for (const seed of [611_274_952, 828_118_423])
    await expect(live(seed, { pulls: true })).resolves.toBeUndefined();
});

it('no text that was exchanged leaves the blog while its post waits', async () => {
  for (const seed of [792_917_354, 799_711_025, 800_890_441, 800_892_432, 100_002_187, 727_111_849])
    await expect(live(seed, { pulls: true })).resolves.toBeUndefined();
});

describe(`random histories of a folder and its blog, from seed ${firstSeed}`, () => {
  it(
    'lose no text that stood only on the blog, create nothing twice, and come to rest',
    async () => {
      for (let at = 0; at < histories; at += 1) await live(firstSeed + at, { pulls: true });
      expect(histories).toBeGreaterThan(0);
    },
    120_000 + histories * 1_000,
  );
});
