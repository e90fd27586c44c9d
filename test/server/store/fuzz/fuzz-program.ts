import { fuzz } from './fuzz.ts';

/** node program.mjs [cases] [seed]: harms store files and says on stdout what became of them. */
const [cases = '20000', seed = '1'] = process.argv.slice(2);
const outcome = await fuzz({ cases: Number(cases), seed: Number(seed) });
process.stdout.write(`${JSON.stringify(outcome)}\n`);
process.exitCode = outcome.broken.length > 0 ? 1 : 0;
