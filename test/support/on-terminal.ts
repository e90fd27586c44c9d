import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { isInstalled } from './programs.ts';

const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));

/**
 * Starts the built command on a real terminal of 80 columns: `script` of util-linux gives it one.
 * stdout has what the screen gets, byte for byte; what is written to stdin is typed. stdin stays
 * open: where it ends, `script` waits for seconds.
 */
export function startOnTerminal(
  words: readonly string[],
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
) {
  // Without a width no spinner turns.
  const command = `stty cols 80; exec ${[process.execPath, bin, ...words].map(quoted).join(' ')}`;
  return execa('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    extendEnv: false,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      TERM: 'xterm-256color',
      SHELL: '/bin/sh',
      PAGER: 'cat',
      ...env,
    },
    stdin: 'pipe',
    reject: false,
    stripFinalNewline: false,
  });
}

/** NUL cannot stand in an argument. */
function quoted(word: string): string {
  return `'${word.replaceAll('\u0000', '').replaceAll("'", String.raw`'\''`)}'`;
}

/** Other programs of that name take other words. */
export function hasTerminals(): boolean {
  if (!isInstalled('script')) return false;
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
}
