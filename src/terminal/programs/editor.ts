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
    await run(editor, path, platform);
  } catch (cause) {
    throw new BlogctlError('unusable-input', `The editor "${editor}" failed.`, {
      hint: 'set EDITOR to an editor that waits until the file is closed',
      cause,
    });
  }
}

/**
 * An editor is a command line of its own (`code --wait`), which a shell reads; the path is not: it
 * is handed over as an argument, and on Windows as a variable, which is expanded once.
 */
async function run(editor: string, path: string, platform: string): Promise<void> {
  const stdio = 'inherit';
  if (platform === 'win32') {
    const env = { BLOGCTL_EDITED: path };
    await execa(`${editor} "%BLOGCTL_EDITED%"`, { shell: true, stdio, env });
  } else await execa('/bin/sh', ['-c', `${editor} "$@"`, 'blogctl', path], { stdio });
}
