import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endSharedCluster } from './postgres.ts';

/**
 * Folders of one run: where the first test that needs a database makes one for all others, where
 * commands keep their data that are given no folder for it, and where repositories stay until the end:
 * a disk (ext4) on which many files were just deleted takes longer to make the next one.
 */
export function setup(project: {
  provide: (name: 'clusters' | 'nowhere' | 'folders', folder: string) => void;
}): () => Promise<void> {
  const folderOf = (what: string) => join(tmpdir(), `blogctl-${what}-${randomUUID()}`);
  const [clusters, nowhere] = [folderOf('clusters'), folderOf('nowhere')];
  const folders = folderOf('folders');
  mkdirSync(folders);
  project.provide('clusters', clusters);
  project.provide('nowhere', nowhere);
  project.provide('folders', folders);
  return async () => {
    for (const folder of [nowhere, folders]) rmSync(folder, { recursive: true, force: true });
    await endSharedCluster(clusters);
  };
}

declare module 'vitest' {
  interface ProvidedContext {
    clusters: string;
    nowhere: string;
    folders: string;
  }
}
