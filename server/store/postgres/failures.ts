import { StoreError } from '../store.ts';

/** SQLSTATE of what the server answered, or Node's code; undefined where a connection just ended. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}

/** Whether the server itself answered this, which tells what became of the statement. */
export function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity !== 'FATAL';
}

/** The connection is gone, or was never there: another may do. */
export function isConnectionLost(error: unknown): boolean {
  // Node's codes can look like those of SQL: EPIPE.
  if (error instanceof Error && 'severity' in error) {
    return /^(?:57P0|08|25P03|53300)/.test(codeOf(error) ?? '');
  }
  return !(error instanceof StoreError) && !(error instanceof TypeError);
}

/** The whole transaction can be run again. */
export function isPassing(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error) ?? '');
}

/** A prepared statement is not where it was left: a pooler stands between. */
export function isForgotten(error: unknown): boolean {
  return ['42P05', '26000', '08P01'].includes(codeOf(error) ?? '');
}

/** A table or a column is not there: a newer program may have changed the schema. */
export function isOfOtherSchema(error: unknown): boolean {
  return ['42P01', '42703'].includes(codeOf(error) ?? '');
}

type Meaning = ConstructorParameters<typeof StoreError>;

/** What a failure of the database means to whoever asked; one that is ours stays as it is. */
export function meaningOf(error: unknown): unknown {
  if (error instanceof StoreError) return error;
  const found = bySqlState(codeOf(error) ?? '');
  if (found !== undefined) return new StoreError(found[0], found[1], { ...found[2], cause: error });
  return isConnectionLost(error) ? unreachable(error) : error;
}

export function unreachable(cause: unknown): StoreError {
  const text = 'The database does not answer.';
  return new StoreError('unreachable', text, { cause, retryAfterSeconds: 2 });
}

function bySqlState(state: string): Meaning | undefined {
  const soon = { retryAfterSeconds: 1 };
  if (state === '53100') return ['no-room', 'The disk of the database is full.', {}];
  if (state === '53300') return ['overloaded', 'The database has too many connections.', soon];
  if (state === '53200') return ['overloaded', 'The database is short of memory.', soon];
  if (state === '55P03') return ['overloaded', 'Another writer holds the blog.', soon];
  if (state === '57014') return ['overloaded', 'The database took too long.', soon];
  if (/^40(?:001|P01)$/.test(state))
    return ['overloaded', 'Writers are in each other’s way.', soon];
  if (state === '25006') return ['degraded', 'The database is read-only.', {}];
  if (state === '42501') return ['degraded', 'The role lacks a right.', {}];
  if (/^(?:42P01|3F000|42703)$/.test(state)) return ['degraded', 'The schema is another one.', {}];
  if (state.startsWith('28')) return ['unreachable', 'The database refuses the role.', {}];
  if (state.startsWith('3D')) return ['unreachable', 'The database is not there.', {}];
  return undefined;
}
