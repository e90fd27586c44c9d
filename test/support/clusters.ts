import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endSharedCluster } from './postgres.ts';

/**
 * Folders of one run: where the first test that needs a database makes one for all others, and where
 * commands keep their data that are given no folder for it.
 */
export function setup(project: {
  provide: (name: 'clusters' | 'nowhere', folder: string) => void;
}): () => Promise<void> {
  const folderOf = (what: string) => join(tmpdir(), `blogctl-${what}-${randomUUID()}`);
  const [clusters, nowhere] = [folderOf('clusters'), folderOf('nowhere')];
  project.provide('clusters', clusters);
  project.provide('nowhere', nowhere);
  return async () => {
    rmSync(nowhere, { recursive: true, force: true });
    await endSharedCluster(clusters);
  };
}

declare module 'vitest' {
  interface ProvidedContext {
    clusters: string;
    nowhere: string;
  }
}
