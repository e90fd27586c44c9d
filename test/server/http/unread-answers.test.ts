import { once } from 'node:events';
import { connect, Socket } from 'node:net';
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Bounds, listen } from '../../../server/http/node-adapter.ts';
import { articles } from '../../support/service.ts';
import { exchangeBytes, givenServed } from '../../support/served.ts';

const host = 'Host: localhost';
const largest = `GET ${articles}?pageSize=1000 HTTP/1.1\r\n${host}\r\n\r\n`;
const one = `GET ${articles}/1 HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`;

const readers: Socket[] = [];
afterEach(() => {
  for (const reader of readers.splice(0)) reader.destroy();
});

async function givenLarge(bounds: Partial<Bounds> = {}) {
  const served = await givenServed(bounds);
  const body = { title: 'T', content: 'x'.repeat(300_000) };
  for (let at = 0; at < 32; at += 1) await served.send('POST', articles, { body });
  return served;
}

/** Connections that ask and never read the answer. */
function ask(port: number, count: number, request: (at: number) => string): void {
  for (let at = 0; at < count; at += 1) {
    const reader = connect({ port, host: '127.0.0.1' });
    reader.on('error', () => reader.destroy());
    reader.write(request(at));
    readers.push(reader);
  }
}

describe('those who ask for much and read nothing', () => {
  it.each([
    ['the same page', () => largest],
    ['a page each', (at: number) => largest.replace('1000', String(1000 - at))],
    ['an article each', (at: number) => one.replace('/1 ', `/${(at % 32) + 1} `)],
    ['fifty pages each on their connection', () => largest.repeat(50)],
  ])('hold no memory, and others are answered: %s', async (_, request) => {
    const { port } = await givenLarge();
    const rest = process.memoryUsage().arrayBuffers;
    let most = 0;
    ask(port, 60, request);
    for (let at = 0; at < 20; at += 1) {
      const before = process.cpuUsage();
      expect(await exchangeBytes(port, one)).toMatch(/^HTTP\/1\.1 200 /);
      // Of the processor: what else runs on this machine must not count.
      expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
      for (let turns = 0; turns < 50; turns += 1) await turn();
      most = Math.max(most, process.memoryUsage().arrayBuffers - rest);
    }
    expect(most).toBeLessThan(60 * 1024 * 1024);
  });

  it('who sends thousands of requests behind it holds those, too', async () => {
    const { port } = await givenLarge({
      unread: { bytes: 2 ** 25, bytesOfAddress: 2 ** 22, stillMs: 500 },
    });
    const small = `OPTIONS * HTTP/1.1\r\n${host}\r\n\r\n`;
    ask(port, 40, () => largest + small.repeat(500));
    for (let at = 0; at < 10; at += 1) {
      expect(await exchangeBytes(port, one)).toMatch(/^HTTP\/1\.1 200 /);
      for (let turns = 0; turns < 100; turns += 1) await turn();
    }
    const whole = await Promise.all(readers.map((reader) => readAll(reader, 9_600_000)));
    const kept = whole.filter((end) => end === 'whole').length;
    expect(kept).toBeLessThanOrEqual(4);
    expect(kept).toBeGreaterThan(1);
  });

  it('beyond the share of an address end, those first that wait longest', async () => {
    const { port } = await givenLarge({
      unread: { bytes: 2 ** 25, bytesOfAddress: 2 ** 20, stillMs: 500 },
    });
    ask(port, 40, () => largest);
    for (let at = 0; at < 10; at += 1) {
      expect(await exchangeBytes(port, one)).toMatch(/^HTTP\/1\.1 200 /);
      for (let turns = 0; turns < 100; turns += 1) await turn();
    }
    const whole = await Promise.all(readers.map((reader) => readAll(reader, 9_600_000)));
    const kept = whole.filter((end) => end === 'whole').length;
    expect(kept).toBeLessThanOrEqual(16);
    expect(kept).toBeGreaterThan(8);
    // What the system still had for them would else wait there for whoever reads nothing.
    expect(whole.filter((end) => end === 'reset')).toHaveLength(40 - kept);
  });

  it('make room for one that comes when there are as many as there may be', async () => {
    const { port } = await givenLarge({
      maxConnections: 20,
      unread: { bytes: 2 ** 25, bytesOfAddress: 2 ** 24, stillMs: 0 },
    });
    ask(port, 20, () => largest);
    await Promise.all(readers.map((reader) => once(reader, 'readable')));
    await vi.waitFor(async () => {
      expect(await exchangeBytes(port, one)).toMatch(/^HTTP\/1\.1 200 /);
    }, 10_000);
  });

  it('a reader that takes its time is sent all of it', async () => {
    const { port } = await givenLarge();
    const last = largest.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    const whole = await exchangeBytes(port, last);
    ask(port, 1, () => last);
    for (const reader of readers) {
      expect(await readAll(reader, Buffer.byteLength(whole))).toBe('whole');
    }
    const body = whole.slice(whole.indexOf('{'));
    expect(Buffer.byteLength(body)).toBe(Number(/content-length: (\d+)/i.exec(whole)?.[1]));
  });
});

describe('the answer to a change', () => {
  const body = new Uint8Array(2 ** 24);
  const app = () => ({ status: 201, headers: { 'Content-Length': String(body.length) }, body });
  const unread = { bytes: 2 ** 22, bytesOfAddress: 2 ** 22, stillMs: 0 };

  it.each([
    ['is sent where a body as long is taken', 2 ** 24, {}, 'whole'],
    ['is too long to lie unread where none is', 2 ** 20, {}, 'reset'],
    ['has the time of all its pieces', 2 ** 24, { sendMs: 200 }, 'whole'],
  ])('%s', async (_, maxBodyBytes, bounds, end) => {
    const options = { host: '127.0.0.1', port: 0, maxBodyBytes, bounds: { unread, ...bounds } };
    const listening = await listen(app, options);
    ask(listening.port, 1, () => one);
    const [reader = new Socket()] = readers;
    await pause(500);
    expect(await readAll(reader, body.length)).toBe(end);
    await listening.stop(0);
  });
});

describe('the time that a piece has', () => {
  const last = largest.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');

  it('counts what the system has still to pass on: who reads slowly but steadily is kept', async () => {
    const { port } = await givenLarge({ sendMs: 300 });
    ask(port, 1, () => last);
    for (const reader of readers) {
      expect(await readAll(reader, 9_600_000, () => pause(20))).toBe('whole');
    }
  });

  it('is over some time for who reads nothing, however much the system took', async () => {
    const { port } = await givenLarge({ sendMs: 50 });
    ask(port, 1, () => last);
    const [reader] = readers;
    await pause(1500);
    expect(await readAll(reader ?? new Socket(), 9_600_000)).toBe('reset');
  });
});

/** Reads slowly; `whole` as soon as so many bytes have come, else how the connection ended before. */
async function readAll(
  reader: Socket,
  bytes: number,
  rest: () => Promise<unknown> = turn,
): Promise<'whole' | 'cut' | 'reset'> {
  let read = 0;
  try {
    for await (const chunk of reader.iterator({ destroyOnReturn: false })) {
      read += Buffer.from(chunk).length;
      if (read >= bytes) return 'whole';
      await rest();
    }
    // It may have ended before it was read.
    return reader.errored === null ? 'cut' : 'reset';
  } catch {
    return 'reset';
  }
}
