import type { ServerResponse } from 'node:http';
import { isWhole, type LongBody } from '../representations/representation.ts';
import { type FieldLines, noAnswer, type Response } from './message.ts';
import type { Shares } from '../fair-shares.ts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export type Sender = {
  readonly linesOf: FieldLines;
  /** What lies in memory because its readers do not take it. */
  readonly unread: Shares;
  /** For bytes to be taken by their reader. */
  readonly sendMs: number;
  /** Places for pieces of long answers, to be used again. */
  readonly free: Buffer[];
  /** Resolves to each caller in a turn of the event loop of its own. */
  readonly turn: () => Promise<void>;
};

/** Sends a response; where there is no body, its length is the app's to tell or to leave out (decisions 1). */
export function send(sender: Sender, outgoing: ServerResponse, response: Response): void {
  const { status, body } = response;
  if (response === noAnswer) {
    outgoing.req.socket.destroy();
    return;
  }
  outgoing.writeHead(status, sender.linesOf(response, outgoing.shouldKeepAlive));
  if (!isWhole(body)) void sendPieces(sender, outgoing, body);
  else if (body.length === 0) outgoing.end();
  else outgoing.end(body);
  if (!isWhole(body) || outgoing.writableFinished) return;
  // As long as all of its pieces would have.
  const pieces = Math.min(Math.floor(body.length / pieceBytes), mostPieces);
  const sendMs = sender.sendMs * (1 + pieces * partOfPiece);
  waitForReader({ ...sender, sendMs }, outgoing, body.length);
}

const pieceBytes = 64 * 1024;
const mostFree = 16;
/**
 * As much as a reader who takes it at once is sent before it is somebody else's turn; and before the
 * next connection is taken, of which Node takes one a turn.
 */
const turnBytes = 256 * 1024;

/**
 * The system has room for some MB, and takes nothing more until its reader has taken much of that, so
 * that a piece may wait for all that went at once before it. Each of them lengthens the time that
 * later ones have, by this part of that of a piece, up to as many as there is room for.
 */
const partOfPiece = 1 / 8;
const mostPieces = 64;

/**
 * One piece is in memory at a time, and none for who waits for a turn. Many readers take turns, so
 * that what they ask for is never made in one go. A body that ends early ends the
 * connection: what was announced can no longer be told.
 */
async function sendPieces(sender: Sender, outgoing: ServerResponse, body: LongBody): Promise<void> {
  const { socket } = outgoing.req;
  const msOfPiece = sender.sendMs * partOfPiece;
  let leftOfTurn = 0;
  let reserveMs = 0;
  try {
    for (let at = 0; at < body.length;) {
      if (leftOfTurn <= 0) {
        await sender.turn();
        leftOfTurn = turnBytes;
      }
      if (socket.destroyed) return;
      const piece = sender.free.pop() ?? Buffer.allocUnsafeSlow(pieceBytes);
      const length = await body.read(at, piece);
      if (socket.destroyed) return;
      at += length;
      const waitedMs = await sendPiece(
        { ...sender, sendMs: sender.sendMs + reserveMs },
        outgoing,
        piece.subarray(0, length),
      );
      const isTakenAtOnce = waitedMs === undefined;
      const reserve = reserveMs + msOfPiece - (waitedMs ?? 0);
      reserveMs = Math.min(Math.max(reserve, 0), mostPieces * msOfPiece);
      // What a connection that ended has not sent may still be read.
      if (isTakenAtOnce && sender.free.length < mostFree) sender.free.push(piece);
      leftOfTurn = isTakenAtOnce ? leftOfTurn - length : 0;
    }
    outgoing.end();
  } catch {
    // The app has reported it.
    socket.destroy();
  }
}

/**
 * Resolves when the bytes have left or their connection is closed, to how long that took; undefined
 * where they were taken at once.
 */
async function sendPiece(
  sender: Sender,
  outgoing: ServerResponse,
  bytes: Uint8Array,
): Promise<number | undefined> {
  const taken = new Promise((resolve) => outgoing.write(bytes, resolve));
  // Node gathers what is written in one tick.
  await new Promise<void>((next) => process.nextTick(next));
  if (outgoing.writableLength === 0) return undefined;
  const since = performance.now();
  const { promise: closed, stop } = waitForReader(sender, outgoing, bytes.length);
  await Promise.race([taken, closed]);
  stop();
  return performance.now() - since;
}

/** Progress alone is not enough: a reader of one byte a second would hold its bytes for hours. */
function waitForReader(
  { unread, sendMs }: Sender,
  outgoing: ServerResponse,
  bytes: number,
): { readonly promise: Promise<void>; readonly stop: () => void } {
  const { socket } = outgoing.req;
  const deadline = setTimeout(() => socket.resetAndDestroy(), sendMs);
  unread.hold(socket, bytes);
  let closed = ignore;
  const promise = new Promise<void>((resolve) => (closed = resolve));
  const stop = () => {
    clearTimeout(deadline);
    unread.leave(socket);
    outgoing.off('close', stop);
    closed();
  };
  outgoing.on('close', stop);
  return { promise, stop };
}

function ignore(): void {}

/** Below it what is left over goes with the next collection of garbage, whenever that is. */
const muchBytes = 8 * 1024 * 1024;
/** What one collection finds free, the next one gives back. */
const collections = 2;

/**
 * Gives memory back after much was held for slow clients: a service at rest makes no garbage,
 * and without a cause V8 does not look for what it could free. To be called every few seconds;
 * measured by `test/nightly/readers.mjs`.
 */
export function createMemoryReturn(
  shares: readonly Pick<Shares, 'mostSinceAsked'>[],
  collect: () => void = collectGarbage,
): () => void {
  let left = 0;
  return () => {
    const most = shares.map((share) => share.mostSinceAsked());
    if (Math.max(...most) > muchBytes) left = collections;
    else if (left > 0) {
      left -= 1;
      collect();
    }
  };
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc === 'function') gc();
}
