import { BlogctlError } from '../errors.ts';

/** The end of an import that was told to stop; `state` says how far it came. */
export function interrupted(state: string): BlogctlError {
  return new BlogctlError('interrupted', `Interrupted. ${state}`, {
    hint: 'Run the same import again to go on: nothing is created twice.',
  });
}
