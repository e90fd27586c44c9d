import { setImmediate } from 'node:timers/promises';

/**
 * Resolves when the requests that are made now have been written: undici writes them in the next turn
 * of the event loop. Whatever no request waits for has its place there, while answers are waited for.
 */
export async function behindRequests(): Promise<void> {
  await setImmediate();
  await setImmediate();
}
