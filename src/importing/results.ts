import { createLineFile } from './line-file.ts';
import type { Outcome } from './sending/delivery.ts';
import type { Place } from './sources/source.ts';

/** A line of `--results`: a record and what became of it. The last line of a place counts. */
export type Result = {
  readonly source: string;
  /** From 1, in its source. */
  readonly position: number;
  readonly outcome: Outcome['kind'];
  /** Why it was skipped or rejected. */
  readonly reason?: string;
  /** Of its article, where that is known. */
  readonly id?: number | undefined;
  readonly url?: string | undefined;
};

export type Results = {
  add(place: Place, result: Omit<Result, keyof Place>): Promise<void>;
  close(): Promise<void>;
};

/** Which record became which article, a line each; undefined where nobody asked for it. */
export function createResults(path: string | undefined): Results | undefined {
  if (path === undefined) return undefined;
  const file = createLineFile<Result>(path);
  return {
    add: ({ source, position }, result) => file.add({ source, position, ...result }),
    close: () => file.close(),
  };
}

export function resultOf(outcome: Outcome): Omit<Result, keyof Place> {
  const { kind } = outcome;
  if (kind === 'skipped') return { outcome: kind, reason: outcome.reason };
  if (kind === 'rejected') return { outcome: kind, reason: outcome.class };
  if (kind === 'inDoubt' || outcome.article === undefined) return { outcome: kind };
  const { id, url } = outcome.article;
  // A dry run has no address to give.
  return url === '' ? { outcome: kind } : { outcome: kind, id, url };
}
