import { once } from 'node:events';
import { connect } from 'node:net';

export const connections = 50;
const windowMs = Number(process.env.WINDOW_MS ?? 300);

/** Answers a second: every connection sends the next request when the last answer is whole. */
export async function rate(origin, nextPath, varied, writes = 0) {
  const sockets = await openAll(origin);
  const load = loaded(sockets, origin, { nextPath, varied, writes });
  const startedAt = performance.now();
  await new Promise((resolve) => setTimeout(resolve, windowMs));
  const perSecond = (load.answers() / (performance.now() - startedAt)) * 1000;
  for (const socket of sockets) socket.destroy();
  return perSecond;
}

/** Reads so many answers over all connections. */
export async function read(origin, nextPath, count) {
  const sockets = await openAll(origin);
  await new Promise((resolve) => {
    loaded(sockets, origin, { nextPath }, (answers) => answers >= count && resolve());
  });
  for (const socket of sockets) socket.destroy();
}

function openAll(origin) {
  const { port } = new URL(origin);
  return Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
}

function loaded(sockets, origin, { nextPath, varied, writes = 0 }, onAnswer = () => undefined) {
  const { host } = new URL(origin);
  let answers = 0;
  let trips = 0;
  const own = () => (varied ? `X-Trip: ${(trips += 1)}\r\n` : '');
  const body = JSON.stringify({ title: 'Changed', content: 'Lorem ipsum. '.repeat(115) });
  const change = () =>
    `PUT ${nextPath()} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/hal+json\r\n${own()}` +
    `X-Access-Token: bench\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  let asked = 0;
  const request = () => (writes > 0 && (asked += 1) % writes === 0 ? change() : reading());
  const reading = () =>
    `GET ${nextPath()} HTTP/1.1\r\nHost: ${host}\r\nAccept: application/hal+json\r\n${own()}\r\n`;
  for (const socket of sockets) {
    let missing = 0;
    socket.on('data', (chunk) => {
      if (missing === 0) missing = sizeOf(chunk);
      missing -= chunk.length;
      if (missing > 0) return;
      answers += 1;
      missing = 0;
      onAnswer(answers);
      socket.write(request());
    });
    socket.write(request());
  }
  return { answers: () => answers };
}

function sizeOf(chunk) {
  const end = chunk.indexOf('\r\n\r\n');
  const head = chunk.toString('latin1', 0, end);
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`Not a page or article: ${head}`);
  const [, length] = /content-length: (\d+)/i.exec(head) ?? [];
  return end + 4 + Number(length);
}
