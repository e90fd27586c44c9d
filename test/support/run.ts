import { main } from '../../src/main.ts';
import { givenHost, type HostOptions } from './host.ts';

export type Ended = { readonly status: number; readonly out: string; readonly err: string };

/** Runs one command line in this process, as the bin would. */
export async function run(line: readonly string[], options: HostOptions = {}): Promise<Ended> {
  const host = givenHost(line, options);
  const status = await main(host);
  return { status, out: host.out(), err: host.err() };
}
