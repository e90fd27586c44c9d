import type { Journal } from '../runs/journal.ts';
import type { Delivery } from './delivery.ts';

/** Writes down what was answered, and asks nothing twice: an earlier answer stands. */
export function withJournal(deliver: Delivery, journal: Journal | undefined): Delivery {
  if (journal === undefined) return deliver;
  return async (record, signal) => {
    if (journal.state(record) === 'answered') return { kind: 'replayed' };
    const outcome = await deliver(record, signal);
    if ('article' in outcome && outcome.article !== undefined) {
      journal.answered(record, outcome.article);
    }
    return outcome;
  };
}
