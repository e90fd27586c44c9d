import { spawn } from 'node:child_process';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { givenFolder } from '../support/command.ts';
import { isInstalled } from '../support/programs.ts';

type Setting = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
};

type Step = { readonly command: string; readonly expected: string };

const root = fileURLToPath(new URL('../..', import.meta.url));

it.skipIf(!isInstalled('script'))(
  'does what the README shows, command by command, in a fresh copy',
  async () => {
    const steps = stepsOf(await readFile(join(root, 'README.md'), 'utf8'));
    expect(steps.length).toBeGreaterThan(6);
    const copy = await givenCopy();
    const env = {
      HOME: await givenFolder(),
      CI: undefined,
      npm_config_loglevel: 'error',
      npm_config_progress: 'false',
    };
    for (const { command, expected } of steps) {
      const run = command.startsWith('npx blogctl serve') ? inBackground : onTerminal;
      const shown = await run(command, { cwd: copy, env });
      expect(`$ ${command}\n${shown}`).toMatch(patternOf(command, expected));
    }
  },
  180_000,
);

/** Commands and what they show, from the console blocks. */
function stepsOf(readme: string): Step[] {
  const blocks = [...readme.matchAll(/```console\n([\s\S]*?)```/g)].map(([, block]) => block ?? '');
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((step) => {
        const [command = '', ...lines] = step.split('\n');
        return { command, expected: lines.join('\n').trim() };
      }),
  );
}

/** `…` stands for anything within a line, and alone in its line for any lines. */
function patternOf(command: string, expected: string): RegExp {
  const lines = expected.split('\n').map((line) => {
    if (line === '…') return String.raw`[\s\S]*?`;
    return `${line.split('…').map(escaped).join('.*')}(?:\\n|$)`;
  });
  return new RegExp(`^${escaped(`$ ${command}`)}\\n${lines.join('')}\\s*$`);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

/** What git has of this tree, without anything installed or built. */
async function givenCopy(): Promise<string> {
  const folder = join(await givenFolder(), 'blogctl');
  const { stdout } = await execa('git', ['ls-files', '-z'], { cwd: root });
  for (const name of stdout.split('\0').filter((file) => file !== '')) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await cp(join(root, name), join(folder, name));
  }
  return folder;
}

/** Runs it as on a terminal: `script` gives it one, and what a screen would show is left. */
async function onTerminal(command: string, setting: Setting): Promise<string> {
  const words =
    process.platform === 'darwin'
      ? ['-q', '/dev/null', 'bash', '-c', command]
      : ['-qefc', command, '/dev/null'];
  const { all } = await execa('script', words, {
    ...setting,
    stdin: 'ignore',
    all: true,
    reject: false,
  });
  return stripVTControlCharacters(all).replaceAll('\r', '');
}

async function inBackground(command: string, { cwd, env }: Setting): Promise<string> {
  const options = { cwd, env: { ...process.env, ...env }, detached: true };
  const child = spawn('bash', ['-c', command], options);
  onTestFinished(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  });
  let shown = '';
  for await (const chunk of child.stderr) {
    shown += String(chunk);
    if (shown.includes('Try ')) break;
  }
  return shown;
}
