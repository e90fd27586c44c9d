import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { givenFolder, givenService, type Service } from '../support/command.ts';

const mayTrace = canTrace();

/** Wants strace, and the right to trace. */
function canTrace(): boolean {
  try {
    execFileSync('strace', ['-qq', '-o', '/dev/null', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** From here on the kernel answers a system call of the service as `injection` says. */
async function interfere({ pid }: Service, injection: string): Promise<() => Promise<void>> {
  const [call = ''] = injection.split(':');
  const options = ['-f', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${injection}`];
  const tracer = spawn('strace', [...options, '-p', String(pid)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const end = async (): Promise<void> => {
    if (tracer.exitCode !== null || tracer.signalCode !== null) return;
    const closed = once(tracer, 'close');
    tracer.kill('SIGTERM');
    await closed;
  };
  onTestFinished(end);
  await once(tracer.stderr, 'data'); // "Process … attached"
  return end;
}

/** With one article in it: the lock has been written, what comes is the store file alone. */
async function givenUsed(): Promise<Service & { readonly file: string }> {
  const folder = await givenFolder();
  const service = await givenService(folder);
  expect(await post(service)).toMatchObject({ status: 201 });
  return { ...service, file: join(folder, 'blog.json') };
}

type Answer = { readonly status: number; readonly code: string; readonly retryAfter: string };

async function post({ blogUrl, token }: Service): Promise<Answer> {
  const answer = await fetch(`${blogUrl}/articles`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-access-token': token },
    body: JSON.stringify({ title: 'Any', content: 'Text' }),
  });
  const { code = '' } = JSON.parse(await answer.text());
  return { status: answer.status, code, retryAfter: answer.headers.get('retry-after') ?? '' };
}

async function total({ blogUrl }: Service): Promise<number> {
  const answer = await fetch(`${blogUrl}/articles?pageSize=1`);
  expect(answer.status).toBe(200);
  return JSON.parse(await answer.text()).totalArticles;
}

describe.skipIf(!mayTrace)('a kernel that fails a served store', () => {
  it('a sync that fails: outcome unknown, then no more writes; reads go on', async () => {
    const service = await givenUsed();
    const stop = await interfere(service, 'fdatasync:error=EIO');
    expect(await post(service)).toMatchObject({ status: 500, code: 'outcome-unknown' });
    await stop();
    expect(await post(service)).toMatchObject({ status: 503 });
    expect(await total(service)).toBe(1);
  });

  it('a write without room: 507, and the next one passes', async () => {
    const service = await givenUsed();
    const stop = await interfere(service, 'pwrite64:error=ENOSPC:when=1');
    expect(await post(service)).toMatchObject({ status: 507, retryAfter: '30' });
    expect(await total(service)).toBe(1);
    JSON.parse(await readFile(service.file, 'utf8'));
    expect(await post(service)).toMatchObject({ status: 201 });
    await stop();
    expect(await total(service)).toBe(2);
  });

  it('a write and its roll-back without room: outcome unknown, reads go on', async () => {
    const service = await givenUsed();
    const stop = await interfere(service, 'pwrite64:error=ENOSPC');
    expect(await post(service)).toMatchObject({ status: 500, code: 'outcome-unknown' });
    await stop();
    expect(await post(service)).toMatchObject({ status: 503 });
    expect(await total(service)).toBe(1);
  });

  it('a slow sync: the write waits for it, reads do not', async () => {
    const service = await givenUsed();
    await interfere(service, 'fdatasync:delay_exit=500000');
    const order: string[] = [];
    const write = post(service).then(({ status }) => order.push(`write ${status}`));
    order.push(`read ${await total(service)}`);
    await write;
    expect(order).toEqual(['read 1', 'write 201']);
    expect(await total(service)).toBe(2);
  });
});
