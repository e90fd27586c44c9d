import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { readInTurns } from '../../../server/http/incoming-body.ts';
import { LeanRequest } from '../../../server/http/node-request.ts';
import type { Bounds } from '../../../server/http/node-adapter.ts';
import { articles } from '../../support/service.ts';
import { exchangeBytes, givenServed } from '../../support/served.ts';

const head = `POST ${articles} HTTP/1.1\r\nHost: localhost\r\nX-Access-Token: all\r\nContent-Type: application/json\r\n`;
const open = '{"title":"T","content":"';
const bodyOf = (bytes: number) => `${open}${'x'.repeat(bytes)}"}`;
const whole = (bytes: number) => {
  const body = bodyOf(bytes);
  return `${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};
/** All but the last byte of a body. */
const unfinished = (bytes: number) =>
  whole(bytes).slice(0, -1).replace('Connection: close\r\n', '');
const MB = 1024 * 1024;
const narrow = { unfinished: { bytes: 4 * MB, bytesOfAddress: 3 * MB, stillMs: 0 } };

const senders: Socket[] = [];
afterEach(() => {
  for (const sender of senders.splice(0)) sender.destroy();
});

/** Connections that begin to send and do not end; answers what each of them heard so far. */
function begin(port: number, count: number, bytes: string): () => readonly string[] {
  const heard = Array.from({ length: count }, () => '');
  for (let at = 0; at < count; at += 1) {
    const sender = connect({ port, host: '127.0.0.1' });
    sender.on('error', () => sender.destroy());
    sender.on('data', (chunk) => (heard[at] += String(chunk)));
    sender.write(bytes);
    senders.push(sender);
  }
  return () => heard;
}

async function given(bounds: Partial<Bounds> = narrow) {
  return givenServed(bounds);
}

describe('those who begin bodies and do not end them', () => {
  it('hold no memory beyond their share, are told so, and others are served', async () => {
    const { port } = await given();
    const rest = process.memoryUsage().arrayBuffers;
    const heard = begin(port, 60, unfinished(200_000));
    await vi.waitFor(() => {
      const refused = heard().filter((answer) => answer !== '');
      expect(refused.length).toBeGreaterThanOrEqual(60 - 15);
      for (const answer of refused) {
        expect(answer).toMatch(
          /^HTTP\/1\.1 503 [^]*Retry-After: 1\r\n[^]*has not moved for longest/,
        );
      }
    }, 10_000);
    expect(process.memoryUsage().arrayBuffers - rest).toBeLessThan(30 * MB);
    expect(await exchangeBytes(port, whole(200_000))).toMatch(/^HTTP\/1\.1 201 /);
  });

  it('make room for one that comes when there are as many connections as there may be', async () => {
    const { port } = await given({ ...narrow, maxConnections: 20 });
    begin(port, 20, `${head}Content-Length: 100\r\n\r\n`);
    for (let turns = 0; turns < 100; turns += 1) await turn();
    await vi.waitFor(async () => {
      expect(await exchangeBytes(port, whole(10)).catch(String)).toMatch(/^HTTP\/1\.1 201 /);
    }, 10_000);
  });
});

describe('a body of very many chunks', () => {
  const crumbs = '1\r\nx\r\n'.repeat(200_000);

  it('is read on when its turn has come, and no further', async () => {
    const gates: (() => void)[] = [];
    let pieces = 0;
    const server = createServer({ IncomingMessage: LeanRequest }, (incoming: LeanRequest) => {
      readInTurns(incoming, () => new Promise((gate) => gates.push(gate)));
      incoming.on('data', () => (pieces += 1)).on('error', () => {});
    }).listen(0);
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    begin(port, 1, `${head}Transfer-Encoding: chunked\r\n\r\n${crumbs}`);
    for (const seen of [1, 2, 3]) {
      await vi.waitFor(() => expect(gates).toHaveLength(seen), 10_000);
      for (let turns = 0; turns < 50; turns += 1) await turn();
      // Node reads 64 KB at a time.
      expect(pieces).toBeLessThan((seen * 65_536) / 6);
      expect(gates).toHaveLength(seen);
      gates.at(-1)?.();
    }
    server.closeAllConnections();
    server.close();
  });

  it('that nobody wants is read to its end, and what follows is answered', async () => {
    const { port } = await givenServed();
    const sent = `${head}Transfer-Encoding: chunked\r\n\r\n${crumbs}0\r\n\r\n`;
    const heard = begin(
      port,
      1,
      `${sent.replace('all', 'none')}GET ${articles} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    );
    await vi.waitFor(
      () => expect(heard()[0]).toMatch(/^HTTP\/1\.1 401 [^]*HTTP\/1\.1 200 /),
      20_000,
    );
  });
});

describe('a body', () => {
  it('that goes on is kept, while those that stand still make room for it', async () => {
    const { port } = await given();
    const heard = begin(
      port,
      1,
      `${head}Connection: close\r\nContent-Length: 300026\r\n\r\n${open}`,
    );
    const [slow] = senders;
    for (let part = 0; part < 30; part += 1) {
      begin(port, 2, unfinished(300_000));
      slow?.write('x'.repeat(10_000));
      for (let turns = 0; turns < 20; turns += 1) await turn();
    }
    slow?.write('"}');
    await vi.waitFor(() => expect(heard()[0]).toMatch(/^HTTP\/1\.1 201 /), 10_000);
  });

  it.each([1, 7, 1000, 50_000])(
    'in chunks of %i bytes is the same, and keeps only itself',
    async (size) => {
      const { port, send } = await given();
      const body = bodyOf(100_000);
      const pieces = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
      const sent = `${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
      expect(await exchangeBytes(port, sent)).toMatch(/^HTTP\/1\.1 201 /);
      const { json } = await send('GET', `${articles}/1`);
      expect(json).toMatchObject({ content: 'x'.repeat(100_000) });
    },
  );
});
