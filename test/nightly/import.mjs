// The long proof that an import is exactly once: kills of the command and of the server, answers
// that are lost, a service away for a minute, and one that stays away.
import { spawnSync } from 'node:child_process';

const env = {
  BLOGCTL_KILLS: '200',
  BLOGCTL_SERVER_KILLS: '100',
  BLOGCTL_HISTORIES: '5000',
  BLOGCTL_AWAY_SECONDS: '60',
  BLOGCTL_GONE_WAIT: '',
  ...process.env,
};
const { status } = spawnSync('npx', ['vitest', 'run', 'test/exactly-once'], {
  env,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
