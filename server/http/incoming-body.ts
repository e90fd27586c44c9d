import type { Readable } from 'node:stream';
import { Refusal } from '../errors.ts';
import { noBody } from './message.ts';
import type { Shares } from '../fair-shares.ts';

/** What node:http tells of a request. */
export type Incoming = Readable & {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly announcesBody: boolean;
  cutOff(): void;
  readonly socket: {
    readonly remoteAddress?: string | undefined;
    readonly localAddress?: string | undefined;
    readonly localPort?: number | undefined;
    destroySoon(): unknown;
  };
};

type BodyBounds = {
  readonly limitBytes: number;
  /** As announced; undefined where the body says itself where it ends. */
  readonly length: number | undefined;
  /** What is held of all bodies that have not come to their end. */
  readonly unfinished: Shares;
  /** Address of the one who is connected. */
  readonly peer: string;
};

/**
 * A chunk of a byte costs as much work as one of many: each is counted as so many bytes, and of what
 * goes beyond its own so many are passed over in a body.
 */
const bytesOfPiece = 64;
const mostOverhead = 4096 * bytesOfPiece;

/** Calls back once where a body comes in too many small pieces; it is read no further. */
export function countPieces(incoming: Incoming, tooMany: () => void): void {
  let overhead = 0;
  const count = ({ length }: Buffer) => {
    overhead = Math.max(0, overhead + bytesOfPiece - length);
    if (overhead <= mostOverhead) return;
    incoming.off('data', count);
    incoming.cutOff();
    tooMany();
  };
  incoming.on('data', count);
}

/**
 * The whole body of a request. What is too long is read to its end all the same, but not kept: a
 * connection cut in the middle would take the answer with it. What comes in many pieces is gathered
 * in one place: a piece of a byte would keep all that was read with it.
 */
export function readBody(incoming: Incoming, bounds: BodyBounds): Promise<Uint8Array> {
  const { limitBytes, unfinished, peer } = bounds;
  return new Promise((resolve, reject) => {
    let gathered: Buffer | undefined;
    let length = 0;
    /** How far it was when it was put in last: of a byte at a time not each is a movement. */
    let heldAt = 0;
    let isOver = false;
    const refuse = (refusal: Refusal) => {
      isOver = true;
      gathered = undefined;
      unfinished.leave(holder);
      reject(refusal);
    };
    const holder = { remoteAddress: peer, destroy: () => refuse(tooManyBodies()) };
    const breakOff = () => {
      if (!isOver) refuse(new Refusal('bad-request', 'The body broke off.'));
    };
    unfinished.hold(holder, 0);
    countPieces(incoming, () => {
      if (!isOver) refuse(tooManyPieces());
    });
    incoming.on('data', (chunk: Buffer) => {
      if (isOver) return;
      if (length + chunk.length > limitBytes) {
        refuse(new Refusal('payload-too-large', `A body has at most ${limitBytes} bytes.`));
        return;
      }
      const most = bounds.length ?? limitBytes;
      const before = gathered;
      gathered = before === undefined ? chunk : append({ gathered: before, length, most }, chunk);
      length += chunk.length;
      // What is whole is not held: its end comes at once.
      if (length === bounds.length) return;
      if (gathered === before && length - heldAt < fewestBytes) return;
      heldAt = length;
      unfinished.hold(holder, gathered.buffer.byteLength);
    });
    incoming.on('end', () => {
      if (isOver) return;
      isOver = true;
      unfinished.leave(holder);
      resolve(gathered?.subarray(0, length) ?? noBody);
    });
    incoming.on('error', breakOff);
    incoming.on('close', breakOff);
    // It tells of its end once, and may have had it before it was asked for.
    if (incoming.destroyed) breakOff();
  });
}

const fewestBytes = 16 * 1024;

type Gathered = {
  readonly gathered: Buffer;
  readonly length: number;
  /** That it can become. */
  readonly most: number;
};

/** Behind what is there already; the first piece has no room for another. */
function append({ gathered, length, most }: Gathered, chunk: Buffer): Buffer {
  const needed = length + chunk.length;
  const roomy = Math.min(Math.max(fewestBytes, needed * 4), Math.max(needed, most));
  const into = needed <= gathered.length ? gathered : Buffer.allocUnsafeSlow(roomy);
  if (into !== gathered) gathered.copy(into, 0, 0, length);
  chunk.copy(into, length);
  return into;
}

/** What is left of it is not read. */
function tooManyPieces(): Refusal {
  const what = 'This body comes in thousands of chunks of a few bytes.';
  const how = `Send it with a Content-Length, or in chunks of ${bytesOfPiece} bytes and more.`;
  return new Refusal('bad-request', `${what} ${how} Nothing was changed.`, {
    headers: { Connection: 'close' },
  });
}

function tooManyBodies(): Refusal {
  const what = 'Too many bodies come in slowly, and this one has not moved for longest.';
  return new Refusal('unavailable', `${what} Nothing was changed.`, {
    headers: { 'Retry-After': '1' },
  });
}
