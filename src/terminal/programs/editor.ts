import { execa } from 'execa';
import { BlogctlError } from '../../errors.ts';

/** Opens a file in the user's editor and waits: BLOGCTL_EDITOR, VISUAL, EDITOR, else vi. */
export async function editFile(
  path: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): Promise<void> {
  const fallback = platform === 'win32' ? 'notepad' : 'vi';
  const editor = env['BLOGCTL_EDITOR'] || env['VISUAL'] || env['EDITOR'] || fallback;
  try {
    // An editor is a command line of its own: `code --wait`.
    await execa(`${editor} "${path}"`, { shell: true, stdio: 'inherit' });
  } catch (cause) {
    throw new BlogctlError('unusable-input', `The editor "${editor}" failed.`, {
      hint: 'set EDITOR to an editor that waits until the file is closed',
      cause,
    });
  }
}
