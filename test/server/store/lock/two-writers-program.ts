import { seededRandom } from '../../../support/random.ts';
import { roads } from './roads.ts';
import { judgeRoad } from './two-writers.ts';

/** node program.mjs <writer.mjs> [trials] [seed] [road]: a line for each road; 1 where one is not safe. */
const [writer = '', trials = '200', seed = '1', only = ''] = process.argv.slice(2);
for (const road of roads) {
  if (!road.name.includes(only)) continue;
  if (road.isPossible?.() === false) {
    process.stdout.write(`skipped ${road.name}: this machine does not let us\n`);
    continue;
  }
  const random = seededRandom(Number(seed));
  const judged = await judgeRoad(road, writer, { trials: Number(trials), random });
  const { acknowledged, lost, told, refusals, untrue } = judged;
  const isSafe = lost.length === 0 && untrue.length === 0;
  process.stdout.write(
    `${isSafe ? 'ok    ' : 'FAILED'} ${road.name}: ${trials} trials, ${acknowledged} writes acknowledged, ${lost.length} lost${told > 0 ? `, ${told} told as lost` : ''}, ${refusals} refused, ${untrue.length} of them in untrue words\n`,
  );
  for (const what of [...lost, ...new Set(untrue)].slice(0, 10))
    process.stdout.write(`  ${what}\n`);
  if (!isSafe) process.exitCode = 1;
}
