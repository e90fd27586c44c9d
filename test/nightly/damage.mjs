// Harms store files in every way a disk and a hand can, and judges what reading, checking, repairing
// and confirming make of them: node test/nightly/damage.mjs [how many] [seed]
import { bundled, judged, nightly, say } from './programs.mjs';

const [cases = '20000', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);

await nightly(async () => {
  const program = await bundled('damage', 'test/server/store/fuzz/fuzz-program.ts');
  const { broken, outcomes } = await judged(program, [cases, seed]);
  const what = Object.entries(outcomes ?? {}).map(([outcome, count]) => `${count} ${outcome}`);
  say(broken.length === 0, `${cases} harmed store files, seed ${seed}: ${what.join(', ')}`);
  for (const one of broken) process.stdout.write(`  ${one}\n`);
});
