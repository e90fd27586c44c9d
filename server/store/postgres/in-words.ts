import { StoreError } from '../store.ts';
import { type Hint, inShell, type Unusable, UnusableStore } from '../unusable-store.ts';
import type { Address } from './address.ts';
import {
  codeOf,
  hintOfRefusal,
  isAnswer,
  isConnectionLost,
  isOfCertificate,
  isOfPooler,
  ofCertificate,
  wordsOf,
  stepOfHeld,
} from './failures.ts';
import { servingRights } from './sql.ts';

/** What words need of an address. */
export type Named = Pick<Address, 'shown' | 'given' | 'sslmode' | 'passwordFrom'>;

type Explaining = {
  /** The role, where one is to serve. */
  readonly serving?: string | undefined;
  /** What it stops work with is no failure of the database. */
  readonly signal?: AbortSignal | undefined;
};

/** Does work on a database; what that answers or a store finds becomes an UnusableStore in words of a command. */
export async function explained<Result>(
  address: Named,
  work: () => Promise<Result>,
  { serving, signal }: Explaining = {},
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (signal?.aborted === true && error === signal.reason) throw error;
    throw inWords(address, error, serving) ?? error;
  }
}

/** What was met, and where. */
type Met = Named & {
  readonly state: string;
  /** The server's own words, or Node's. */
  readonly why: string;
  readonly cause: unknown;
  /** The role, where one is to serve. */
  readonly serving: string | undefined;
  readonly asOwner: string;
  /** Of what the server answered to a command nothing was done. */
  readonly kept: string;
};

type Words = readonly [code: Unusable, message: string, hint: Hint];

/** In the words of a command, with what to do next; undefined where it is no failure of the database. */
export function inWords(
  address: Named,
  error: unknown,
  serving?: string,
): UnusableStore | undefined {
  if (error instanceof UnusableStore) return undefined;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const met: Met = {
    shown: address.shown,
    given: address.given,
    sslmode: address.sslmode,
    passwordFrom: address.passwordFrom,
    state: codeOf(cause) ?? codeOf(error) ?? '',
    why: wordsOf(cause).replace(/\.$/, ''),
    cause,
    serving,
    asOwner: serving === undefined ? inShell(address.given) : asRole(address, '<owner>'),
    kept: serving === undefined && isAnswer(cause) ? ' Nothing was changed.' : '',
  };
  const found = ofStore(met, error) ?? ofState(met) ?? ofConnection(met, error);
  return found && new UnusableStore(found[0], found[1], { hint: found[2] });
}

/** What the store itself found, without a word of the server. */
function ofStore({ shown, asOwner, why, serving }: Met, error: unknown): Words | undefined {
  if (!(error instanceof StoreError)) return undefined;
  const { failure, message } = error;
  if (failure === 'outcome-unknown') {
    const text = `${shown} did not say whether it was saved: ${why}. It may have been done.`;
    return ['unreachable', text, lookAtBlogs(asOwner)];
  }
  if (error.cause !== undefined || failure === 'unreachable') return undefined;
  if (failure === 'other-schema') {
    const hint: Hint = message.includes('newer')
      ? 'Use the blogctl that upgraded it, or a newer one.'
      : `Run \`blogctl store upgrade ${asOwner}\`.`;
    return ['foreign', message.replace('The database', shown), hint];
  }
  if (failure === 'refused')
    return ['forbidden', `${shown} is read-only: ${why}.`, orOnlyRead('Name the primary', serving)];
  return ['unreachable', `${shown}: ${message}`, 'Run the same again.'];
}

/** No command shows the blogs of a database that nobody serves. */
export function lookAtBlogs(store: string): Hint {
  return `See \`psql ${store} -c "SELECT id, title, locked FROM blogctl.blogs"\` before you run the same again.`;
}

function ofState(met: Met): Words | undefined {
  const { shown, state, why, cause, serving, kept } = met;
  const then = serving === undefined ? ', then run the same again' : '';
  if (state.startsWith('28'))
    return ['denied', `${shown} refuses the role: ${why}.`, hintOfRefusal(met)];
  if (state === '3D000') {
    const known = isOfPooler(cause) ? ', and look at the databases that the pooler knows' : '';
    const hint: Hint = `Make it with createdb${known}. ${init(met)}`;
    return ['no-schema', `${shown} is not there: ${why}.`, hint];
  }
  if (state === '3F000' || (state === '42P01' && why.includes('blogctl.format')))
    return ['no-schema', `${shown} has no store of blogctl.`, init(met)];
  if (/^(?:42P01|42703|23502)$/.test(state)) {
    const what = state === '23502' ? 'an article has the id of the next one' : why;
    return ['damaged', `${shown} is not as blogctl left it: ${what}.`, hintOfPart(met)];
  }
  if (state === '42P06') {
    const hint: Hint = `Use the store that is there, or another database. ${rightsOf()}`;
    return ['exists', `${shown} has a store already. Nothing was changed.`, hint];
  }
  if (state === '42501') {
    if (/row-level security/.test(why))
      return ['forbidden', `Rows are hidden in ${shown}: ${why}.`, hintOfHidden];
    const owner: Hint = `Name its owner, as ${asRole(met, '<owner>')} does: \`psql ${met.asOwner} -c '\\dn blogctl'\` shows who that is.`;
    const hint = serving === undefined ? owner : rightsOf(serving, why);
    return ['forbidden', `${shown} lacks a right: ${why}.`, hint];
  }
  if (state === '25006') return readOnly(met);
  if (state === '0A000') {
    const hint = 'Of PgBouncer, set pool_mode = transaction, or session, for this database.';
    return ['forbidden', `${shown} does not do what is needed: ${why}.`, hint];
  }
  if (state === '53100') {
    const hint: Hint = `Free some space on the disk of the database${then}.`;
    return ['forbidden', `The disk of ${shown} is full: ${why}.${kept}`, hint];
  }
  if (state === '53300') {
    const hint =
      'Free some, raise the limit (max_connections, or CONNECTION LIMIT of role or database), or serve with fewer: --store-connections 1.';
    return ['unreachable', `${shown} has no connection left: ${why}.`, hint];
  }
  if (state === '55P03') {
    const hint: Hint = `${stepOfHeld(why)}${then}.`;
    return ['held', `Another session holds what is to change in ${shown}: ${why}.${kept}`, hint];
  }
  if (state === '57014') {
    const hint: Hint = `Where nobody cancelled it, raise statement_timeout of the role, the database or the server${then}.`;
    return ['unreachable', `${shown} ended it: ${why}.${kept}`, hint];
  }
  if (state === '55000' && !isAnswer(cause)) {
    const hint = 'Let it take connections: ALTER DATABASE … ALLOW_CONNECTIONS true.';
    return ['unreachable', `${shown} takes no connections: ${why}.`, hint];
  }
  return undefined;
}

