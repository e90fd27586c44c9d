import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { BlogctlError } from '../../../src/errors.ts';
import { createPrompt } from '../../../src/terminal/streams.ts';

const given = () => {
  const stop = new AbortController();
  const streams = {
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
  };
  const prompt = createPrompt(
    { ...streams, env: {} },
    () => ({}),
    () => stop.signal,
  );
  return { ...streams, prompt, stop };
};

it('a question is answered by the line typed', async () => {
  const { prompt, stdin } = given();
  const asked = prompt.ask({ text: 'Title: ' });
  stdin.write('Kettle\n');
  expect(await asked).toBe('Kettle');
});

it('a text of several lines that is pasted is one answer, ended by a person where it has no end', async () => {
  const { prompt, stdin } = given();
  const whole = prompt.ask({ text: 'Content: ', isText: true });
  stdin.write('one\n\ntwo\n');
  expect(await whole).toBe('one\n\ntwo');
  const open = prompt.ask({ text: 'Content: ', isText: true });
  stdin.write('one\ntwo');
  await new Promise((done) => setTimeout(done, 100));
  stdin.write(' three\n');
  expect(await open).toBe('one\ntwo three');
  const left = prompt.ask({ text: 'Content: ', isText: true });
  stdin.write('one\ntwo');
  await new Promise((done) => setTimeout(done, 100));
  stdin.write('\u0003');
  await expect(left).rejects.toMatchObject({ code: 'cancelled' });
});

it.each([
  ['while it waits', 0],
  ['before it is asked', 1],
])('a question ends with the signal that came %s, for its reason', async (_, before) => {
  const { prompt, stop } = given();
  const reason = new BlogctlError('terminated', 'Terminated.');
  if (before === 1) stop.abort(reason);
  const asked = prompt.ask({ text: 'Title: ' });
  if (before === 0) setTimeout(() => stop.abort(reason), 20);
  await expect(asked).rejects.toBe(reason);
});

it('the end of what is typed is a no to all of it', async () => {
  const { prompt, stdin } = given();
  const asked = prompt.ask({ text: 'Title: ' });
  stdin.end();
  await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
});

it.each([
  ['Ctrl-C', '\u0003'],
  ['Ctrl-D', '\u0004'],
])('%s ends the line of the question, before what is said of it', async (_, key) => {
  const { prompt, stdin, stderr } = given();
  const asked = prompt.ask({ text: 'Delete? ' });
  await new Promise((done) => setTimeout(done, 20));
  stdin.write(key);
  await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
  expect(String(stderr.read(stderr.readableLength))).toMatch(/^Delete\? [^\n]*\n$/);
});
