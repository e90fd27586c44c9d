import { createInterface } from 'node:readline';
import { createJsonFile } from '../../../../server/store/json-file/create.ts';
import type { JsonFileStore } from '../../../../server/store/json-file/json-file-store.ts';
import { openJsonFile } from '../../../../server/store/json-file/open.ts';

/** A process that writes a store as it is told on stdin, one order a line, answered on stdout. */
export type Order =
  | { readonly do: 'create'; readonly path: string }
  | { readonly do: 'open'; readonly path: string }
  | { readonly do: 'write'; readonly title: string }
  | { readonly do: 'close' };

/** `refused`: why the order could not be carried out; `loss`: what closing says is not in the file. */
export type Outcome = { readonly refused?: string; readonly loss?: string };

let store: JsonFileStore | undefined;
for await (const line of createInterface({ input: process.stdin })) {
  const order: Order & { readonly number: number } = JSON.parse(line);
  void carriedOut(order).then((outcome) =>
    process.stdout.write(`${JSON.stringify({ ...outcome, number: order.number })}\n`),
  );
}

async function carriedOut(order: Order): Promise<Outcome> {
  try {
    return await carryOut(order);
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

async function carryOut(order: Order): Promise<Outcome> {
  if (order.do === 'create') {
    await createJsonFile(order.path, { title: 'Blog', description: '' });
  } else if (order.do === 'open') {
    store = await openJsonFile({ path: order.path });
  } else if (order.do === 'write') {
    if (store === undefined) return { refused: 'not open' };
    await store.create(1, { title: order.title });
  } else {
    await store?.close();
    const loss = store?.loss;
    store = undefined;
    return loss === undefined ? {} : { loss };
  }
  return {};
}