function init({ asOwner }: Met): Hint {
  return `Run \`blogctl store init ${asOwner}\` once, as the role that is to own it.`;
}

/** The address that was given, with another role. */
function asRole({ given }: Named, role: string): string {
  return given.replace(/\/\/(?:[^@/?]*@)?/, `//${role}@`);
}

const hintOfHidden = 'Have its owner turn that off: ALTER TABLE … DISABLE ROW LEVEL SECURITY.';

/** A newer program may have taken it away. */
function hintOfPart({ serving, asOwner }: Met): Hint {
  return serving === undefined
    ? 'Restore a backup into another database and use that: nothing makes anew what was in it.'
    : `Run \`blogctl store check ${asOwner}\`, which says whether it was upgraded or is damaged.`;
}

/** No standby, which was not taken: an operator made it so. */
function readOnly({ shown, why, serving, kept }: Met): Words {
  const setting =
    'See what sets default_transaction_read_only: the server, the database or the role (ALTER … RESET default_transaction_read_only)';
  return ['forbidden', `${shown} is read-only: ${why}.${kept}`, orOnlyRead(setting, serving)];
}

function orOnlyRead<Step extends string>(step: Step, serving: string | undefined) {
  return `${step}${serving === undefined ? '' : ', or serve it with --read-only'}.` as const;
}

function ofConnection(met: Met, error: unknown): Words | undefined {
  const { shown, sslmode, state, why, cause, kept, serving } = met;
  if (isOfCertificate(cause)) return ['unreachable', ...ofCertificate(shown, cause)];
  if (/not support SSL/.test(why)) {
    const text = `${shown} does not encrypt, and sslmode=${sslmode} asks for that: ${why}.`;
    const hint =
      'Turn ssl on at the server or, where the network between is trusted, add sslmode=disable to the address.';
    return ['unreachable', text, hint];
  }
  if (/ is a standby/.test(why)) {
    const hint = orOnlyRead('Start the primary, or promote a standby', serving);
    return ['unreachable', `${shown}: no primary answers: ${why}.`, hint];
  }
  if (why.startsWith('Query read timeout')) {
    const hint =
      'What it waits for stands in pg_stat_activity: a lock of another session, or much work.';
    return ['unreachable', `${shown} takes too long over a statement: ${why}.`, hint];
  }
  if (isConnectionLost(error) || isConnectionLost(cause))
    return [
      'unreachable',
      `${shown} does not answer: ${why}.`,
      'Check host, port and TLS, and that the server runs.',
    ];
  if (!(cause instanceof Error && 'severity' in cause)) return undefined;
  // Nobody foresaw it: of the server, of its disk, or of what was asked.
  const kind = !isAnswer(cause) || /^(?:40|53|57|58|XX)/.test(state) ? 'unreachable' : 'forbidden';
  const hint: Hint = `The log of the server may say more; SQLSTATE ${state} stands in the manual of PostgreSQL, under error codes.`;
  return [kind, `${shown} refuses it: ${why} (SQLSTATE ${state}).${kept}`, hint];
}

/** The right to connect is one of the database, which has none of it for everybody where somebody took it. */
function rightsOf(role?: string, why = ''): Hint {
  const [, database] = /^permission denied for database "?(.+?)"?$/.exec(why) ?? [];
  return `A role that serves needs what the owner gives it by \`${grantsTo(role, database).join(' ')}\`.`;
}

/** With the database also the right to connect, where everybody's was taken. */
export function grantsTo(role = 'blogctl_serve', database?: string): readonly string[] {
  return [
    ...(database === undefined ? [] : [`CONNECT ON DATABASE ${quoted(database)}`]),
    'USAGE ON SCHEMA blogctl',
    'SELECT ON ALL TABLES IN SCHEMA blogctl',
    ...servingRights.map(
      ([rights, tables]) =>
        `${rights.join(', ')} ON ${tables.map((table) => `blogctl.${table}`).join(', ')}`,
    ),
  ].map((right) => `GRANT ${right} TO ${quoted(role)};`);
}

/** A word of SQL, as user is, is no name without quotes; none that could be one has a _ in it. */
function quoted(name: string): string {
  return /^[a-z][a-z0-9]*_[a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
