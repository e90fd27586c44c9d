import { type Hint, UnusableStore } from '../unusable-store.ts';
import { StoreError } from '../store.ts';
import type { Address } from './address.ts';
import { grantsTo } from './sql.ts';

/** SQLSTATE of what the server answered, or Node's code; undefined where a connection just ended. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  return (isOfPooler(error) && refusedByPooler(error.message)) || String(error.code);
}

/** PgBouncer gives all that it refuses one code, with which a server would refuse no connection. */
function isOfPooler(error: unknown): error is Error {
  const isFatal = error instanceof Error && 'severity' in error && error.severity === 'FATAL';
  return isFatal && 'code' in error && error.code === '08P01';
}

/** Its words tell what stays as it is from what passes, such as a server that does not answer it. */
function refusedByPooler(words: string): string | undefined {
  if (/authentication failed|no such user|wrong password type/.test(words)) return '28P01';
  return /no such database|database ".*" does not exist/.test(words) ? '3D000' : undefined;
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

/** As the server itself refuses what needs a right on a table. */
export function lackedRight(table: string): Error {
  return Object.assign(new Error(`permission denied for table ${table}`), {
    code: '42501',
    severity: 'ERROR',
  });
}

type Meaning = ConstructorParameters<typeof StoreError>;

/** What a failure means to whoever asked a store that is open; one that is ours stays as it is. */
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
  if (state === '25006') return ['refused', 'The database is read-only.', {}];
  if (state === '42501') return ['refused', 'The role lacks a right.', {}];
  if (/^(?:42P01|3F000|42703)$/.test(state)) return ['refused', 'The schema is another one.', {}];
  if (state.startsWith('28')) return ['unreachable', 'The database refuses the role.', {}];
  if (state.startsWith('3D')) return ['unreachable', 'The database is not there.', {}];
  return undefined;
}

type Explaining = {
  /** The role, where one is to serve. */
  readonly serving?: string | undefined;
  /** What it stops work with is no failure of the database. */
  readonly signal?: AbortSignal | undefined;
};

/** The same for whoever opens, makes or checks one. */
export async function explained<Result>(
  address: Pick<Address, 'shown'>,
  work: () => Promise<Result>,
  { serving, signal }: Explaining = {},
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted === true && error === signal.reason) throw error;
    throw inWords(address.shown, error, serving) ?? error;
  }
}

/** In the words of a command, with what to do next; undefined where it is no failure of the database. */
export function inWords(
  shown: string,
  error: unknown,
  serving?: string,
): UnusableStore | undefined {
  if (error instanceof UnusableStore) return undefined;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const state = codeOf(cause) ?? codeOf(error) ?? '';
  const why = wordsOf(cause);
  const init = 'Run `blogctl store init postgres://…` once, as the role that is to own it.';
  const isPooled = isOfPooler(cause);
  if (state.startsWith('28')) {
    const hint = hintOfRefusal(why, isPooled);
    return new UnusableStore('denied', `${shown} refuses the role: ${why}.`, { hint });
  }
  if (state === '3D000') {
    const known = isPooled ? ', and look at the databases that the pooler knows' : '';
    return new UnusableStore('no-schema', `${shown} is not there: ${why}.`, {
      hint: `Make it with createdb${known}. ${init}`,
    });
  }
  if (state === '42P01' || state === '3F000') {
    // Of a store that was there something may be left.
    const what = why.includes('blogctl.format') ? '' : `: ${why}`;
    return new UnusableStore('no-schema', `${shown} has no store of blogctl${what}.`, {
      hint: init,
    });
  }
  if (state === '42P06') {
    return new UnusableStore('exists', `${shown} has a store already. Nothing was changed.`, {
      hint: `Use the store that is there, or another database. ${rightsOf()}`,
    });
  }
  if (state === '42501') {
    return new UnusableStore('forbidden', `${shown} lacks a right: ${why}.`, {
      hint:
        serving === undefined
          ? `Name its owner, as postgres://<owner>@${shown.replace(/^.*@/, '')} does.`
          : rightsOf(serving),
    });
  }
  if (state === '25006' || /standby/.test(why)) {
    return new UnusableStore('forbidden', `${shown} is read-only: ${why.replace(/\.$/, '')}.`, {
      hint:
        serving === undefined
          ? 'Name the primary.'
          : 'Name the primary, or serve it with --read-only.',
    });
  }
  if (isOfCertificate(cause)) {
    const text = `${shown} is not believed: ${why.replace(/[.:\s]+$/, '')}${namesIn(cause)}.`;
    return new UnusableStore('unreachable', text, {
      hint: /altnames/.test(why)
        ? 'Write the host in the address as the certificate names it.'
        : 'Name the file with the certificate of who issued it, as sslrootcert of the address.',
    });
  }
  if (!isConnectionLost(error) && !isConnectionLost(cause)) return undefined;
  return new UnusableStore('unreachable', `${shown} does not answer: ${why}.`, {
    hint: 'Check host, port and TLS, and that the server runs.',
  });
}

function hintOfRefusal(why: string, isPooled: boolean): Hint {
  if (/client certificate/.test(why)) return 'Name it as sslcert and sslkey of the address.';
  if (/no encryption/.test(why)) return 'Add sslmode=verify-full to the address.';
  if (/^role .* does not exist/.test(why)) return 'Name another role, or make it with createuser.';
  const place = isPooled ? 'the users that the pooler knows' : 'pg_hba.conf of the server';
  return `Set PGPASSWORD or PGPASSFILE, and look at ${place}.`;
}

/** What the server shows of itself is not what it has to be. */
function isOfCertificate(error: unknown): boolean {
  return /CERT|LEAF_SIGNATURE/.test(codeOf(error) ?? '');
}

/** Which hosts a certificate is for, where it is for another. */
function namesIn(error: unknown): string {
  if (!(error instanceof Error && 'cert' in error)) return '';
  const { cert } = error;
  if (typeof cert !== 'object' || cert === null || !('subjectaltname' in cert)) return '';
  return typeof cert.subjectaltname === 'string' ? ` (it is for ${cert.subjectaltname})` : '';
}

/** Node tries several addresses of one host, and its error for all of them says nothing. */
export function wordsOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(wordsOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}

function rightsOf(role?: string): Hint {
  return `A role that serves needs what the owner gives it by \`${grantsTo(role).join(' ')}\`.`;
}

/** Waiting changes nothing about it: role, database, or who the host says that it is. */
export function isFinal(error: unknown): boolean {
  const isRefused = /^(?:28|3D)/.test(codeOf(error) ?? '') || isOfCertificate(error);
  return isRefused || (error instanceof Error && /not support SSL/.test(error.message));
}

/** Of several hosts, what each of them answered. */
export function ofEach(hosts: Address['hosts'], met: readonly unknown[], worst: unknown): unknown {
  if (hosts.length === 1 || !(worst instanceof Error)) return worst;
  const all = hosts.map(({ host, port }, at) => {
    const [place, words] = [`${host}:${port}`, wordsOf(met[at])];
    return words.includes(place) ? words : `${place}: ${words}`;
  });
  return Object.assign(worst, { message: all.join('; ') });
}
