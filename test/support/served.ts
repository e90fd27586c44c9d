import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { listen } from '../../server/http/node-adapter.ts';
import type { Bounds } from '../../server/http/node-adapter.ts';
import { givenService } from './service.ts';
import type { TestService } from './service.ts';

export type ServedService = TestService & {
  readonly port: number;
  readonly url: string;
  /** Resolves when the server has no connection left. */
  readonly allClosed: () => Promise<void>;
};

/** A service on a free port of this machine, stopped after the test. */
export async function givenServed(bounds: Partial<Bounds> = {}): Promise<ServedService> {
  const service = await givenService();
  const listening = await listen(service.app, { host: '127.0.0.1', port: 0, bounds });
  onTestFinished(() => listening.stop(0));
  const { port } = listening;
  const allClosed = () => listening.stop(60_000);
  return { ...service, port, url: `http://127.0.0.1:${port}`, allClosed };
}

/** Sends bytes as they are and answers with all that comes back until the connection ends. */
export function exchangeBytes(
  port: number,
  ...parts: readonly (string | Buffer)[]
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const chunks: Buffer[] = [];
    for (const part of parts) socket.write(part);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()));
    socket.on('error', reject);
  });
}
