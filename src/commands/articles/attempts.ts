import { BlogctlError } from '../../errors.ts';
import type { Terminal } from '../../terminal/terminal.ts';

/** The same done to several articles, where one that fails does not keep the others from it. */
export type Attempts = {
  /** The result; undefined where it failed, which is told at once. */
  attempt<T>(act: () => Promise<T>): Promise<T | undefined>;
  /**
   * The results of those that succeed, to be shown: what ends the run ends them too, and is thrown
   * by `conclude`, so that what was shown by then is a whole document.
   */
  each<T, U>(things: Iterable<T>, act: (thing: T) => Promise<U>): AsyncGenerator<U, void, void>;
  /** Throws what ended the run, or `partly-failed` where something failed. */
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
  let end: { readonly error: unknown } | undefined;
  const attempts: Attempts = {
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
    each: async function* (things, act) {
      try {
        for (const thing of things) {
          const result = await attempts.attempt(() => act(thing));
          if (result !== undefined) yield result;
        }
      } catch (error) {
        end = { error };
      }
    },
    conclude: () => {
      if (end !== undefined) throw end.error;
      if (failed === 0) return;
      throw new BlogctlError('partly-failed', `${failed} of ${all} articles failed.`, {
        hint:
          failed === all
            ? 'the reasons stand above; nothing was done'
            : 'the reasons stand above; the other articles are done',
      });
    },
  };
  return attempts;
}
