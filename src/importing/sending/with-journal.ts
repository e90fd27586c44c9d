import type { Journal } from '../runs/journal.ts';
import type { Delivery } from './delivery.ts';

/** Asks nothing twice: what the journal says was answered stands. */
export function withJournal(deliver: Delivery, journal: Journal | undefined): Delivery {
  if (journal === undefined) return deliver;
  return (record, signal) =>
    journal.state(record) === 'answered'
      ? Promise.resolve({ kind: 'replayed' })
      : deliver(record, signal);
}
