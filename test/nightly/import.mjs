// The long proof that an import is exactly once: kills of the command and of the server.
import { spawnSync } from 'node:child_process';

const env = { BLOGCTL_KILLS: '200', BLOGCTL_SERVER_KILLS: '100', ...process.env };
const { status } = spawnSync('npx', ['vitest', 'run', 'test/exactly-once'], {
  env,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
