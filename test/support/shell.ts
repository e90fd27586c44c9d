import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import type { TestBlog } from '../../src/testing/index.ts';
import { givenFolder } from './command.ts';
import { patternOf, type Step } from './page-steps.ts';
import { freePort } from './postgres.ts';

export type Shell = { run(step: Step): Promise<void> };

type Setting = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

type Desk = { readonly folders?: readonly string[]; readonly blog?: TestBlog };

/**
 * One terminal for all steps of a page: what a step exports holds for the next ones. Ports are free
 * ones in the place of those that the page names, and https://blog.example is a service of the test.
 */
export async function givenShell(cwd: string, { folders = [], blog }: Desk): Promise<Shell> {
  const home = await givenFolder();
  const kept = join(home, 'exported.sh');
  await writeFile(kept, '');
  const env = {
    PATH: [...folders, process.env['PATH']].join(':'),
    HOME: home,
    CI: undefined,
    TERM: 'xterm',
    COLUMNS: '100',
    // Nobody is there to leave one.
    PAGER: 'cat',
    ...(blog !== undefined && { BLOGCTL_TOKEN: blog.token }),
    npm_config_loglevel: 'error',
    npm_config_progress: 'false',
  };
  if (blog !== undefined) onTestFinished(() => blog.stop());
  const stood = new Map<string, string>();
  const here = async (text: string) => {
    let changed = text.replaceAll('https://blog.example/api/v1.2/blogs/1', blog?.url ?? '');
    for (const [port] of text.matchAll(/\b80(?:80|81|99)\b/g)) {
      stood.set(port, stood.get(port) ?? String(await freePort()));
      changed = changed.replaceAll(new RegExp(`\\b${port}\\b`, 'g'), stood.get(port) ?? '');
    }
    return changed;
  };
  return {
    run: async ({ command, expected }) => {
      const serves = /^(?:\w+=\S+ )?(?:npx )?blogctl serve\b/.test(command);
      const isPort = command.includes('--port');
      const line = await here(serves && !isPort ? `${command} --port 8080` : command);
      const setting = { cwd, env };
      const shown = serves
        ? await inBackground(line, setting)
        : await ran(line, kept, { ...setting, fails: expected?.includes('error: ') === true });
      if (expected === undefined) return;
      expect(shown).toMatch(patternOf(await here(expected)));
    },
  };
}

/** As on a terminal: `script` gives it one, and what a screen would show is left. */
async function ran(
  command: string,
  kept: string,
  { fails, ...setting }: Setting & { readonly fails: boolean },
): Promise<string> {
  const line = `set -aeo pipefail; . '${kept}'; ${command}\nexport -p > '${kept}'`;
  const words =
    process.platform === 'darwin'
      ? ['-q', '/dev/null', 'bash', '-c', line]
      : ['-qefc', `exec bash -c ${quoted(line)}`, '/dev/null'];
  const options = { ...setting, stdin: 'ignore', all: true, reject: false } as const;
  const { all, exitCode } = await execa('script', words, options);
  const shown = stripVTControlCharacters(all).replaceAll('\r', '');
  if (!fails && exitCode !== 0) throw new Error(`$ ${command}\n${shown}\n(ended with ${exitCode})`);
  return shown;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

async function inBackground(command: string, { cwd, env }: Setting): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, detached: true };
  const child = spawn('bash', ['-c', command], options);
  onTestFinished(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
  });
  let shown = '';
  for await (const chunk of child.stderr) {
    shown += String(chunk);
    if (shown.includes('Try ')) break;
  }
  expect({ command, shown, ended: child.exitCode }).toMatchObject({ ended: null });
  return shown;
}
