import { open, rename, rm } from 'node:fs/promises';
import type { Sink } from './records.ts';

/** A file that is seen under its name when it is whole: draft, sync, rename. */
export async function openFileSink(path: string): Promise<Sink> {
  const draft = `${path}.draft-${process.pid}`;
  const file = await open(draft, 'w');
  let pending: string[] = [];
  let size = 0;

  async function flush(): Promise<void> {
    const text = pending.join('');
    pending = [];
    size = 0;
    await file.appendFile(text);
  }

  return {
    async write(text) {
      pending.push(text);
      size += text.length;
      if (size > 1 << 16) await flush();
    },
    async finish() {
      await flush();
      await file.sync();
      await file.close();
      await rename(draft, path);
    },
    async abandon() {
      await file.close();
      await rm(draft, { force: true });
    },
  };
}
