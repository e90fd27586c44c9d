import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundledProgram } from '../support/program.ts';
import { killLoop } from './kill-loop.ts';

test('fifty times kill -9 in the middle of writing: nothing acknowledged is lost', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'blogctl-kill-'));
  const program = await bundledProgram(join(import.meta.dirname, 'writer-program.ts'));
  const outcome = await killLoop(folder, program.path, 50);
  expect(outcome.broken).toEqual([]);
  // A kill can stop the kernel between two pages of one write; the next start mends that, as `broken`
  // holds. It is rare: in 600 kills in a row every file was JSON as it stood.
  expect(outcome.validJson).toBeGreaterThanOrEqual(48);
  expect(outcome.acknowledged).toBeGreaterThan(500);
  await rm(folder, { recursive: true });
  await program.remove();
});
