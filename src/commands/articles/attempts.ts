import { BlogctlError } from '../../errors.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** The same done to several articles, where one that fails does not keep the others from it. */
export type Attempts = {
  /** The result; undefined where it failed, which is told at once. */
  attempt<T>(act: () => Promise<T>): Promise<T | undefined>;
  /** Throws `partly-failed` where something failed. */
  conclude(): void;
};

/** Failures that every other article would meet too: going on would only repeat them. */
const endsTheRun: ReadonlySet<string> = new Set([
  'authentication-required',
  'forbidden',
  'unreachable',
  'interrupted',
  'terminated',
]);

/** For `all` articles; the failure of a single one is thrown as itself. */
export function createAttempts(all: number, terminal: Terminal): Attempts {
  let failed = 0;
  return {
    attempt: async (act) => {
      try {
        return await act();
      } catch (error) {
        if (!(error instanceof BlogctlError) || all === 1 || endsTheRun.has(error.code))
          throw error;
        failed += 1;
        await terminal.fail(error);
        return undefined;
      }
    },
    conclude: () => {
      if (failed === 0) return;
      throw new BlogctlError('partly-failed', `${failed} of ${all} articles failed.`, {
        hint: 'the reasons stand above; the other articles are done',
      });
    },
  };
}
