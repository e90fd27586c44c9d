import type { TraceEntry } from '../../../../server/store/file-system/memory-file-system.ts';
import { seededRandom, type Random } from '../../../support/random.ts';
import { crashImages, type Image } from './crash-images.ts';
import { editedStart } from './edited-start.ts';
import { judge, type Verdict } from './judge.ts';
import type { Promises } from './model.ts';
import { tellStory, type Story } from './story.ts';

export type Outcome = {
  readonly states: number;
  /** States reached by a crash inside the recovery from another crash. */
  readonly nested: number;
  readonly mended: number;
  readonly broken: readonly string[];
};

export type Enumeration = {
  readonly seed: number;
  readonly states: number;
  /** Of the states that needed mending, so many have their recovery crash too. */
  readonly nestedShare?: number;
  readonly stopAfterBroken?: number;
};

const BLOCKS = [8, 16, 64, 512, 4096];
/** Many stories a little rather than one in full: each has its own order of things. */
const STATES_OF_A_STORY = 1200;
const STATES_OF_A_RECOVERY = 120;

type Tally = { states: number; nested: number; mended: number; readonly broken: string[] };

/** Tells stories and opens what crashes in them may leave, until so many states were judged. */
export async function enumerateCrashes(enumeration: Enumeration): Promise<Outcome> {
  const { states, nestedShare = 0.02, stopAfterBroken = 5 } = enumeration;
  const random = seededRandom(enumeration.seed);
  const tally: Tally = { states: 0, nested: 0, mended: 0, broken: [] };
  const done = () => tally.states >= states || tally.broken.length >= stopAfterBroken;
  for (let story = 0; !done(); story += 1) {
    const told = await tellStory(random, story % 3 === 2 ? await editedStart(random) : undefined);
    const enough = tally.states + STATES_OF_A_STORY;
    for (const crash of crashes(told, random)) {
      const verdict = await judge(crash.image, crash.promises);
      count(tally, verdict, `story ${story}, call ${crash.at}`);
      if (verdict.mended && random.next() < nestedShare) {
        await judgeRecovery({ base: crash.image, trace: verdict.trace }, crash.promises, {
          random,
          tally,
        });
      }
      if (done() || tally.states >= enough) break;
    }
  }
  return tally;
}

function count(tally: Tally, { broken, mended }: Verdict, where: string): void {
  tally.states += 1;
  if (mended) tally.mended += 1;
  if (broken !== undefined) tally.broken.push(`${where}: ${broken}`);
}

type Crash = { readonly image: Image; readonly promises: Promises; readonly at: number };

/** The moments of a story in any order, each with all it may leave. */
function* crashes({ base, disk: { trace }, promises }: Story, random: Random): Iterable<Crash> {
  for (const { at, promised } of shuffled(moments(trace, promises), random)) {
    const sampling = { random, block: random.oneOf(BLOCKS), samples: 12 };
    for (const image of crashImages(base, trace.slice(0, at), sampling)) {
      yield { image, promises: promised, at };
    }
  }
}

type Moment = { readonly at: number; readonly promised: Promises };

function moments(trace: readonly TraceEntry[], promises: readonly Promises[]): Moment[] {
  const found: Moment[] = [];
  let promised: Promises | undefined;
  for (let at = 0; at <= trace.length; at += 1) {
    const last = trace[at - 1];
    if (last?.kind === 'mark') promised = promises[last.number];
    // A mark changes what must hold and not what is on the disk: the next call is judged by it.
    if (promised === undefined || (last?.kind === 'mark' && trace[at]?.kind === 'mark')) continue;
    found.push({ at, promised });
  }
  return found;
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

type Told = { readonly base: Image; readonly trace: readonly TraceEntry[] };
type Judging = { readonly random: Random; readonly tally: Tally };

/** The recovery from a crash crashes itself, at any of its calls. */
async function judgeRecovery(
  told: Told,
  promises: Promises,
  { random, tally }: Judging,
): Promise<void> {
  const enough = tally.states + STATES_OF_A_RECOVERY;
  for (const at of shuffled([...told.trace.keys(), told.trace.length], random)) {
    const sampling = { random, block: random.oneOf(BLOCKS), samples: 2 };
    for (const image of crashImages(told.base, told.trace.slice(0, at), sampling)) {
      if (tally.states >= enough) return;
      count(tally, await judge(image, promises), `inside recovery, call ${at}`);
      tally.nested += 1;
    }
  }
}
