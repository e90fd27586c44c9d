import { createServer, connect, type AddressInfo, type Socket } from 'node:net';

/**
 * What becomes of a connection: both sides end; or the client's alone, while the server gets what
 * was sent, and then its end; or both stay open and nothing passes any more, forth or back; or
 * nothing passes until it is let go on.
 */
export type Cut = 'both sides' | 'the client alone' | 'a black hole' | 'a pause';

export type CuttingProxy = {
  readonly port: number;
  /** So many bytes pass, forth or back; then the connection is cut that is in use, and no other. */
  cutAfter: { forth: number; back: number };
  /** Nothing passes back any more from where this text is sent on. */
  cutBehind: string | undefined;
  /** Bytes that passed; counted from wherever it is set to. */
  passed: { forth: number; back: number };
  readonly cuts: () => number;
  /** Ends a pause. */
  goOn(): void;
  stop(): Promise<void>;
};

/** Stands between a program and a server, and cuts connections where it is told to. */
export async function startCuttingProxy(to: number, how: Cut = 'both sides') {
  const open = new Set<Socket>();
  let cuts = 0;
  let held = () => {};
  const server = createServer((client) => {
    const upstream = connect({ port: to, host: '127.0.0.1' });
    let isSwallowed = false;
    const cut = (rest: () => void) => {
      cuts += 1;
      proxy.cutAfter = { forth: Infinity, back: Infinity };
      if (how === 'a pause') held = rest;
      else if (how === 'a black hole') isSwallowed = true;
      else client.destroy();
      if (how === 'both sides') upstream.destroy();
    };
    for (const [from, into, way] of [
      [client, upstream, 'forth'],
      [upstream, client, 'back'],
    ] as const) {
      open.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        open.delete(from);
        if (!isSwallowed) into.end();
      });
      from.on('data', (bytes: Buffer) => {
        if (isSwallowed) return;
        if (proxy.cutBehind !== undefined && way === 'forth' && bytes.includes(proxy.cutBehind)) {
          proxy.cutBehind = undefined;
          proxy.cutAfter.back = 0;
        }
        const left = proxy.cutAfter[way];
        proxy.cutAfter[way] -= bytes.length;
        const passing = bytes.subarray(0, left);
        proxy.passed[way] += passing.length;
        if (into.destroyed) return;
        if (left >= bytes.length) into.write(passing);
        else {
          if (how === 'a pause') from.pause();
          into.write(passing, () =>
            cut(() => {
              into.write(bytes.subarray(left));
              from.resume();
            }),
          );
        }
      });
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- It listens.
  const { port } = server.address() as AddressInfo;
  const proxy: CuttingProxy = {
    port,
    cutAfter: { forth: Infinity, back: Infinity },
    cutBehind: undefined,
    passed: { forth: 0, back: 0 },
    cuts: () => cuts,
    goOn: () => held(),
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return proxy;
}
