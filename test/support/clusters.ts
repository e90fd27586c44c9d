import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endSharedCluster } from './postgres.ts';

/** Where the first test that needs a database makes a folder, with one for all others of the run. */
export function setup(project: {
  provide: (name: 'clusters', folder: string) => void;
}): () => Promise<void> {
  const folder = join(tmpdir(), `blogctl-clusters-${randomUUID()}`);
  project.provide('clusters', folder);
  return () => endSharedCluster(folder);
}

declare module 'vitest' {
  interface ProvidedContext {
    clusters: string;
  }
}
