// The long proof that a sync loses nothing: random histories of a folder and its blog, kills, and the undo
// of an import of thousands that is killed.
import { spawnSync } from 'node:child_process';

const env = {
  BLOGCTL_SYNC_HISTORIES: '10000',
  BLOGCTL_SYNC_KILLS: '200',
  BLOGCTL_UNDO_RECORDS: '3000',
  BLOGCTL_UNDO_KILLS: '20',
  ...process.env,
};
const { status } = spawnSync(
  'npx',
  [
    'vitest',
    'run',
    'test/src/syncing',
    'test/acceptance/sync-kills.test.ts',
    'test/acceptance/undo-kills.test.ts',
  ],
  {
    env,
    stdio: 'inherit',
  },
);
const pairs = spawnSync(process.execPath, ['test/nightly/sync-pairs.mjs'], { stdio: 'inherit' });
process.exitCode = status || pairs.status || 0;
if (status === null || pairs.status === null) process.exitCode = 1;
