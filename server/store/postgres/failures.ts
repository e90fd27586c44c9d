import { StoreError } from '../store.ts';
import type { Hint } from '../unusable-store.ts';
import type { Address } from './address.ts';

/** SQLSTATE of what the server answered, or Node's code; undefined where a connection just ended. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  return (isOfPooler(error) && refusedByPooler(error.message)) || String(error.code);
}

/** PgBouncer gives all that it refuses one code, with which a server would refuse no connection. */
export function isOfPooler(error: unknown): error is Error {
  const isFatal = error instanceof Error && 'severity' in error && error.severity === 'FATAL';
  return isFatal && 'code' in error && error.code === '08P01';
}

/** Its words tell what stays as it is from what passes, such as a server that does not answer it. */
function refusedByPooler(words: string): string | undefined {
  if (/authentication failed|no such user|wrong password type/.test(words)) return '28P01';
  if (/statement pooling mode/.test(words)) return '0A000';
  return /no such database|database ".*" does not exist/.test(words) ? '3D000' : undefined;
}

/** With these a session ends, or does not begin; what FATAL is called depends on lc_messages. */
const ofSession = /^(?:57P0|25P0[34]|53300)/;

/** Whether the server itself answered this, which tells what became of the statement. */
export function isAnswer(error: unknown): boolean {
  if (!(error instanceof Error && 'severity' in error) || error.severity === 'FATAL') return false;
  return !ofSession.test(codeOf(error) ?? '');
}

/** The connection is gone, or was never there: another may do. */
export function isConnectionLost(error: unknown): boolean {
  // Node's codes can look like those of SQL: EPIPE.
  if (error instanceof Error && 'severity' in error) {
    const code = codeOf(error) ?? '';
    return ofSession.test(code) || (/^(?:08|55000)/.test(code) && !isAnswer(error));
  }
  // Of the driver it has no kind of its own, of Node a code; what else is thrown is no matter of the connection.
  if (error instanceof StoreError || error instanceof TypeError) return false;
  return !(error instanceof Error) || error.constructor === Error || 'code' in error;
}

/** The whole transaction can be run again. */
export function isPassing(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error) ?? '');
}

/** A prepared statement is not where it was left: a pooler stands between. */
export function isForgotten(error: unknown): boolean {
  return isAnswer(error) && ['42P05', '26000', '08P01'].includes(codeOf(error) ?? '');
}

/** A table or a column is not there: a newer program may have changed the schema. */
export function isOfOtherSchema(error: unknown): boolean {
  return ['42P01', '42703'].includes(codeOf(error) ?? '');
}

