import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createConnections } from '../../../server/http/connections.ts';

/** A connection, and whether Node would read from it. */
class Quiet extends Socket {
  readonly reads: boolean[] = [];

  override pause(): this {
    this.reads.push(false);
    return this;
  }

  override resume(): this {
    this.reads.push(true);
    order.push(this);
    return this;
  }

  override isPaused(): boolean {
    return this.reads.at(-1) === false;
  }
}

const order: Quiet[] = [];
const ignore = () => undefined;

function given(count: number) {
  order.length = 0;
  const shares = { hold: ignore, leave: ignore, endSlowest: () => false };
  const connections = createConnections<EventEmitter>(1000, shares);
  const sockets = Array.from({ length: count }, () => new Quiet());
  for (const socket of sockets) connections.enter(socket);
  return { connections, sockets };
}

test('who pipelines is read no further than some requests a turn, and others first after that', async () => {
  const { connections, sockets } = given(4);
  const [first, second, third, fourth] = sockets;
  await nextTurn();
  const pipeline = (socket: Quiet | undefined, requests: number) => {
    for (let count = 0; count < requests; count += 1)
      if (socket !== undefined) connections.inTurn(socket, new EventEmitter(), ignore);
  };
  pipeline(second, 3);
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  order.length = 0;
  pipeline(first, 300);
  expect(sockets.map((socket) => socket.isPaused())).toEqual([true, true, true, true]);
  await nextTurn();
  expect(order).toEqual([fourth, third, second]);
  expect(first?.isPaused()).toBe(true);
  for (let turn = 0; turn < 310; turn += 1) await nextTurn();
  expect(first?.isPaused()).toBe(false);
});

test('what takes long is begun over several turns, and who asks for one thing is not last', async () => {
  const { connections, sockets } = given(60);
  await nextTurn();
  const begun: number[] = [];
  const busy = (at: number) => () => {
    begun.push(at);
    for (const until = performance.now() + 1; performance.now() < until;);
  };
  const [single, ...others] = sockets;
  for (const [at, socket] of others.entries())
    for (let count = 0; count < 5; count += 1)
      connections.inTurn(socket, new EventEmitter(), busy(at + 1));
  await nextTurn();
  await nextTurn();
  expect(begun.length).toBeLessThan(30);
  if (single !== undefined) connections.inTurn(single, new EventEmitter(), busy(0));
  for (let turn = 0; turn < 500; turn += 1) await nextTurn();
  expect(begun).toHaveLength(59 * 5 + 1);
  expect(begun.indexOf(0)).toBeLessThan(40);
});
