import { type Hint, UnusableStore } from '../json-file/unusable-store.ts';
import type { Address } from './address.ts';
import { codeOf, isConnectionLost } from './failures.ts';
import { grantsTo } from './sql.ts';

/** Says what a database refuses in words of the store; `serving` is the role where one is to serve. */
export async function explained<Result>(
  address: Pick<Address, 'shown'>,
  work: () => Promise<Result>,
  serving?: string,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw inWords(address.shown, error, serving) ?? error;
  }
}

function inWords(shown: string, error: unknown, serving?: string): UnusableStore | undefined {
  if (error instanceof UnusableStore) return undefined;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const state = codeOf(cause) ?? codeOf(error) ?? '';
  const why = cause instanceof Error ? cause.message : String(cause);
  const init = 'Run `blogctl store init postgres://…` once, as the role that is to own it.';
  if (state.startsWith('28')) {
    return new UnusableStore('denied', `${shown} refuses the role: ${why}.`, {
      hint: 'Set PGPASSWORD or PGPASSFILE, and look at pg_hba.conf of the server.',
    });
  }
  if (state === '3D000') {
    return new UnusableStore('no-schema', `${shown} is not there: ${why}.`, {
      hint: `Make it with createdb. ${init}`,
    });
  }
  if (state === '42P01' || state === '3F000') {
    return new UnusableStore('no-schema', `${shown} has no store of blogctl.`, { hint: init });
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
    return new UnusableStore('forbidden', `${shown} is read-only: ${why}`, {
      hint: 'Name the primary, or serve it with --read-only.',
    });
  }
  if (!isConnectionLost(error) && !isConnectionLost(cause)) return undefined;
  return new UnusableStore('unreachable', `${shown} does not answer: ${why}.`, {
    hint: 'Check host, port and TLS, and that the server runs.',
  });
}

function rightsOf(role?: string): Hint {
  return `A role that serves needs what the owner gives it by \`${grantsTo(role).join(' ')}\`.`;
}
