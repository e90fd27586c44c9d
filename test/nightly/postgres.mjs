// The long tests of a database as a store: node test/nightly/postgres.mjs [kills] [cuts] [failovers]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { nightly, root, say } from './programs.mjs';

const [kills = '200', cuts = '500', failovers = '50'] = process.argv.slice(2);
const env = {
  ...process.env,
  BLOGCTL_TEST_ALL: '1',
  BLOGCTL_PG_KILLS: kills,
  BLOGCTL_PG_CUTS: cuts,
  BLOGCTL_PG_FAILOVERS: failovers,
  BLOGCTL_PG_RACES: '1000',
  BLOGCTL_MODEL_RUNS: '300',
};

await nightly(async () => {
  const long = ['--testTimeout', '7200000'];
  await vitest(`${kills} kills, ${cuts} rounds of cuts, ${failovers} failovers`, [
    'test/server/store/postgres',
    'test/server/store/conformance',
    'test/exactly-once/machines.test.ts',
    ...long,
  ]);
  await vitest('the contract behind haproxy', ['--project', 'contract by haproxy']);
});

async function vitest(what, words) {
  const child = spawn('npx', ['vitest', 'run', ...words], { cwd: root, env, stdio: 'inherit' });
  const [status] = await once(child, 'exit');
  say(status === 0, what);
}
