import { execa } from 'execa';
import { BlogctlError } from '../../errors.ts';

/** Runs a command line by the shell, stdin and stderr being the user's; answers what it prints. */
export async function runCommand(command: string, signal?: AbortSignal): Promise<string> {
  try {
    const { stdout } = await execa(command, {
      shell: true,
      stdin: 'inherit',
      stderr: 'inherit',
      ...(signal && { cancelSignal: signal }),
    });
    return stdout;
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    throw new BlogctlError('unusable-input', `The command "${command}" failed.`, {
      hint: 'run it by itself to see why',
      cause: error,
    });
  }
}
