import { IncomingMessage, type Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { countPieces, type Incoming, readBody } from './incoming-body.ts';
import { type Headers, headersOf, noBody, type Request } from './message.ts';
import type { Shares } from '../fair-shares.ts';

type Reading = {
  /** What is held of all bodies that have not come to their end. */
  readonly unfinished: Shares;
  /** Asks a client that waits for it to send the body (RFC 9110, 10.1.1). */
  readonly invite?: (() => void) | undefined;
  /** Closed when the answer has left, or never will. */
  readonly outgoing?: { once(event: 'close', closed: () => void): unknown } | undefined;
};

/** A request as it came in; what few look at is worked out only when they do. */
export class NodeRequest implements Request {
  readonly method: string;
  readonly target: string;
  readonly id: string | undefined;
  readonly lines: readonly string[];
  readonly #incoming: Incoming;
  readonly #reading: Reading;
  #isRead = false;
  #invite: (() => void) | undefined;
  #headers: Headers | undefined;
  #signal: AbortSignal | undefined;

  constructor(incoming: Incoming, reading: Reading) {
    this.#incoming = incoming;
    this.#reading = reading;
    this.#invite = reading.invite;
    const { method = '', url = '', rawHeaders } = incoming;
    this.method = method;
    this.target = url;
    this.lines = rawHeaders;
    this.id = idIn(rawHeaders);
  }

  get headers(): Headers {
    this.#headers ??= headersOf(this.#incoming.rawHeaders);
    return this.#headers;
  }

  get peer(): string {
    return this.#incoming.socket.remoteAddress ?? '';
  }

  get receivedAt(): string {
    return originOf(this.#incoming.socket);
  }

  get signal(): AbortSignal {
    if (this.#signal === undefined) {
      const gone = new AbortController();
      this.#reading.outgoing?.once('close', () => gone.abort());
      this.#signal = gone.signal;
    }
    return this.#signal;
  }

  /** The client waits to be asked for its body, and never was. */
  get isUninvited(): boolean {
    return this.#invite !== undefined;
  }

  /** It asks for another protocol, with a body: what follows that Node may have passed over. */
  get isBeforeUpgrade(): boolean {
    return this.#incoming.announcesBody && this.headers['upgrade'] !== undefined;
  }

  body(limitBytes: number): Promise<Uint8Array> {
    this.#invite?.();
    this.#invite = undefined;
    if (!this.#incoming.announcesBody) return nothing;
    const announced = this.headers['content-length'];
    const length = announced === undefined ? undefined : Number(announced);
    const { peer } = this;
    const { unfinished } = this.#reading;
    this.#isRead = true;
    return readBody(this.#incoming, { limitBytes, length, peer, unfinished });
  }

  /**
   * Reads what nobody asked for to its end: the connection cut there would take the answer with it.
   * That does not hold for a body of too many pieces.
   */
  passOver(): void {
    if (this.#isRead || !this.#incoming.announcesBody) return;
    countPieces(this.#incoming, () => this.#incoming.socket.destroySoon());
  }
}

/** A link to the place where a connection came in; nothing where that is not known any more. */
export function originOf({ localAddress = '', localPort }: Incoming['socket']): string {
  if (localPort === undefined) return '';
  const host = localAddress.replace(/^::ffff:(?=.*\.)/i, '');
  return `http://${host.includes(':') ? `[${host}]` : host}:${localPort}`;
}

const nothing = Promise.resolve(noBody);

function idIn(lines: readonly string[]): string | undefined {
  for (let at = 0; at < lines.length; at += 2) {
    const name = lines[at];
    if (name?.length === 12 && name.toLowerCase() === 'x-request-id') return lines[at + 1];
  }
  return undefined;
}

/**
 * A request as node:http reads it, but that it can be cut off, and for one thing: after an answer
 * Node reads what is left of a request, and for one without a body that is a stream made to flow and
 * to end for nothing, a twentieth of what a read costs.
 */
export class LeanRequest extends IncomingMessage {
  #isCutOff = false;
  #announcesBody: boolean | undefined;

  get announcesBody(): boolean {
    this.#announcesBody ??= announcesBody(this.rawHeaders);
    return this.#announcesBody;
  }

  /** Nothing more comes from its connection, which has to be ended. */
  cutOff(): void {
    this.#isCutOff = true;
    this.socket.pause();
  }

  /** What was read already comes all the same. */
  override push(chunk: unknown): boolean {
    return this.#isCutOff || super.push(chunk);
  }

  override _read(size: number): void {
    // oxlint-disable-next-line eslint/no-underscore-dangle -- the name that node:stream gives it
    if (!this.#isCutOff) super._read(size);
  }

  override resume(): this {
    return this.announcesBody ? super.resume() : this;
  }
}

/** Whether a body comes with a request, by its names and values in turn (RFC 9112, section 6.3). */
export function announcesBody(lines: readonly string[]): boolean {
  for (let at = 0; at < lines.length; at += 2) {
    const name = lines[at] ?? '';
    if (name.length === 14 && name.toLowerCase() === 'content-length') return true;
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return true;
  }
  return false;
}

/**
 * No other protocol is spoken here, and a request that asks for one is answered as if it did not
 * (RFC 9110, 7.8). Node gives the connection away at such a request, with all that came behind it:
 * both are read again, the request without that field.
 */
export function readWithoutUpgrade(
  server: Server,
  incoming: IncomingMessage,
  { socket, behind }: { readonly socket: Duplex; readonly behind: Buffer },
): void {
  socket.pause();
  // Until then Node may still be busy with the end of the answer before.
  setImmediate(() => {
    if (socket.destroyed) return;
    socket.unshift(Buffer.concat([Buffer.from(headOf(incoming), 'latin1'), behind]));
    // A connection that Node takes up again listens for these anew.
    for (const name of ['pause', 'resume', 'error']) socket.removeAllListeners(name);
    server.emit('connection', socket);
    socket.resume();
  });
}

function headOf({ method, url, httpVersion, rawHeaders }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.toLowerCase() !== 'upgrade') lines.push(`${name}: ${rawHeaders[at + 1]}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}
