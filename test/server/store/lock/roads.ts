import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A way in which a second process can come to a store that a first one writes. */
export type Road = {
  readonly name: string;
  /** Prepares the folder while nobody has the store; answers the path the second one takes. */
  readonly before?: (folder: string) => string;
  /** Does its mischief while the first one writes; answers the path the second one takes. */
  readonly meanwhile?: (folder: string) => string;
  readonly after?: (folder: string) => void;
  /** What whoever is refused is told, `pid` being the other process; one of these. */
  readonly words: (names: {
    readonly folder: string;
    readonly pid: number;
  }) => readonly (string | RegExp)[];
  /** The second process sees another network. */
  readonly isolated?: boolean;
  /** It may be that nobody is refused: each has a store of its own, or the first one was done. */
  readonly mayBothWrite?: boolean;
  /**
   * Nothing is left by which two processes could know of each other: between a look and a write one may
   * write over the other, who is told so at the end and has the texts.
   */
  readonly isBlind?: boolean;
  /** A process of another user that is in the way: the program it runs in that folder. */
  readonly squatter?: string;
  /** Whether this machine has it. */
  readonly isPossible?: () => boolean;
};

const store = (folder: string) => join(folder, 'blog.json');
const heldBy: Road['words'] = ({ folder, pid }) => [
  `${store(folder)} is held by process ${pid} on ${hostname()}.`,
];

