import { BlogctlError, type Hint } from '../errors.ts';

/** A filter that jq has taken. */
export type Filter = {
  /** What it makes of a JSON text. */
  readonly run: (json: string) => Promise<string>;
  /** Ends what runs it. */
  readonly close: () => Promise<unknown>;
};

/**
 * A filter of jq 1.8, which writes as `gh --jq` does: a result a line, strings bare, the rest as compact
 * JSON. It sees the environment. What jq refuses is `usage`, and it is refused here where it is no
 * filter at all; so is what is more than its 256 MB hold. `signal` ends a filter that never ends.
 */
export async function compileJq(
  filter: string,
  { env, signal }: { env: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
): Promise<Filter> {
  const whole = /\benv\b/i.test(filter) ? `${withEnvironment}${filter}` : filter;
  const flags = ['-c', '--argjson', 'environment', JSON.stringify(env)];
  const thread = await startThread(signal);
  const run = async (json: string) => {
    const { exitCode, stdout, stderr } = await thread.call([json, whole, flags]);
    if (exitCode === 0) return stdout.split('\n').map(bareLine).join('');
    const [said = ''] = stderr.replace(/^jq: error:? ?(\(at .*?\): )?/, '').split('\n');
    throw refused(`jq does not take "${filter}": ${said.replace(/:$/, '')}`);
  };
  try {
    // Without an input it is read, and nothing is run.
    await run('');
  } catch (error) {
    await thread.end();
    throw error;
  }
  return { run, close: thread.end };
}

/** In WebAssembly jq has an environment of its own; the prefix would shift the columns of errors. */
const withEnvironment = '$environment as $ENV | def env: $ENV; ';

/** No value is an empty line in jq's compact JSON, so an empty one is no result. */
function bareLine(line: string): string {
  if (line === '') return '';
  return `${line.startsWith('"') ? JSON.parse(line) : line}\n`;
}

type Answer = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

/** jq keeps a thread busy until it is done: on one of its own, Ctrl-C is heard. */
async function startThread(signal: AbortSignal) {
  signal.throwIfAborted();
  const { Worker } = await import('node:worker_threads');
  const { default: jq } = await import('../../node_modules/jq-wasm/dist/inline.cjs?raw');
  const worker = new Worker(`${jq};${answering}`, { eval: true, stderr: true });
  const call = (words: readonly unknown[]) =>
    new Promise<Answer>((resolve, reject) => {
      signal.throwIfAborted();
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      worker.once('message', resolve);
      // The one way this jq fails without an answer.
      worker.once('error', (cause) =>
        reject(refused('--jq needs more memory than there is.', cause)),
      );
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- it is no window
      worker.postMessage(words);
    });
  return { call, end: () => worker.terminate() };
}

const answering = `
const { parentPort } = require('node:worker_threads');
const loading = loadJq();
parentPort.on('message', async (words) => parentPort.postMessage((await loading).raw(...words)));
`;

function refused(message: string, cause?: unknown): BlogctlError {
  const hint: Hint = /: (?:syntax error|compile error|[\w/]+ is not defined)/.test(message)
    ? 'It is written as for jq, in quotes of the shell: .title of one article, .[].title of several.'
    : 'The filter is given what --jq . shows: one thing is an object, as .title takes it, and several are a list, as .[].title does.';
  return new BlogctlError('usage', message, {
    hint,
    cause,
  });
}
