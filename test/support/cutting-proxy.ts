import { createServer, connect, type Socket } from 'node:net';

export type CuttingProxy = {
  readonly port: number;
  /** So many bytes pass, forth or back; then the connection ends that is in use, and no other. */
  cutAfter: { forth: number; back: number };
  /** Ends the client's side alone: what was sent goes on to the server. */
  keepsServer: boolean;
  /** Ends every client's side now. */
  dropClients(): void;
  readonly cuts: () => number;
  stop(): Promise<void>;
};

/** Stands between a program and a server, and cuts connections where it is told to. */
export async function startCuttingProxy(to: number): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  const clients = new Set<Socket>();
  let cuts = 0;
  const server = createServer((client) => {
    clients.add(client);
    const upstream = connect({ port: to, host: '127.0.0.1' });
    const cut = () => {
      cuts += 1;
      proxy.cutAfter = { forth: Infinity, back: Infinity };
      client.destroy();
      if (!proxy.keepsServer) upstream.destroy();
    };
    for (const [from, into, way] of [
      [client, upstream, 'forth'],
      [upstream, client, 'back'],
    ] as const) {
      open.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        open.delete(from);
        if (!(proxy.keepsServer && from === client)) into.end();
      });
      from.on('data', (bytes: Buffer) => {
        const left = proxy.cutAfter[way];
        proxy.cutAfter[way] -= bytes.length;
        const passed = bytes.subarray(0, left);
        if (!into.destroyed) into.write(passed, left < bytes.length ? cut : undefined);
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const proxy: CuttingProxy = {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cutAfter: { forth: Infinity, back: Infinity },
    keepsServer: false,
    dropClients: () => {
      for (const client of clients) client.destroy();
      clients.clear();
    },
    cuts: () => cuts,
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return proxy;
}
