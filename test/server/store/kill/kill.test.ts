import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundledProgram } from '../support/program.ts';
import { killLoop } from './kill-loop.ts';

test('fifty times kill -9 in the middle of writing: nothing acknowledged is lost, the file is JSON each time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-kill-'));
  const program = await bundledProgram(join(import.meta.dirname, 'writer-program.ts'));
  const outcome = await killLoop(folder, program.path, 50);
  expect(outcome.broken).toEqual([]);
  expect(outcome.validJson).toBe(50);
  expect(outcome.acknowledged).toBeGreaterThan(500);
  await rm(folder, { recursive: true });
  await program.remove();
});
