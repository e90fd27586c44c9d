import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { median } from '../figures.mjs';
import { rate } from './load.mjs';

const usualWindows = Number(process.env.ROUNDS ?? 41);

/** A row of figures of one start of the service; without a goal it only tells. */
export async function compareReading(origin, reading) {
  return rowOf(reading, await pairsOf(origin, reading));
}

/**
 * Rates of the service and of a raw server with the bytes of the same targets, in alternating windows.
 * Each request has a header of its own where the reading is `varied`.
 */
export async function pairsOf(origin, reading, windows = usualWindows) {
  const { nextPath, targets = [nextPath()], varied } = reading;
  const raw = await rawServer(origin, targets);
  await rate(origin, nextPath, varied);
  await rate(raw.url, nextPath, varied);
  const pairs = [];
  for (let at = 0; at < windows; at += 1) {
    const inOrder = at % 2 === 0 ? [origin, raw.url] : [raw.url, origin];
    const rates = [];
    for (const target of inOrder) rates.push(await rate(target, nextPath, varied));
    pairs.push(at % 2 === 0 ? rates : rates.toReversed());
  }
  raw.child.kill();
  return pairs;
}

/** Rates of a server while one request in twenty is a change, and without, in turn. */
export async function pairsWithWrites(origin, { nextPath, varied }, windows) {
  for (const writes of [0, 20]) await rate(origin, nextPath, varied, writes);
  const pairs = [];
  for (let at = 0; at < windows; at += 1) {
    const inOrder = at % 2 === 0 ? [20, 0] : [0, 20];
    const rates = [];
    for (const writes of inOrder) rates.push(await rate(origin, nextPath, varied, writes));
    pairs.push(at % 2 === 0 ? rates : rates.toReversed());
  }
  return pairs;
}

/** The same of the raw server. */
export async function rawPairsWithWrites(origin, reading, windows) {
  const raw = await rawServer(origin, reading.targets);
  const pairs = await pairsWithWrites(raw.url, reading, windows);
  raw.child.kill();
  return pairs;
}

/** The median of the ratios of each pair. */
export function rowOf({ name, goal }, pairs, peer = 'raw') {
  const ratio = median(pairs.map(([ours, theirs]) => ours / theirs));
  return {
    read: name,
    'service/s': Math.round(median(pairs.map(([ours]) => ours))),
    [`${peer}/s`]: Math.round(median(pairs.map(([, theirs]) => theirs))),
    ratio: ratio.toFixed(3),
    goal: goal === undefined ? '-' : `>= ${goal}`,
    verdict: goal === undefined ? '-' : ratio >= goal ? 'holds' : 'MISSED',
  };
}

async function rawServer(origin, targets) {
  const child = fork(join(import.meta.dirname, 'raw-server.mjs'));
  child.send([origin, ...targets]);
  const [url] = await once(child, 'message');
  return { child, url };
}
