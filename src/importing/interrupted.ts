import { BlogctlError } from '../errors.ts';

/** The end of an import that was told to stop, by Ctrl-C or from outside. */
export function interrupted(
  signal: AbortSignal,
  { records, unsent }: { readonly records: number; readonly unsent: number },
): BlogctlError {
  const { reason } = signal;
  const code = reason instanceof BlogctlError ? reason.code : 'interrupted';
  const said = code === 'terminated' ? 'Terminated' : 'Interrupted';
  return new BlogctlError(code, `${said}: ${records - unsent} of ${records} records are done.`, {
    hint: 'Run the same import again to go on: nothing is created twice.',
  });
}
