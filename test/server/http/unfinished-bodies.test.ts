import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type App, noAnswer } from '../../../server/http/message.ts';
import { type Bounds, listen } from '../../../server/http/node-adapter.ts';
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

it('a body that is asked for after its client has gone is refused', async () => {
  const refused = new Promise<unknown>((resolve, reject) => {
    const app: App = async (request) => {
      senders[0]?.destroy();
      await new Promise((gone) => request.signal?.addEventListener('abort', gone));
      await request.body(MB).catch(resolve);
      return noAnswer;
    };
    const listening = listen(app, { host: '127.0.0.1', port: 0 });
    onTestFinished(async () => (await listening).stop(0));
    listening.then(({ port }) => begin(port, 1, whole(10)), reject);
  });
  expect(await refused).toMatchObject({ message: 'The body broke off.' });
});

describe('a body of very many chunks', () => {
  const chunked = (chunk: string, count: number) => {
    const size = chunk.length.toString(16);
    return `${head}Transfer-Encoding: chunked\r\n\r\n${`${size}\r\n${chunk}\r\n`.repeat(count)}0\r\n\r\n`;
  };
  const after = `GET ${articles} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

  it.each([1, 7])('of %i bytes is refused in words, and read no further', async (size) => {
    const { port } = await givenServed();
    const heard = await exchangeBytes(port, chunked('x'.repeat(size), 50_000) + after);
    expect(heard).toMatch(/^HTTP\/1\.1 400 [^]*\r\nConnection: close\r\n/);
    expect(heard).toContain('in thousands of chunks of a few bytes');
    expect(heard).toContain('Send it with a Content-Length, or in chunks of 64 bytes and more.');
    expect(heard).not.toContain('HTTP/1.1 200');
  });

  it('that nobody wants is read no further, once its answer is sent', async () => {
    const { port } = await givenServed();
    const heard = begin(port, 1, chunked('x', 200_000).replace('all', 'none') + after);
    await vi.waitFor(() => expect(senders[0]?.closed).toBe(true), 20_000);
    // Who still sends when the connection ends may not hear what it was answered.
    expect(heard()[0]).toMatch(/^(?:HTTP\/1\.1 401 [^]*)?$/);
    expect(heard()[0]).not.toContain('HTTP/1.1 200');
  });

  it('that nobody wants is read to its end where they are not so many, and what follows is answered', async () => {
    const { port } = await givenServed();
    const heard = begin(port, 1, chunked('x', 4000).replace('all', 'none') + after);
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

  it.each([
    [1, 4_000],
    [7, 28_000],
    [64, 640_000],
    [50_000, 100_000],
  ])(
    'in chunks of %i bytes, %i of them in all, is the same, and keeps only itself',
    async (size, bytes) => {
      const { port, send } = await given();
      const body = bodyOf(bytes);
      const pieces = body.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const chunks = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
      const sent = `${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
      expect(await exchangeBytes(port, sent)).toMatch(/^HTTP\/1\.1 201 /);
      const { json } = await send('GET', `${articles}/1`);
      expect(json).toMatchObject({ content: 'x'.repeat(bytes) });
    },
  );
});
