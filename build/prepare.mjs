// Builds dist/ where npm prepares a checkout. For a git address that is installed with --global it
// prepares one without what the build needs, and goes on writing there: then it is built elsewhere.
import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

if (existsSync('node_modules/rolldown')) await import('./bundle.mjs');
else await buildElsewhere();
if (process.env.npm_config_global === 'true') await unlinkFromGlobal();

async function buildElsewhere() {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-build-'));
  try {
    const files = ['package.json', 'package-lock.json', 'tsconfig.json'];
    for (const entry of ['bin', 'build', 'server', 'src', ...files])
      await cp(entry, join(folder, entry), { recursive: true });
    const env = { ...process.env, npm_config_global: 'false' };
    const run = (line) => execSync(line, { cwd: folder, env, stdio: 'inherit' });
    run('npm ci --ignore-scripts --no-audit --no-fund');
    run('node build/bundle.mjs');
    await cp(join(folder, 'dist'), 'dist', { recursive: true });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * That inner npm has also put a link to this checkout in the place where the outer one is about to
 * unpack the package (npm/cli#6984); the checkout is removed when it has.
 */
async function unlinkFromGlobal() {
  const root = execSync('npm root --global', { encoding: 'utf8' }).trim();
  const link = join(root, 'blogctl');
  const target = await readlink(link).catch(() => undefined);
  if (target === undefined || resolve(root, target) !== process.cwd()) return;
  await rm(link);
  await mkdir(link);
}
