import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';

const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));

export type Ended = {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
};

export type Setting = {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
};

/** A folder of the test's own, which is also home and configuration of every command run in it. */
export async function givenFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Starts the built command as a user would, away from the settings of whoever runs the test. */
export function startBlogctl(words: readonly string[], setting: Setting) {
  const home = join(setting.folder, 'home');
  const inherited = ['PATH', 'SystemRoot', 'TEMP', 'TMP', 'TMPDIR'];
  const kept = inherited.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return execa(process.execPath, [bin, ...words], {
    cwd: setting.folder,
    extendEnv: false,
    env: {
      ...Object.fromEntries(kept),
      HOME: home,
      USERPROFILE: home,
      APPDATA: join(home, 'AppData'),
      LOCALAPPDATA: join(home, 'LocalAppData'),
      ...setting.env,
    },
    ...(setting.input === undefined ? { stdin: 'ignore' } : { input: setting.input }),
    reject: false,
    stripFinalNewline: false,
    maxBuffer: 256 * 1024 * 1024,
  });
}

export async function blogctl(words: readonly string[], setting: Setting): Promise<Ended> {
  return endOf(startBlogctl(words, setting));
}

async function endOf(process: ReturnType<typeof startBlogctl>): Promise<Ended> {
  const { exitCode, signal, stdout, stderr } = await process;
  return { exitCode, signal, stdout, stderr };
}

export type Service = {
  readonly blogUrl: string;
  readonly token: string;
  readonly pid: number;
  /** Ends it with this signal and waits for its end. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<Ended>;
};

const tokenOfTests = 'bct_for_tests_only';

/** `blogctl serve` in a process of its own, ready to answer; ended after the test. */
export async function givenService(
  folder: string,
  words: readonly string[] = ['--store', 'blog.json', '--port', '0'],
): Promise<Service> {
  const env = { BLOGCTL_SERVE_TOKEN: tokenOfTests };
  const process = startBlogctl(['serve', '--json', '--quiet', ...words], { folder, env });
  const ready = JSON.parse(await firstLine(process));
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<Ended> => {
    process.kill(signal);
    return endOf(process);
  };
  onTestFinished(async () => {
    await end('SIGKILL');
  });
  return { blogUrl: ready.blogs[0].url, token: tokenOfTests, pid: ready.pid, end };
}

async function firstLine(process: ReturnType<typeof startBlogctl>): Promise<string> {
  const line = new Promise<string>((resolve) => {
    process.stdout.once('data', (chunk: Buffer) => {
      resolve(chunk.toString());
    });
  });
  const ended = endOf(process).then(({ stderr }) => {
    throw new Error(`The service ended before it was ready: ${stderr}`);
  });
  return Promise.race([line, ended]);
}
