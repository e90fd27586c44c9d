import type { ServerResponse } from 'node:http';
import { isWhole } from '../representations/representation.ts';
import type { LongBody } from '../representations/representation.ts';
import { type FieldLines, noAnswer, type Response } from './message.ts';
import type { Shares } from './shares.ts';

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
  if (isWhole(body) && !outgoing.writableFinished) waitForReader(sender, outgoing, body.length);
}

const pieceBytes = 64 * 1024;
const mostFree = 16;
/**
 * As much as a reader who takes it at once is sent before it is somebody else's turn; and before the
 * next connection is taken, of which Node takes one a turn.
 */
const turnBytes = 256 * 1024;

/**
 * One piece is in memory at a time, and none for who waits for a turn. Many readers take turns, so
 * that what they ask for is never made in one go. A body that ends early ends the
 * connection: what was announced can no longer be told.
 */
async function sendPieces(sender: Sender, outgoing: ServerResponse, body: LongBody): Promise<void> {
  const { socket } = outgoing.req;
  let leftOfTurn = 0;
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
      const isTakenAtOnce = await sendPiece(sender, outgoing, piece.subarray(0, length));
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

/** Resolves when the bytes have left or their connection is closed. */
async function sendPiece(
  sender: Sender,
  outgoing: ServerResponse,
  bytes: Uint8Array,
): Promise<boolean> {
  const taken = new Promise((resolve) => outgoing.write(bytes, resolve));
  // Node gathers what is written in one tick.
  await new Promise<void>((next) => process.nextTick(next));
  if (outgoing.writableLength === 0) return true;
  const { promise: closed, stop } = waitForReader(sender, outgoing, bytes.length);
  await Promise.race([taken, closed]);
  stop();
  return false;
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
