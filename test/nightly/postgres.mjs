// The long tests of a database as a store: node test/nightly/postgres.mjs [kills] [failovers] [rounds]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { nightly, root, say } from './programs.mjs';

const [kills = '200', failovers = '50', rounds = '1000'] = process.argv.slice(2);
const env = {
  ...process.env,
  BLOGCTL_TEST_ALL: '1',
  BLOGCTL_PG_KILLS: kills,
  BLOGCTL_PG_CUTS: 'every',
  BLOGCTL_PG_FAILOVERS: failovers,
  BLOGCTL_PG_RACES: rounds,
  BLOGCTL_MODEL_RUNS: '300',
};

await nightly(async () => {
  const long = ['--testTimeout', '7200000', '--hookTimeout', '7200000'];
  const what = `${kills} kills, a cut at every byte, ${failovers} failovers, ${rounds} rounds of races`;
  await vitest(what, [
    'test/server/store/postgres',
    'test/server/store/conformance',
    'test/exactly-once/machines.test.ts',
    ...long,
  ]);
  await vitest('the contract behind haproxy', ['--project', 'slow contract by haproxy']);
});

async function vitest(what, words) {
  const child = spawn('npx', ['vitest', 'run', ...words], { cwd: root, env, stdio: 'inherit' });
  const [status] = await once(child, 'exit');
  say(status === 0, what);
}
