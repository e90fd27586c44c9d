import { BlogctlError } from '../../errors.ts';
import type { Outcome } from './delivery.ts';

/** Statuses that say something about the record sent, not about the blog or the service. */
const aboutTheRecord = new Set([400, 409, 412, 413, 415, 422]);

/**
 * The outcome of a record whose creation failed; throws the error again where every other record
 * would meet it too (interface, Errors).
 */
export function outcomeOfRefusal(error: unknown): Outcome {
  if (!(error instanceof BlogctlError)) throw error;
  const { status } = error.context;
  // Only a key can be gone: its article was deleted after the import (decisions 38).
  if (status === 410) return { kind: 'skipped', reason: 'deleted' };
  const refused = status !== undefined && aboutTheRecord.has(status);
  const failed = status === 500 || status === 502 || status === 504;
  if (!refused && !failed) throw error;
  return {
    kind: 'rejected',
    class: refused ? 'refused' : 'failed',
    status,
    message: error.message,
  };
}

/** No answer: the service may have done what it was asked for. */
export function isSilence(error: unknown): error is BlogctlError {
  return error instanceof BlogctlError && error.code === 'unreachable';
}
