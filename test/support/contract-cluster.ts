import { type Cluster, givenCluster } from './postgres.ts';

let cluster: Cluster | undefined;

/** One cluster for all files of the contract that are run on a database. */
export async function setup(project: {
  provide: (name: 'cluster', url: string) => void;
}): Promise<() => Promise<void>> {
  cluster = await givenCluster();
  project.provide('cluster', cluster.url);
  return async () => cluster?.stop();
}

declare module 'vitest' {
  interface ProvidedContext {
    cluster: string;
  }
}
