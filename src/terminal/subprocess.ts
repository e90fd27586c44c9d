import { execa, ExecaError } from 'execa';
import { BlogctlError } from '../errors.ts';

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
    // A shell answers 130 for what was interrupted.
    if (cause instanceof ExecaError && (cause.signal === 'SIGINT' || cause.exitCode === 130))
      throw new BlogctlError('interrupted', 'Interrupted.');
    throw new BlogctlError('unusable-input', `The editor "${editor}" failed.`, {
      hint: 'Set EDITOR to an editor that waits until the file is closed.',
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

/**
 * Shows text in the user's pager: BLOGCTL_PAGER, PAGER, else less. False where there is none.
 * Leaving the pager before the end is no failure, by Ctrl-C as little.
 */
export async function showInPager(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const pager = env['BLOGCTL_PAGER'] ?? env['PAGER'] ?? 'less';
  if (pager === '' || pager === 'cat') return false;
  const { exitCode, signal } = await execa(pager, {
    shell: true,
    input: text,
    stdout: 'inherit',
    stderr: 'ignore',
    env: { LESS: env['LESS'] ?? 'FRX' },
    reject: false,
  });
  // Shells answer 127 for a command that is not there; one that a signal ended was.
  return exitCode !== 127 && (exitCode !== undefined || signal !== undefined);
}

type System = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
};

/** Opens an address in the browser of the user: BROWSER, else the platform's own way. */
export async function openInBrowser(url: string, { env, platform }: System): Promise<void> {
  const [program, ...words] = env['BROWSER'] ? [env['BROWSER']] : openers(platform);
  const { exitCode, cause } = await execa(program ?? '', [...words, url], {
    stdio: 'ignore',
    reject: false,
  });
  if (exitCode === 0) return;
  throw new BlogctlError('unusable-input', `No browser could be opened with ${program}.`, {
    hint: `Open ${url} yourself, or name a browser with BROWSER.`,
    cause,
  });
}

function openers(platform: string): readonly string[] {
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}

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
      hint: 'Run it by itself to see why.',
      // The whole message repeats what was printed, which may be a token.
      cause: error instanceof ExecaError ? new Error(error.shortMessage) : error,
    });
  }
}
