import { enumerateCrashes } from './enumerate.ts';

/** node program.mjs [states] [seed]: judges crash states and says on stdout what it saw. */
const [states = '1000000', seed = '1'] = process.argv.slice(2);
const outcome = await enumerateCrashes({ states: Number(states), seed: Number(seed) });
process.stdout.write(`${JSON.stringify(outcome)}\n`);
process.exitCode = outcome.broken.length > 0 ? 1 : 0;
