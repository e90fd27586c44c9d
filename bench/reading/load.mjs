import { once } from 'node:events';
import { connect } from 'node:net';

export const connections = 50;
const windowMs = Number(process.env.WINDOW_MS ?? 300);

/** Answers a second: every connection sends the next request when the last answer is whole. */
export function rate(origin, nextPath, varied, writes = 0) {
  return rateOf(origin, requestsOf(origin, { nextPath, varied, writes }));
}

export async function rateOf(origin, nextRequest, count = connections) {
  const sockets = await openAll(origin, count);
  const load = loaded(sockets, nextRequest);
  const startedAt = performance.now();
  await new Promise((resolve) => setTimeout(resolve, windowMs));
  const perSecond = (load.answers() / (performance.now() - startedAt)) * 1000;
  for (const socket of sockets) socket.destroy();
  return perSecond;
}

/** Reads so many answers over all connections. */
export async function read(origin, nextPath, count) {
  const sockets = await openAll(origin, connections);
  await new Promise((resolve) => {
    const over = (answers) => answers >= count && resolve();
    loaded(sockets, requestsOf(origin, { nextPath }), over);
  });
  for (const socket of sockets) socket.destroy();
}

function openAll(origin, count) {
  const { port } = new URL(origin);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
}

function requestsOf(origin, { nextPath, varied, writes = 0 }) {
  const { host } = new URL(origin);
  let trips = 0;
  const own = () => (varied ? `X-Trip: ${(trips += 1)}\r\n` : '');
  const body = JSON.stringify({ title: 'Changed', content: 'Lorem ipsum. '.repeat(115) });
  const change = () =>
    `PUT ${nextPath()} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/hal+json\r\n${own()}` +
    `X-Access-Token: bench\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const reading = () =>
    `GET ${nextPath()} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/hal+json\r\n${own()}\r\n`;
  let asked = 0;
  return () => (writes > 0 && (asked += 1) % writes === 0 ? change() : reading());
}

function loaded(sockets, nextRequest, onAnswer = () => undefined) {
  let answers = 0;
  for (const socket of sockets) {
    let missing = 0;
    socket.on('data', (chunk) => {
      if (missing === 0) missing = sizeOf(chunk);
      missing -= chunk.length;
      if (missing > 0) return;
      answers += 1;
      missing = 0;
      onAnswer(answers);
      socket.write(nextRequest());
    });
    socket.write(nextRequest());
  }
  return { answers: () => answers };
}

function sizeOf(chunk) {
  const end = chunk.indexOf('\r\n\r\n');
  const head = chunk.toString('latin1', 0, end);
  if (!/^HTTP\/1.1 20[01] /.test(head)) throw new Error(`Not a page or article: ${head}`);
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  return end + 4 + Number(length);
}