function isWhole(path: string): boolean {
  try {
    JSON.parse(readFileSync(path, 'utf8'));
    return true;
  } catch {
    return false;
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

function mayRun(command: string, ...args: readonly string[]): () => boolean {
  return () => isRoot() && spawnSync(command, args).status === 0;
}

const elsewhere = (folder: string) => join(folder, 'elsewhere.json');
const mounted = (folder: string) => join(folder, 'mounted.json');

function mount(folder: string): string {
  writeFileSync(mounted(folder), '');
  spawnSync('mount', ['--bind', store(folder), mounted(folder)]);
  return mounted(folder);
}

const lostLock: Road['words'] = (names) => [
  ...heldBy(names),
  `${store(names.folder)}.lock was removed or replaced by another program.`,
  'The lock was lost while the change was written.',
  'The store takes no more writes until it is opened again.',
];

const forged = {
  pid: 1,
  host: 'elsewhere',
  since: '2026-01-01T00:00:00.000Z',
  nonce: 'forged',
  url: 'http://127.0.0.1:9/api/v1.2/blogs/1',
  token: 'bct_forged',
};

/** Listens under every name that a lock could have, as far as another user may. */
const squatter = `
const { createServer } = require('node:net');
const { createHash } = require('node:crypto');
const { statSync } = require('node:fs');
const [folder] = process.argv.slice(1);
const { dev, ino } = statSync(folder);
const name = createHash('sha256').update(dev + ':' + ino + ':blog.json').digest('hex').slice(0, 40);
const places = ['\\0blogctl-' + name, folder + '/blog.json.lock-000000000000'];
let waiting = places.length;
for (const path of places) {
  const server = createServer((socket) => socket.end(JSON.stringify({ pid: 1, host: 'squatter', since: '' })));
  server.on('error', () => (waiting -= 1) || console.log('ready'));
  server.listen(path, () => (waiting -= 1) || console.log('ready'));
}`;

export const roads: readonly Road[] = [
  { name: 'the same path', before: store, words: heldBy },
  {
    name: 'two network namespaces',
    before: store,
    words: heldBy,
    isolated: true,
    isPossible: mayRun('unshare', '--net', 'true'),
  },
  {
    name: 'a hard link made before',
    before: (folder) => (linkSync(store(folder), elsewhere(folder)), elsewhere(folder)),
    words: ({ folder }) =>
      [store(folder), elsewhere(folder)].map(
        (path) => `${path} is one of 2 names (hard links) of a file.`,
      ),
  },
  {
    name: 'a hard link made meanwhile',
    meanwhile: (folder) => (linkSync(store(folder), elsewhere(folder)), elsewhere(folder)),
    words: ({ folder }) => [`${elsewhere(folder)} is one of 2 names (hard links) of a file.`],
  },
  {
    name: 'a bind mount made before',
    before: mount,
    after: (folder) => void spawnSync('umount', [mounted(folder)]),
    words: ({ folder }) => [`${mounted(folder)} is a file mounted by itself.`],
    isPossible: mayRun('unshare', '--mount', 'true'),
  },
  {
    name: 'a bind mount made meanwhile',
    meanwhile: mount,
    after: (folder) => void spawnSync('umount', [mounted(folder)]),
    words: ({ folder }) => [`${mounted(folder)} is a file mounted by itself.`],
    isPossible: mayRun('unshare', '--mount', 'true'),
  },
  {
    name: 'a symbolic link',
    before: (folder) => (symlinkSync('blog.json', elsewhere(folder)), elsewhere(folder)),
    words: heldBy,
  },
  {
    name: 'a copy while it is open',
    meanwhile: (folder) => (copyFileSync(store(folder), elsewhere(folder)), elsewhere(folder)),
    // Nobody is in the way of a copy, but one that was made in the middle of a write is not whole.
    words: ({ folder }) =>
      isWhole(elsewhere(folder)) ? [] : [/\/elsewhere\.json:\d+:\d+ .+\. Nothing was changed\.$/],
    mayBothWrite: true,
  },
  {
    name: 'a lock file that was forged',
    meanwhile: (folder) => {
      rmSync(`${store(folder)}.lock`);
      writeFileSync(`${store(folder)}.lock`, JSON.stringify(forged));
      return store(folder);
    },
    words: lostLock,
  },
  {
    name: 'a lock file that was written into',
    meanwhile: (folder) => {
      writeFileSync(`${store(folder)}.lock`, JSON.stringify(forged));
      return store(folder);
    },
    words: heldBy,
  },
  {
    name: 'a lock file that was removed',
    meanwhile: (folder) => (rmSync(`${store(folder)}.lock`), store(folder)),
    words: lostLock,
  },
  {
    name: 'sockets that were removed',
    meanwhile: (folder) => {
      const sockets = readdirSync(folder).filter((name) => name.startsWith('blog.json.lock-'));
      for (const name of sockets) rmSync(join(folder, name), { force: true });
      return store(folder);
    },
    words: heldBy,
  },
  {
    name: 'a lock file and sockets that were removed',
    meanwhile: (folder) => {
      const locks = readdirSync(folder).filter((name) => name.startsWith('blog.json.lock'));
      for (const name of locks) rmSync(join(folder, name), { force: true });
      return store(folder);
    },
    words: (names) => [
      ...lostLock(names),
      `${store(names.folder)} was changed by another program.`,
    ],
    mayBothWrite: true,
    isBlind: true,
  },
  {
    name: 'the lock file of a dead process',
    before: (folder) => {
      const { pid } = spawnSync('true');
      writeFileSync(`${store(folder)}.lock`, JSON.stringify({ ...forged, pid }));
      return store(folder);
    },
    words: heldBy,
  },
  {
    name: 'sockets of another user',
    before: store,
    words: heldBy,
    squatter,
    isPossible: isRoot,
  },
  {
    name: 'sockets of another user beside a file that its group may write',
    before: (folder) => {
      chmodSync(store(folder), 0o660);
      return store(folder);
    },
    words: heldBy,
    squatter,
    isPossible: isRoot,
  },
];

/** The titles in a store file; every line counts, the newest and those before it. */
export function titlesIn(path: string): ReadonlySet<string> {
  const text = readFileSync(path, 'utf8');
  return new Set(
    [...text.matchAll(/^,?\{"id":\d+,"title":"([^"]*)"/gm)].map(([, title = '']) => title),
  );
}
