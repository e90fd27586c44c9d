import { describe, expect, it } from 'vitest';
import { compileJq } from '../../../src/terminal/output.ts';
import { run } from '../../support/run.ts';

const env = { TITLE: 'Second', PATH: '' };
const list = JSON.stringify([
  { id: 1, title: ' First\n', tags: ['a', 'b'] },
  { id: 2, title: 'Second', content: 'ü 😀 \u202e' },
]);
const filtered = async (filter: string, { signal } = new AbortController()) => {
  const { run: apply, close } = await compileJq(filter, { env, signal });
  try {
    return await apply(list);
  } finally {
    await close();
  }
};

describe('a jq filter', () => {
  it.each([
    ['.[].title', ' First\n\nSecond\n', 'strings bare, to the byte'],
    ['.[] | {id, tags}', '{"id":1,"tags":["a","b"]}\n{"id":2,"tags":null}\n', 'a result a line'],
    ['.[].tags | length, ""', '2\n\n0\n\n', 'an empty string as an empty line'],
    ['empty', '', 'no result as nothing'],
    ['.[1].content', 'ü 😀 \u202e\n', 'text of any script'],
    ['.[] | select(.title == env.TITLE) | .id', '2\n', 'variables, by env'],
    ['.[] | select(.title == $ENV.TITLE) | .id', '2\n', 'variables, by $ENV'],
    ['[.[] as {$id} | $id] | try error(add) catch . + 1', '4\n', 'what the language has'],
    ['12345678901234567890', '12345678901234567890\n', 'numbers as they stand'],
  ])('%s writes %j: %s', async (filter, expected) => {
    expect(await filtered(filter)).toBe(expected);
  });

  it.each([
    [
      '.[',
      'jq does not take ".[": syntax error, unexpected end of file at <top-level>, line 1, co',
    ],
    ['.id', 'jq does not take ".id": Cannot index array with string ("id")'],
    ['.[] | env.X.y.z | error', 'jq does not take ".[] | env.X.y.z | error": null'],
    ['halt_error', 'jq does not take "halt_error": [{"id":1,'],
  ])('%s that cannot be is refused in the words of jq', async (filter, expected) => {
    await expect(filtered(filter)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(expected),
    });
  });

  it('that is none is refused before there is an input, and one that fails on some is not', async () => {
    const { signal } = new AbortController();
    const compiled = (filter: string) => compileJq(filter, { env, signal });
    for (const none of ['.[', 'nothing(1)', '$x']) {
      await expect(compiled(none)).rejects.toMatchObject({ code: 'usage' });
    }
    for (const some of ['.id', 'error', 'halt_error', 'last(repeat(1))', 'env.X']) {
      await (await compiled(some)).close();
    }
  });

  it('that never ends is ended', async () => {
    const stop = new AbortController();
    const { run: apply, close } = await compileJq('last(repeat(1))', { env, signal: stop.signal });
    const never = apply(list);
    setImmediate(() => stop.abort(new Error('Interrupted.')));
    await expect(never).rejects.toThrow('Interrupted.');
    await close();
  });

  it('that needs more memory than jq has is refused', async () => {
    await expect(filtered('[range(3e7)]')).rejects.toMatchObject({
      code: 'usage',
      message: '--jq needs more memory than there is.',
    });
  });

  it('needs no jq on the machine', async () => {
    const { status, out } = await run(['commands', '--json', '--jq', '.name'], { env });
    expect([status, out]).toEqual([0, 'blogctl\n']);
  });
});
