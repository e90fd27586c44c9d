import type { TraceEntry } from '../../../../server/store/json-file/memory-file-system.ts';
import { seededRandom, type Random } from '../support/random.ts';
import { crashImages, type Image } from './crash-images.ts';
import { editedStart } from './edited-start.ts';
import { judge } from './judge.ts';
import type { Promises } from './model.ts';
import { PATH, tellStory, type Story } from './story.ts';

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

/** Tells stories and opens what every crash in them may leave, until so many states were judged. */
export async function enumerateCrashes(enumeration: Enumeration): Promise<Outcome> {
  const { states, nestedShare = 0.02, stopAfterBroken = 5 } = enumeration;
  const random = seededRandom(enumeration.seed);
  const tally = { states: 0, nested: 0, mended: 0, broken: new Array<string>() };
  const done = () => tally.states >= states || tally.broken.length >= stopAfterBroken;
  for (let story = 0; !done(); story += 1) {
    const start = story % 3 === 2 ? await editedStart(random) : undefined;
    const told = await tellStory(random, start);
    for (const crash of crashes(told, random)) {
      const verdict = await judge(crash.image, crash.promises);
      tally.states += 1;
      if (verdict.mended) tally.mended += 1;
      if (verdict.broken !== undefined)
        tally.broken.push(`story ${story}, call ${crash.at}: ${verdict.broken}`);
      if (verdict.mended && random.next() < nestedShare) {
        await judgeNested({ base: crash.image, trace: verdict.disk.trace }, crash.promises, {
          random,
          tally,
        });
      }
      if (done()) break;
    }
  }
  return tally;
}

type Crash = { readonly image: Image; readonly promises: Promises; readonly at: number };

function* crashes({ base, disk: { trace }, promises }: Story, random: Random): Iterable<Crash> {
  let promised: Promises | undefined;
  for (let at = 0; at <= trace.length; at += 1) {
    const last = trace[at - 1];
    if (last?.kind === 'mark') promised = promises[last.number];
    // A mark changes what must hold and not what is on the disk: the next call is judged by it.
    if (promised === undefined || (last?.kind === 'mark' && trace[at]?.kind === 'mark')) continue;
    const sampling = { random, block: random.oneOf(BLOCKS), samples: 12 };
    for (const image of crashImages(base, trace.slice(0, at), sampling)) {
      yield { image, promises: promised, at };
    }
  }
}

type Told = { readonly base: Image; readonly trace: readonly TraceEntry[] };
type Nested = {
  readonly random: Random;
  readonly tally: { states: number; nested: number; broken: string[] };
};

async function judgeNested(
  told: Told,
  promises: Promises,
  { random, tally }: Nested,
): Promise<void> {
  for (let at = 0; at <= told.trace.length; at += 1) {
    const sampling = { random, block: random.oneOf(BLOCKS), samples: 2 };
    for (const image of crashImages(told.base, told.trace.slice(0, at), sampling)) {
      if (!image.has(PATH)) tally.broken.push(`nested, call ${at}: the file is gone`);
      const { broken } = await judge(image, promises);
      tally.states += 1;
      tally.nested += 1;
      if (broken !== undefined) tally.broken.push(`nested, call ${at}: ${broken}`);
    }
  }
}
