import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

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
