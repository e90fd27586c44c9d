import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';

export type RawServer = {
  readonly url: string;
  /** Head and body of each request as they came. */
  readonly requests: string[];
  stop(): Promise<void>;
};

/** What is done with a socket once a whole request has come. */
export type Answer = (socket: Socket, request: string) => void;

/** A server that writes bytes, not HTTP: for answers no well-behaved server would give. */
export async function startRawServer(answer: Answer): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    let received = '';
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = Number(/^content-length: (\d+)/im.exec(received)?.[1] ?? 0);
      if (received.length < end + 4 + length) return;
      const request = received.slice(0, end + 4 + length);
      received = received.slice(end + 4 + length);
      requests.push(request);
      answer(socket, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Status line, header fields and body as one text; lines end as HTTP wants them. */
export function raw(head: string, body = ''): string {
  return `${head.trim().replaceAll(/\n\s*/g, '\r\n')}\r\n\r\n${body}`;
}
