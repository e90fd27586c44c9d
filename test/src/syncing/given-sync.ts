import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inject, onTestFinished } from 'vitest';

import type { Service } from '../../../server/app.ts';
import { listen } from '../../../server/http/node-adapter.ts';
import type { Action } from '../../../src/syncing/decide.ts';
import type { Lines } from '../../../src/syncing/plan-document.ts';
import { run, type Ended } from '../../support/run.ts';
import { articles, givenService, type Json } from '../../support/service.ts';

/** A request that reached the blog. */
export type Asked = { readonly method: string; readonly path: string };

export type Synced = Ended & {
  /** What stdout holds. */
  readonly json: Json;
  /** `create a.md`, `update b.md 2`: what a plan says, unchanged and unmanaged left out. */
  readonly said: readonly string[];
  readonly asked: readonly Asked[];
};

export type SyncWorld = {
  /** The folder that holds `posts`. */
  readonly root: string;
  readonly blogUrl: string;
  /** Files below `posts`, by path: title and text, or a whole file that begins with `---`. */
  write(files: Readonly<Record<string, string>>): void;
  remove(...paths: readonly string[]): void;
  move(from: string, to: string): void;
  /** By an author before the blog was filled, unless it is said when. */
  commit(authored?: string): void;
  git(...words: readonly string[]): string;
  sync(line: string, ...more: readonly string[]): Promise<Synced>;
  /** Another editor of the blog. */
  edit(id: number, text: string): Promise<void>;
  put(id: number, draft: { readonly title: string; readonly content: string }): Promise<void>;
  add(title: string, content: string): Promise<void>;
  destroy(id: number): Promise<void>;
  /** `1 Title/content`, in the order of ids. */
  there(): Promise<readonly string[]>;
  forgetState(): void;
  /** By the operator of the service: an article, or the blog. */
  lock(id?: number): Promise<void>;
};

type Refusal = { readonly status: number; readonly detail: string } | undefined;

