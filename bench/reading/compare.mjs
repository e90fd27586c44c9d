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
 * Rates of the service and of a raw server with the bytes of the first path, in alternating
 * windows.
 */
export async function pairsOf(origin, { nextPath }, windows = usualWindows) {
  const raw = await rawServer(`${origin}${nextPath()}`);
  await rate(origin, nextPath);
  await rate(raw.url, nextPath);
  const pairs = [];
  for (let at = 0; at < windows; at += 1) {
    const inOrder = at % 2 === 0 ? [origin, raw.url] : [raw.url, origin];
    const rates = [];
    for (const target of inOrder) rates.push(await rate(target, nextPath));
    pairs.push(at % 2 === 0 ? rates : rates.toReversed());
  }
  raw.child.kill();
  return pairs;
}

/** The median of the ratios of each pair. */
export function rowOf({ name, goal }, pairs) {
  const ratio = median(pairs.map(([ours, theirs]) => ours / theirs));
  return {
    read: name,
    'service/s': Math.round(median(pairs.map(([ours]) => ours))),
    'raw/s': Math.round(median(pairs.map(([, theirs]) => theirs))),
    ratio: ratio.toFixed(3),
    goal: goal === undefined ? '-' : `>= ${goal}`,
    verdict: goal === undefined ? '-' : ratio >= goal ? 'holds' : 'MISSED',
  };
}

async function rawServer(url) {
  const ready = await fetch(url, { headers: { accept: 'application/hal+json' } });
  const headers = Object.fromEntries(ready.headers);
  for (const added of ['date', 'connection', 'keep-alive', 'x-request-id']) delete headers[added];
  const answer = JSON.stringify({ headers, body: await ready.text() });
  const child = fork(join(import.meta.dirname, 'raw-server.mjs'), [answer]);
  const [origin] = await once(child, 'message');
  return { child, url: origin };
}
