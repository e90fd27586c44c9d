import { StoreError } from '../../store.ts';
import type { OutsideChange } from '../open-document.ts';

/** The store file is not the one that this process wrote: nothing more is written to it. */
export function changedOutside(path: string, change: OutsideChange): StoreError {
  const failure = change === 'lost its lock' ? 'degraded' : 'changed-outside';
  return new StoreError(failure, outsideChangeInWords(path, change));
}

export function outsideChangeInWords(path: string, change: OutsideChange): string {
  return change === 'lost its lock'
    ? `${path}.lock was removed or replaced by another program.`
    : `${path} ${change} by another program.`;
}
