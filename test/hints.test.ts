import { expect, it } from 'vitest';
import { BlogctlError } from '../src/errors.ts';
import { UnusableOption } from '../server/errors.ts';
import { UnusableStore } from '../server/store/unusable-store.ts';

it('a hint is a sentence in the command and in the service: another shape does not compile', () => {
  const file: string = 'b.json';
  const errors = [
    // @ts-expect-error -- no capital
    new BlogctlError('usage', 'What.', { hint: `name ${file}.` }),
    // @ts-expect-error -- no full stop
    new BlogctlError('usage', 'What.', { hint: `Name ${file}` }),
    // @ts-expect-error -- whatever it is
    new BlogctlError('usage', 'What.', { hint: file }),
    // @ts-expect-error -- no full stop
    new UnusableOption('port', 'What.', 'Name another file'),
    // @ts-expect-error -- no capital
    new UnusableStore('damaged', 'What.', { hint: 'name another file.' }),
  ];
  expect(errors.map(({ hint }) => hint)).not.toContain(undefined);
});

it('a sentence that is put before a hint makes a text with it', () => {
  const error = new BlogctlError('conflict', 'What.', { hint: 'Do this.' });
  expect(error.hinting('It is kept.').hint).toBe('It is kept. Do this.');
  expect(new BlogctlError('conflict', 'What.').hinting('It is kept.').hint).toBe('It is kept.');
});
