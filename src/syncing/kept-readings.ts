import { hash } from 'node:crypto';
import {
  existsSync,
  type Stats,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

import type { PageVersion } from '../client/blog-client.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER, temporaryPath } from '../files.ts';
import type { Remote } from './listing.ts';
import type { TextDigest } from './same-text.ts';

/** A post as it was read, and by what its file tells that it was not written since. */
export type KeptPost = TextDigest & {
  readonly stamp: string;
  readonly exact?: string;
  readonly article?: string;
};

export type KeptPage = PageVersion & { readonly articles: readonly Remote[] };

/** Both sides as they were read last, without their texts: what did not change is not read again. */
export type Readings = {
  readonly posts: Readonly<Record<string, KeptPost>>;
  readonly pages: Readonly<Record<string, KeptPage>>;
};

const nothing: Readings = { posts: {}, pages: {} };

/** Clocks of file systems tick this often at least; a file may be written twice between two ticks. */
const longestTickMs = 2_000;

/** Of a file that was read at `now`; undefined where a later change could look the same. */
export function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats, now: number): string | undefined {
  if (Math.max(mtimeMs, ctimeMs) > now - longestTickMs) return undefined;
  return `${size} ${mtimeMs} ${ctimeMs} ${ino}`;
}

/**
 * The file of readings: a digest of what follows, then what follows. One that is damaged, or was made
 * by another program or of another reading, is as none: then everything is read.
 */
export function openReadings(path: string, reading: unknown) {
  const made = `${JSON.stringify(reading)} ${programStamp()}`;
  const before = read(path, made);
  return {
    ...before,
    /** Kept only where it saves reading; that it cannot be written is no loss. */
    save(now: Readings): void {
      if (isSame(before, now)) return;
      const text = JSON.stringify({ made, ...now });
      const draft = temporaryPath(path);
      try {
        mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
        writeFileSync(draft, `${digestOf(text)}\n${text}`, { mode: PRIVATE_FILE, flag: 'wx' });
        renameSync(draft, path);
      } catch {
        if (existsSync(draft)) rmSync(draft);
      }
    },
  };
}

function read(path: string, made: string): Readings {
  try {
    const text = readFileSync(path, 'utf8');
    const rest = text.slice(text.indexOf('\n') + 1);
    if (!text.startsWith(`${digestOf(rest)}\n`)) return nothing;
    const kept: Readings & { readonly made: string } = JSON.parse(rest);
    return kept.made === made ? { posts: kept.posts, pages: kept.pages } : nothing;
  } catch {
    return nothing;
  }
}

/** What was not read again is the very object that was kept. */
function isSame(before: Readings, now: Readings): boolean {
  return (['posts', 'pages'] as const).every((side) => {
    const names = Object.keys(now[side]);
    const isKept = (name: string) => before[side][name] === now[side][name];
    return names.length === Object.keys(before[side]).length && names.every(isKept);
  });
}

function digestOf(text: string): string {
  return hash('sha256', text).slice(0, 32);
}

/** Another version may read a post in another way. */
function programStamp(): number {
  return statSync(process.argv[1] ?? '', { throwIfNoEntry: false })?.ctimeMs ?? 0;
}
