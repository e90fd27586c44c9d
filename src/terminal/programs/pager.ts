import { execa } from 'execa';

/**
 * Shows text in the user's pager: BLOGCTL_PAGER, PAGER, else less. False where there is none.
 * Leaving the pager before the end is no failure.
 */
export async function showInPager(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const pager = env['BLOGCTL_PAGER'] ?? env['PAGER'] ?? 'less';
  if (pager === '' || pager === 'cat') return false;
  const { exitCode } = await execa(pager, {
    shell: true,
    input: text,
    stdout: 'inherit',
    stderr: 'ignore',
    env: { LESS: env['LESS'] ?? 'FRX' },
    reject: false,
  });
  // Shells answer 127 for a command that is not there.
  return exitCode !== 127 && exitCode !== undefined;
}
