import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));

/** The built `blogctl serve` on a store file, ready to answer, with its access log on. */
export async function serve(file, more = [], command = bin) {
  const words = [command, 'serve', '--store', file, '--port', '0', '--json', ...more];
  const child = spawn(process.execPath, words, {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', BLOGCTL_SERVE_TOKEN: 'bench' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [line] = await once(child.stdout, 'data');
  return { child, url: JSON.parse(line).url };
}
