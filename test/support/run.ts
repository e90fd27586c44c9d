import { onTestFinished, vi } from 'vitest';
import { main } from '../../src/main.ts';
import { givenHost, type HostOptions } from './host.ts';

export type Ended = { readonly status: number; readonly out: string; readonly err: string };

/** Runs one command line in this process, as the bin would. */
export async function run(line: readonly string[], options: HostOptions = {}): Promise<Ended> {
  const host = givenHost(line, options);
  const status = await main(host);
  return { status, out: host.out(), err: host.err() };
}

/** For the rest of a test each look at the clock is an hour later: who does not answer is asked once. */
export function givenNoPatience(): void {
  let hours = 0;
  const start = performance.now();
  const clock = vi
    .spyOn(performance, 'now')
    .mockImplementation(() => start + 3_600_000 * (hours += 1));
  onTestFinished(() => clock.mockRestore());
}
