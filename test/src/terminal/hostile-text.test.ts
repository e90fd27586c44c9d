import { describe, expect, it } from 'vitest';
import { BlogctlError } from '../../../src/errors.ts';
import { createMessages } from '../../../src/terminal/messages.ts';
import { createTerminal } from '../../../src/terminal/terminal.ts';
import { givenHost } from '../../support/host.ts';
import { harmIn, hostile } from '../../support/hostile-words.ts';

describe.each(Object.entries(hostile))('a text that %s', (_, text) => {
  const given = () => {
    const host = givenHost([], { terminal: 80, env: { FORCE_COLOR: '1' } });
    return { host, flags: () => ({}), signal: () => new AbortController().signal };
  };

  it('is harmless in whatever is said to a person', async () => {
    const { host, flags } = given();
    const messages = createMessages(host, flags);
    await messages.notice(text);
    await messages.notice({ tone: 'red', text });
    await messages.warn(text);
    await messages.fail(
      new BlogctlError('conflict', text, {
        hint: `Hint ${text}.`,
        details: [{ detail: text, pointer: text }],
        cause: new Error(text),
      }),
    );
    await messages.fail(new TypeError(text));
    messages.progressLine(text);
    messages.draw(text);
    expect(harmIn(host.err())).toEqual([]);
  });

  it('is harmless in the log of requests, in help and in the answer on a screen', async () => {
    const { host, flags, signal } = given();
    const terminal = createTerminal(host, flags, signal);
    await terminal.trace(text);
    await terminal.insist(text);
    await terminal.write(text);
    await terminal.write(Buffer.from(text));
    await terminal.write([{ tone: 'bold', text }, text]);
    await terminal.show({ one: { text }, columns: ['text'], human: () => text });
    await terminal.show({ many: [{ text }], columns: ['text'], text: () => text });
    expect(harmIn('', host.out() + host.err())).toEqual([]);
  });

  it('goes into a pipe to the byte', async () => {
    const host = givenHost([]);
    const terminal = createTerminal(
      host,
      () => ({}),
      () => new AbortController().signal,
    );
    await terminal.write(text);
    await terminal.write(Buffer.from(text));
    expect(host.out()).toBe(text + text);
  });
});
