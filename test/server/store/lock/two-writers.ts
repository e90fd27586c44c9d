import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from '../../../support/random.ts';
import { titlesIn, type Road } from './roads.ts';
import type { Order, Outcome } from './writer.ts';

export type Judgement = {
  readonly trials: number;
  readonly acknowledged: number;
  /** Writes that were acknowledged and are not in the file. */
  readonly lost: readonly string[];
  /** Such writes whose writer was told, by a road on which nothing could prevent it. */
  readonly told: number;
  readonly refusals: number;
  /** What somebody was told that is not true of this road. */
  readonly untrue: readonly string[];
};

type Writer = {
  readonly pid: number;
  order(order: Order): Promise<Outcome>;
  end(): void;
};

const WRITES = 4;
const WITHIN_MS = 20;

/** Lets two processes write one store so many times, the second one coming by that road. */
export async function judgeRoad(
  road: Road,
  program: string,
  { trials, random }: { readonly trials: number; readonly random: Random },
): Promise<Judgement> {
  const inNetwork = road.isolated === true ? ['unshare', '--net'] : [];
  const first = startWriter([process.execPath, program]);
  const second = startWriter([...inNetwork, process.execPath, program]);
  const sum = {
    trials,
    acknowledged: 0,
    lost: [] as string[],
    told: 0,
    refusals: 0,
    untrue: [] as string[],
  };
  for (let trial = 0; trial < trials; trial += 1) {
    const seen = await tryOnce(road, { first, second, random });
    sum.acknowledged += seen.acknowledged;
    sum.refusals += seen.refusals;
    sum.lost.push(...seen.lost);
    sum.told += seen.told;
    sum.untrue.push(...seen.untrue);
  }
  first.end();
  second.end();
  return sum;
}

type Pair = { readonly first: Writer; readonly second: Writer; readonly random: Random };

async function tryOnce(road: Road, { first, second, random }: Pair): Promise<Judgement> {
  const folder = mkdtempSync(join(tmpdir(), 'blogctl-road-'));
  const path = join(folder, 'blog.json');
  const squatter = await startSquatter(road, folder);
  await first.order({ do: 'create', path });
  const given = road.before?.(folder);
  const opened = await (given === undefined ? first.order({ do: 'open', path }) : undefined);
  const [mine, theirs] = await Promise.all([
    visit(first, { path, random, isOpen: opened !== undefined }),
    pause(random.below(WITHIN_MS)).then(() => {
      const other = given ?? road.meanwhile?.(folder) ?? path;
      return visit(second, { path: other, random, isOpen: false });
    }),
  ]);
  const ends = await Promise.all([first.order({ do: 'close' }), second.order({ do: 'close' })]);
  squatter?.kill();
  const gone = [mine, theirs].map((one) => lostOf(one));
  const isTold = (at: number) => road.isBlind === true && ends[at]?.loss !== undefined;
  const lost = gone
    .flatMap((titles, at) => (isTold(at) ? [] : titles))
    .map((title) => `${road.name}: ${title}`);
  const told = gone.flat().length - lost.length;
  const untrue = [
    ...untrueOf(mine, road.words({ folder, pid: second.pid })),
    ...untrueOf(theirs, road.words({ folder, pid: first.pid })),
    ...missed(road, mine, theirs),
  ];
  road.after?.(folder);
  rmSync(folder, { recursive: true });
  const acknowledged = mine.acknowledged.length + theirs.acknowledged.length;
  const refusals = mine.refused.length + theirs.refused.length;
  return { trials: 1, acknowledged, lost, told, refusals, untrue };
}

type Visit = {
  readonly path: string;
  readonly acknowledged: readonly string[];
  readonly refused: readonly string[];
};

let written = 0;

async function visit(
  writer: Writer,
  {
    path,
    random,
    isOpen,
  }: { readonly path: string; readonly random: Random; readonly isOpen: boolean },
): Promise<Visit> {
  const acknowledged: string[] = [];
  const refused: string[] = [];
  const opening = isOpen ? {} : await writer.order({ do: 'open', path });
  if (opening.refused !== undefined) return { path, acknowledged, refused: [opening.refused] };
  const writes = Array.from({ length: WRITES }, async () => {
    await pause(random.below(WITHIN_MS));
    written += 1;
    const title = `Number ${written}`;
    const outcome = await writer.order({ do: 'write', title });
    if (outcome.refused === undefined) acknowledged.push(title);
    else refused.push(outcome.refused);
  });
  await Promise.all(writes);
  return { path, acknowledged, refused };
}

function lostOf({ path, acknowledged }: Visit): readonly string[] {
  if (acknowledged.length === 0) return [];
  const there = titlesIn(path);
  return acknowledged.filter((title) => !there.has(title));
}

function untrueOf({ refused }: Visit, words: readonly (string | RegExp)[]): readonly string[] {
  const isOne = (message: string) =>
    words.some((one) => (typeof one === 'string' ? one === message : one.test(message)));
  return refused.filter((message) => !isOne(message));
}

/** Somebody must have been refused, or both had the store. */
function missed(road: Road, mine: Visit, theirs: Visit): readonly string[] {
  const both = mine.refused.length === 0 && theirs.refused.length === 0;
  return both && road.mayBothWrite !== true ? [`${road.name}: nobody was refused`] : [];
}

function startWriter([command = '', ...words]: readonly string[]): Writer {
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, (outcome: Outcome) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { number, ...outcome } = JSON.parse(line);
    waiting.get(number)?.(outcome);
    waiting.delete(number);
  });
  let count = 0;
  return {
    pid: child.pid ?? 0,
    order: (order) =>
      new Promise((resolve) => {
        count += 1;
        waiting.set(count, resolve);
        child.stdin.write(`${JSON.stringify({ ...order, number: count })}\n`);
      }),
    end: () => void child.kill(),
  };
}

/** In a folder that everybody may write into, as `/tmp` is. */
async function startSquatter(road: Road, folder: string): Promise<ChildProcess | undefined> {
  if (road.squatter === undefined) return undefined;
  chmodSync(folder, 0o1777);
  const nobody = { uid: 65_534, gid: 65_534, cwd: '/' };
  const child = spawn(process.execPath, ['-e', road.squatter, folder], {
    ...nobody,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}
