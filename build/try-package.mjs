// Tries the packed package as its users install it: node build/try-package.mjs blogctl-….tgz
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const archive = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'blogctl-try-'));
const shell = process.platform === 'win32';
const env = { ...process.env, HOME: folder, npm_config_cache: join(folder, 'cache'), CI: '' };
const options = { cwd: folder, env, encoding: 'utf8', shell };

try {
  const npm = (...words) => execFileSync('npm', words, options);
  npm('install', '--global', '--prefix', join(folder, 'global'), archive);
  npm('init', '--yes');
  npm('install', archive);
  const installed = join(folder, 'node_modules', 'blogctl');
  const bin = join(installed, 'bin', 'blogctl.cjs');
  const run = (...words) =>
    execFileSync(process.execPath, [bin, ...words], { ...options, shell: false });
  const everywhere = join(folder, 'global', shell ? 'blogctl.cmd' : join('bin', 'blogctl'));
  expect('the global command', execFileSync(everywhere, ['--version'], options), run('--version'));
  expect('npx', execFileSync('npx', ['blogctl', '--version'], options), run('--version'));

  const posts = join(installed, 'examples', 'posts');
  const summary = JSON.parse(
    run('articles', 'import', posts, '--blog', 'file:blog.json', '--json'),
  );
  expect('an import', summary.created, 12);
  const again = JSON.parse(run('articles', 'import', posts, '--blog', 'file:blog.json', '--json'));
  expect('the same import', again.replayed, 12);
  expect('the manual', readdirSync(join(installed, 'man')).length > 5, true);

  const words = [bin, 'serve', 'blog.json', '--port', '0', '--json', '--quiet'];
  const served = spawn(process.execPath, words, { cwd: folder, env });
  const [ready] = await once(served.stdout, 'data');
  const { blogs } = JSON.parse(ready);
  expect('the service', (await (await fetch(`${blogs[0].url}/articles`)).json()).totalArticles, 12);
  served.kill();
  await once(served, 'exit');
  const program = "require('blogctl/testing').startBlog().then((blog) => blog.stop())";
  execFileSync(process.execPath, ['-e', program], { ...options, shell: false });
  process.stdout.write(`${process.version} on ${process.platform}: ready to be published\n`);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

function expect(what, found, wanted) {
  if (found !== wanted) throw new Error(`${what}: ${found} in place of ${wanted}`);
}
