import type { CheckRun, World } from '../../src/checking/run-checks.ts';
import { runChecks } from '../../src/checking/run-checks.ts';
import type { Transport } from '../../src/http/transport.ts';
import type { Service } from '../../server/app.ts';
import { api, givenService, type TestService } from './service.ts';

export const checkedBlog = `http://localhost:4000${api}/blogs/1`;

/** The real service over a store in memory, as a transport; no socket between them. */
export async function givenTransport(change?: (service: Service) => Partial<Service>) {
  return transportOf(await givenService(change));
}

const clocks = new Set<TestService['clock']>();

/** Nobody waits: what the clocks of the services show goes on instead. */
export async function skipTime(ms: number): Promise<void> {
  for (const clock of clocks) clock.now += ms;
}

export function transportOf({ send, clock }: Pick<TestService, 'send' | 'clock'>): Transport {
  clocks.add(clock);
  return async ({ method, url, headers, body }) => {
    const { pathname, search } = new URL(url);
    const answer = await send(method, pathname + search, { headers, body, token: null });
    const own = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]);
    const { status, text } = answer;
    const isBare = method === 'HEAD';
    return { status, headers: Object.fromEntries(own), body: Buffer.from(isBare ? '' : text) };
  };
}

/** All checks, with everything allowed, unless the world says otherwise. */
export function checkAll(world: Partial<World> & Pick<World, 'anonymous'>): Promise<CheckRun> {
  return runChecks({
    blogUrl: checkedBlog,
    token: 'all',
    name: 'test',
    maxWaitMs: 5 * 60_000,
    retries: 3,
    signal: new AbortController().signal,
    sleep: skipTime,
    ...world,
  });
}

/** How many articles a service has. */
export async function articlesIn(transport: Transport): Promise<number> {
  const url = `${checkedBlog}/articles?pageSize=1`;
  const { body } = await transport({ method: 'GET', url, headers: {} });
  return JSON.parse(Buffer.from(body).toString()).totalArticles;
}

/** Numbers of the sentences that are broken. */
export function brokenIn({ results }: CheckRun): readonly string[] {
  return results.filter(({ outcome }) => outcome === 'broken').map(({ check }) => check.number);
}

export function outcomeOf({ results }: CheckRun, number: string) {
  return results.find(({ check }) => check.number === number);
}