/** A folder of posts in a git work tree, and a service of its own to bring it to. */
export async function givenSync(
  options: {
    readonly git?: boolean;
    /** Between the service and the wire: a request it does not answer itself is passed on. */
    readonly before?: (method: string, path: string, sync: SyncWorld) => Promise<void> | void;
    /** In the place of the service's answer: a problem of another service, in its own words. */
    readonly refuses?: (method: string, path: string) => Refusal | Promise<Refusal>;
    readonly change?: (service: Service) => Partial<Service>;
    /** Requests that are carried out and never clearly answered. */
    readonly loses?: (method: string) => boolean;
    /** Fields of its answers, in small letters, that are not passed on. */
    readonly hides?: readonly string[];
  } = {},
): Promise<SyncWorld> {
  const { git: hasGit = true, before } = options;
  const root = mkdtempSync(join(inject('folders'), 'sync-'));
  const service = await givenService(options.change);
  const asked: Asked[] = [];
  let isOutside = false;
  const listening = await listen(
    async (request) => {
      const asking = { method: request.method, path: request.target };
      if (!isOutside) {
        asked.push(asking);
        isOutside = true;
        await before?.(asking.method, asking.path, world);
        isOutside = false;
      }
      const isLost = options.loses?.(asking.method) === true;
      if (isLost) await service.app(request);
      const refusal = isLost
        ? { status: 504, detail: 'No answer in time.' }
        : await options.refuses?.(asking.method, asking.path);
      if (refusal === undefined) {
        const answer = await service.app(request);
        const isShown = ([name]: readonly [string, unknown]) =>
          options.hides?.includes(name.toLowerCase()) !== true;
        return {
          ...answer,
          headers: Object.fromEntries(Object.entries(answer.headers).filter(isShown)),
        };
      }
      const headers = { 'Content-Type': 'application/problem+json' };
      return { status: refusal.status, headers, body: Buffer.from(JSON.stringify(refusal)) };
    },
    { host: '127.0.0.1', port: 0 },
  );
  onTestFinished(async () => {
    await listening.stop(0);
  });
  const blogUrl = `http://127.0.0.1:${listening.port}/api/v1.2/blogs/1`;
  const file = (path: string) => join(root, 'posts', path);
  const settings = ['user.name=t', 'user.email=t@t', 'maintenance.auto=false'];
  const git = (...words: readonly string[]) =>
    execFileSync('git', ['-C', root, ...settings.flatMap((each) => ['-c', each]), ...words], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '', HOME: root },
    });
  const send = async (method: string, path: string, body?: unknown) => {
    const answer = await service.send(method, path, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status}`);
    return answer;
  };
  const env = {
    BLOGCTL_DATA_DIR: join(root, 'data'),
    BLOGCTL_CONFIG_DIR: join(root, 'config'),
    BLOGCTL_TOKEN: 'all',
  };

  const world: SyncWorld = {
    root,
    blogUrl,
    git,
    write(files) {
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(file(path)), { recursive: true });
        const [title = '', content = ''] = text.split('/');
        writeFileSync(
          file(path),
          text.startsWith('---') ? text : `---\ntitle: ${JSON.stringify(title)}\n---\n${content}\n`,
        );
      }
    },
    remove(...paths) {
      for (const path of paths) rmSync(file(path), { recursive: true });
    },
    move(from, to) {
      mkdirSync(dirname(file(to)), { recursive: true });
      renameSync(file(from), file(to));
    },
    commit(authored = '2020-01-01T00:00:00Z') {
      git('add', '-A', 'posts');
      git('commit', '-q', '--allow-empty', '-m', 'x', '--date', authored);
    },
    async sync(line, ...more) {
      asked.length = 0;
      const words = line.split(' ').filter((word) => word !== '');
      const [command = '', ...rest] = words;
      const isShown = ['--json', '-o', '--format'].some((flag) => words.includes(flag));
      const yes = command === 'apply' && !words.includes('--ask') ? ['-y'] : [];
      const flags = rest.filter((word) => word !== '--ask');
      // So that ids are in the order of paths: what is sent together may arrive in any order.
      const pace = words.includes('--concurrency') ? [] : ['--concurrency', '1'];
      const ended = await run(
        [
          'sync',
          command,
          ...flags,
          ...pace,
          ...yes,
          ...more,
          ...(isShown ? [] : ['--json']),
        ].concat(['--blog', blogUrl]),
        { env, folder: root },
      );
      const json: Json = ended.out.startsWith('{') ? JSON.parse(ended.out) : undefined;
      return { ...ended, json, said: saidOf(json?.actions ?? []), asked: [...asked] };
    },
    async edit(id, text) {
      const [title = '', content = ''] = text.split('/');
      await send('PUT', `${articles}/${id}`, { title, content });
    },
    put: async (id, draft) => void (await send('PUT', `${articles}/${id}`, draft)),
    add: async (title, content) => void (await send('POST', articles, { title, content })),
    destroy: async (id) => void (await send('DELETE', `${articles}/${id}`)),
    async there() {
      const page = await send('GET', `${articles}?pageSize=1000`);
      const found: { id: number; title: string; content: string }[] = page.json._embedded;
      return found.map(({ id, title, content }) => `${id} ${title}/${content.trim()}`);
    },
    lock: async (id) => {
      const { owner } = service;
      if (id === undefined) await owner.changeBlog(1, { locked: true });
      else await owner.lockArticle(1, id, true);
    },
    forgetState: () => rmSync(join(root, 'data'), { recursive: true, force: true }),
  };
  mkdirSync(join(root, 'posts'));
  if (hasGit) git('init', '-q', '--template=');
  return world;
}

/** What a plan offers next, of a line without flags. */
export const plainLines: Lines = {
  prune: false,
  sync: (verb, ...words) => ['blogctl sync', verb, 'posts', ...words].join(' '),
  again: (verb) => `blogctl sync ${verb} posts`,
  applyKept: 'blogctl sync apply plan.json -y',
  article: (verb, id) => `blogctl articles ${verb} ${id}`,
  undo: (id) => `blogctl runs undo ${id}`,
};

/** The writes among what was asked. */
export function writesOf(asked: readonly Asked[]): readonly string[] {
  return asked.filter(({ method }) => method !== 'GET').map(({ method }) => method);
}

function saidOf(actions: readonly Action[]): readonly string[] {
  return actions
    .filter(({ action }) => action !== 'unchanged' && action !== 'unmanaged')
    .map(({ action, path, id, from, edited }) =>
      [action, path, id, from && `was ${from}`, edited && 'edited']
        .filter((part) => part !== undefined && part !== false)
        .join(' '),
    );
}