/** As the server itself refuses what needs a right on a table. */
export function lackedRight(words: string): Error {
  return Object.assign(new Error(words), { code: '42501', severity: 'ERROR' });
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

export function unknownOutcome(cause: unknown): StoreError {
  const text = 'The database did not say whether the change was saved.';
  return new StoreError('outcome-unknown', text, { cause });
}

function bySqlState(state: string): Meaning | undefined {
  const soon = { retryAfterSeconds: 1 };
  if (state === '53100') return ['no-room', 'The disk of the database is full.', {}];
  if (state === '53300') return ['overloaded', 'The database has too many connections.', soon];
  if (state.startsWith('53')) return ['overloaded', 'The database ran into a limit.', soon];
  if (state === '55P03') return ['overloaded', 'Another writer holds the blog.', soon];
  if (state === '57014') return ['overloaded', 'The database took too long.', soon];
  if (/^40(?:001|P01)$/.test(state))
    return ['overloaded', 'Writers are in each other’s way.', soon];
  if (state === '0A000') return ['refused', 'What it is asked is not supported.', {}];
  if (state === '25006') return ['refused', 'The database is read-only.', {}];
  if (state === '42501') return ['refused', 'The role lacks a right.', {}];
  if (/^(?:42P01|3F000|42703|23502)$/.test(state))
    return ['refused', 'The schema is another one.', {}];
  if (state.startsWith('28')) return ['unreachable', 'The database refuses the role.', {}];
  if (state.startsWith('3D')) return ['unreachable', 'The database is not there.', {}];
  return undefined;
}

/** What the server shows of itself is not what it has to be, or what it is shown of us. */
export function isOfCertificate(error: unknown): boolean {
  return /CERT|LEAF_SIGNATURE|ALERT_UNKNOWN_CA/.test(codeOf(error) ?? '');
}

/** What is wrong with it, and what to do. */
export function ofCertificate(shown: string, error: unknown): readonly [string, Hint] {
  if (codeOf(error)?.includes('ALERT') === true) {
    const hint =
      'Name another as sslcert and sslkey of the address, or have the server believe who issued it (ssl_ca_file).';
    return [
      `${shown} does not believe the certificate that sslcert names: ${alertOf(error)}.`,
      hint,
    ];
  }
  const why = wordsOf(error).replace(/[.:\s]+$/, '');
  return [`${shown} is not believed: ${why}${namesIn(error)}.`, hintOfCertificate(error, why)];
}

function hintOfCertificate(error: unknown, why: string): Hint {
  const code = codeOf(error);
  if (code === 'CERT_HAS_EXPIRED')
    return 'Have the certificate of the server renewed, or that of who issued it; see that the clock of this machine is right.';
  if (code === 'CERT_NOT_YET_VALID') return 'See that the clock of this machine is right.';
  return why.includes('altnames')
    ? 'Write the host in the address as the certificate names it.'
    : 'Name the file with the certificate of who issued it, as sslrootcert of the address.';
}

/** Its message has a line of the source of OpenSSL around that. */
function alertOf(error: unknown): string {
  return error instanceof Error && 'reason' in error ? String(error.reason) : wordsOf(error);
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

type Refused = Pick<Address, 'passwordFrom'> & { readonly why: string; readonly cause: unknown };

/** Where to look, of a role that is refused. */
export function hintOfRefusal({ why, cause, passwordFrom: from }: Refused): Hint {
  if (/client certificate/.test(why)) return 'Name it as sslcert and sslkey of the address.';
  if (/no encryption/.test(why))
    return 'Add sslmode=verify-full to the address, or look at pg_hba.conf of the server.';
  if (/^role .* (?:does not exist|is not permitted to log in)/.test(why))
    return 'Name another role, make it with createuser, or let it log in: ALTER ROLE … LOGIN.';
  const place = isOfPooler(cause) ? 'the users that the pooler knows' : 'pg_hba.conf of the server';
  return from === undefined || from === 'PGPASSWORD'
    ? `Set PGPASSWORD or PGPASSFILE, and look at ${place}.`
    : `The password stands in ${from}, which counts before PGPASSWORD and PGPASSFILE: put it right there, and look at ${place}.`;
}

/** Waiting changes nothing about it: role, its right to connect, database, or who the host says that it is. */
export function isFinal(error: unknown): boolean {
  const isRefused = /^(?:28|3D|42501)/.test(codeOf(error) ?? '') || isOfCertificate(error);
  return isRefused || /not support SSL/.test(wordsOf(error));
}

/** What a commit waits for, where nothing is wrong with it. */
export const noStandby = 'no synchronous standby confirms it: see synchronous_standby_names';

/** What the session does that others of the kind wait for. */
export const changesStore = 'makes, fills or changes a store there';

/** Only who holds a lock and does nothing is to be ended. */
export function stepOfHeld(why: string): Capitalize<string> {
  if (why === noStandby) return 'Bring a standby back, or take it out of synchronous_standby_names';
  return why.endsWith(changesStore)
    ? 'Wait until that is done'
    : 'Whose it is stands in pg_stat_activity, most often as `idle in transaction`: have it end';
}

/** It answers, and is another than the primary. */
export function isStandby(error: unknown): boolean {
  return error instanceof StoreError && error.failure === 'refused';
}

/** Of several hosts, what each of them answered, as what is worst: who does not answer may be the primary. */
export function ofEach(hosts: Address['hosts'], met: readonly unknown[]): unknown {
  const worst = met.find(isFinal) ?? met.find((error) => !isStandby(error)) ?? met[0];
  if (hosts.length > 1 && worst instanceof Error) {
    const all = hosts.map(({ host, port }, at) => {
      const [place, words] = [`${host}:${port}`, wordsOf(met[at]).replace(/\.$/, '')];
      return words.includes(place) ? words : `${place}: ${words}`;
    });
    worst.message = all.join('; ');
  }
  return met.every(isFinal) ? worst : meaningOf(worst);
}

/** Hears of connections, and what became of a statement. */
export type OutageListener = {
  met(error: unknown, name?: string): void;
  over(name?: string): void;
  watched<Answer>(name: string, answer: Promise<Answer>): Promise<Answer>;
};

/** Of the outages, a full disk. */
export const ROOM = 'room';

/** What kept a change from being made is told for so long, where no other one is tried. */
const REFUSED_MS = 30_000;

/** What keeps changes from being made, and only who operates the database can see to. */
export class LastRefusal {
  readonly #outages: OutageListener | undefined;
  #met: { readonly error: StoreError; readonly until: number } | undefined;
  #fullUntil = 0;

  constructor(outages: OutageListener | undefined) {
    this.#outages = outages;
  }

  /** Of all changes alike, until it is time for the next: who is not asked for any meets none. */
  get current(): StoreError | undefined {
    return performance.now() < (this.#met?.until ?? 0) ? this.#met?.error : undefined;
  }

  note(error: unknown): void {
    if (!(error instanceof StoreError)) return;
    const [isFull, code] = [error.failure === 'no-room', codeOf(error.cause) ?? ''];
    if (!isFull && !['55P03', '0A000', '53300'].includes(code)) return;
    const until = performance.now() + REFUSED_MS;
    if (isFull) this.#fullUntil = until;
    // Of a lock others may be free.
    if (code !== '55P03') this.#met = { error, until };
    this.#outages?.met(error, isFull ? ROOM : 'changes');
  }

  /** What changes nothing found no room, and what is short may find some where the next does not. */
  succeeded(isWritten: boolean): void {
    this.#outages?.over('changes');
    if (isWritten && performance.now() >= this.#fullUntil) this.#outages?.over(ROOM);
    if (isWritten || this.#met?.error.failure !== 'no-room') this.#met = undefined;
  }
}
