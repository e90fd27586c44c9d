import { expect, it } from 'vitest';
import { createProgress } from '../../../src/terminal/progress.ts';
import { createTerminal } from '../../../src/terminal/terminal.ts';
import { givenHost } from '../../support/host.ts';

/** The line a terminal of so many columns shows when so many of 20 are done. */
function barOf(columns: number, done: number, total = 20): string {
  const host = givenHost([], { terminal: columns });
  const terminal = createTerminal(
    host,
    () => ({}),
    () => new AbortController().signal,
  );
  createProgress(terminal, { label: 'Importing', total }).update(done);
  return host.err().replace('\r\u001B[2K', '');
}

it.each([
  [80, 10, `${'█'.repeat(12)}${'░'.repeat(12)} Importing 10 of 20 (50 %)`],
  [40, 10, `${'█'.repeat(5)}${'░'.repeat(5)} Importing 10 of 20 (50 %)`],
  [30, 10, 'Importing 10 of 20 (50 %)'],
  [80, 20, `${'█'.repeat(24)} Importing 20 of 20 (100 %)`],
])('in %i columns a bar at %i of 20 is %s', (columns, done, line) => {
  expect(barOf(columns, done)).toBe(line);
});

it('a bar of nothing is done', () => {
  expect(barOf(80, 0, 0)).toBe(`${'█'.repeat(24)} Importing 0 of 0 (100 %)`);
});
