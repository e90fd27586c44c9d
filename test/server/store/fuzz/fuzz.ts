import { parseLock } from '../../../../server/store/json-file/lock-text.ts';
import { seededRandom, type Random } from '../../../support/random.ts';
import { givenStart, LOCK, PATH, type Start } from './acknowledged.ts';
import { harmed, harmedLock, type Harmed } from './harm.ts';
import { judgeHeld } from './held.ts';
import { judgeHarmed, type Verdict } from './oracle.ts';

export type Fuzzing = { readonly cases: number; readonly seed: number };
export type Outcome = {
  readonly cases: number;
  /** How often each thing came to pass. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** What went wrong, each with the seed that shows it again. */
  readonly broken: readonly string[];
};

const CASES_OF_A_START = 20;
const HELD_SHARE = 0.1;
const MOST_BROKEN = 20;

/** Harms store files and judges what becomes of them; the same for the same seed. */
export async function fuzz({ cases, seed }: Fuzzing): Promise<Outcome> {
  const outcomes: Record<string, number> = {};
  const broken: string[] = [];
  let start = await givenStart(seededRandom(seed));
  for (let one = 0; one < cases && broken.length < MOST_BROKEN; one += 1) {
    const startSeed = seed + one - (one % CASES_OF_A_START);
    if (one % CASES_OF_A_START === 0) start = await givenStart(seededRandom(startSeed));
    const { outcome, found } = await judged(start, seededRandom(seed * 1_000_003 + one));
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    broken.push(...found.map((what) => `seed ${seed}, case ${one}: ${what}`));
  }
  return { cases, outcomes, broken };
}

async function judged(start: Start, random: Random): Promise<{ outcome: string; found: string[] }> {
  const harm = harmed(start.files.get(PATH) ?? Buffer.alloc(0), random);
  const where = `${start.how}, ${harm.how}`;
  try {
    const { outcome, broken } = await judgedOne(start, harm, random);
    return { outcome, found: broken.map((what) => `${where}: ${what}`) };
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { outcome: 'crash', found: [`${where}: crash: ${what}`] };
  }
}

async function judgedOne(start: Start, { bytes, count }: Harmed, random: Random): Promise<Verdict> {
  if (random.next() < HELD_SHARE) return judgeHeld(start, bytes, random);
  const lock = start.files.get(LOCK);
  const left = lock === undefined ? undefined : harmedLock(lock, random);
  const files = new Map([[PATH, bytes]]);
  if (left !== undefined) files.set(LOCK, left);
  const isEvidence = parseLock(left?.toString() ?? '')?.bytesAtOpen !== undefined;
  return judgeHarmed(start, files, { harms: count, isEvidence });
}
