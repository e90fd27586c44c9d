import { execa } from 'execa';
import { BlogctlError } from '../../errors.ts';

/** What jq makes of a JSON text; strings are written bare. */
export async function filterWithJq(json: string, filter: string): Promise<string> {
  const result = await execa('jq', ['-r', filter], {
    input: json,
    reject: false,
    stripFinalNewline: false,
  });
  if (result.exitCode === 0) return result.stdout;
  if (result.exitCode === undefined) {
    throw new BlogctlError('usage', 'There is no jq on this machine, which --jq runs.', {
      hint: 'install jq, or choose with --fields or --field',
      cause: result.cause,
    });
  }
  const [said = ''] = result.stderr.trim().split('\n');
  throw new BlogctlError('usage', `jq does not take "${filter}": ${said}`, {
    hint: 'try the filter on the output of --json',
  });
}
