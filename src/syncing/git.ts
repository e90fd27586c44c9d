import { spawn } from 'node:child_process';

/** Why git could not tell, as the end of a sentence. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
}

export type GitOptions = {
  readonly folder: string;
  /** Ends what takes longer. */
  readonly signal: AbortSignal;
  readonly input?: string;
};

/**
 * What a git command prints, chunk by chunk. It reads only: no lock is taken, no program that a
 * repository names is run, nothing is fetched, and variables of a hook that we may run in do not
 * lead to another repository.
 */
export async function* git(
  words: readonly string[],
  { folder, signal, input }: GitOptions,
): AsyncGenerator<Buffer, void, void> {
  const settings = ['core.fsmonitor=false', 'log.follow=false', 'log.showSignature=false'];
  const child = spawn(
    'git',
    ['-C', folder, '--no-pager', ...settings.flatMap((each) => ['-c', each]), ...words],
    { env: environment(), stdio: ['pipe', 'pipe', 'pipe'], signal },
  );
  let said = '';
  child.stderr.on('data', (text: Buffer) => void (said += text.toString('utf8')));
  // What git does not read any more is not missed: its exit status tells.
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  ended.catch(() => {});
  try {
    for await (const chunk of child.stdout) yield chunk;
    const status = await ended;
    if (status !== 0) throw new GitFailed(firstLine(said) || `git ended with ${status}`);
  } catch (error) {
    throw asFailure(error, signal);
  } finally {
    child.kill();
  }
}

export async function gitText(words: readonly string[], options: GitOptions): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of git(words, options)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function asFailure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isMissing ? new GitFailed('git is not installed') : error;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.replace(/^(?:fatal|error): /, '') ?? '';
}

function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  return {
    ...Object.fromEntries(kept),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    LC_ALL: 'C',
  };
}
