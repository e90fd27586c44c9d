import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endSharedCluster } from './postgres.ts';

/** A folder in which the first test that needs a database leaves one for all others of the run. */
export async function setup(project: {
  provide: (name: 'clusters', folder: string) => void;
}): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-clusters-'));
  project.provide('clusters', folder);
  return () => endSharedCluster(folder);
}

declare module 'vitest' {
  interface ProvidedContext {
    clusters: string;
  }
}
