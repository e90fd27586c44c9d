import { BlogctlError } from '../errors.ts';

/**
 * What jq 1.8 makes of a JSON text, as `gh --jq` writes it: a result a line, strings bare, the rest
 * as compact JSON. The filter sees the environment. What jq refuses, and what is more than its 256 MB
 * hold, is `usage`; `signal` ends a filter that never ends.
 */
export async function filterWithJq(
  json: string,
  filter: string,
  { env, signal }: { env: Readonly<Record<string, string | undefined>>; signal: AbortSignal },
): Promise<string> {
  const whole = /\benv\b/i.test(filter) ? `${withEnvironment}${filter}` : filter;
  const flags = ['-c', '--argjson', 'environment', JSON.stringify(env)];
  const { exitCode, stdout, stderr } = await runAside([json, whole, flags], signal);
  if (exitCode === 0) return stdout.split('\n').map(bareLine).join('');
  const [said = ''] = stderr.replace(/^jq: error:? ?(\(at .*?\): )?/, '').split('\n');
  throw refused(`jq does not take "${filter}": ${said.replace(/:$/, '')}`);
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
async function runAside(call: readonly unknown[], signal: AbortSignal): Promise<Answer> {
  signal.throwIfAborted();
  const { Worker } = await import('node:worker_threads');
  const { default: jq } = await import('../../node_modules/jq-wasm/dist/inline.cjs?raw');
  const worker = new Worker(`${jq};${answer}`, { eval: true, workerData: call, stderr: true });
  try {
    return await new Promise<Answer>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      worker.once('message', resolve);
      // The one way this jq fails without an answer.
      worker.once('error', (cause) =>
        reject(refused('--jq needs more memory than there is.', cause)),
      );
    });
  } finally {
    await worker.terminate();
  }
}

const answer = `
const { parentPort, workerData } = require('node:worker_threads');
loadJq().then((jq) => parentPort.postMessage(jq.raw(...workerData)));
`;

function refused(message: string, cause?: unknown): BlogctlError {
  return new BlogctlError('usage', message, {
    hint: 'Try the filter in jq itself, on the output of --json or, line by line, of --format ndjson.',
    cause,
  });
}
