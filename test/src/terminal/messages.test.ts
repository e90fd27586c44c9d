import { describe, expect, it } from 'vitest';
import { BlogctlError } from '../../../src/errors.ts';
import { render } from '../../../src/terminal/text.ts';
import { asBlogctlError, describeFailure, failureAsJson } from '../../../src/terminal/messages.ts';

const described = (error: unknown, debug = false) => render(describeFailure(error, debug), false);
const refused = new BlogctlError('unprocessable', 'Creating at http://x/: not valid', {
  status: 422,
  method: 'POST',
  url: 'http://x/',
  hint: 'Mend it.',
  details: [{ pointer: '/title', detail: 'must not be empty' }, { detail: 'and more' }],
});

describe('a failure for a person', () => {
  it('says what, where exactly, and the next step', () => {
    expect(described(refused)).toBe(
      [
        'error: Creating at http://x/: not valid (HTTP 422)',
        '  /title: must not be empty',
        '  and more',
        'hint: Mend it.',
        '',
      ].join('\n'),
    );
  });

  it('names causes that it does not say itself, once', () => {
    const inner = new Error('connect ECONNREFUSED');
    const cause = new Error('fetch failed', { cause: new Error('No answer.', { cause: inner }) });
    const error = new BlogctlError('unreachable', 'No answer.', { cause });
    expect(described(error)).toBe(
      'error: No answer.\ncause: fetch failed\ncause: connect ECONNREFUSED\n',
    );
  });

  it('shows no control character of a service', () => {
    const error = new BlogctlError('bad-request', 'said \x1b[2J\u202e', { hint: 'A\nb.' });
    expect(described(error)).toBe('error: said \\x1b[2J\\u202e\nhint: A b.\n');
  });

  it('names what the system refuses, and is no bug then', () => {
    const refusal = Object.assign(new Error("EROFS: read-only file system, mkdir '/x'"), {
      code: 'EROFS',
      syscall: 'mkdir',
      path: '/x',
    });
    expect(described(refusal)).toBe(
      "error: The file system refused: EROFS: read-only file system, mkdir '/x'\nhint: Check the path, its permissions and the room on the disk.\n",
    );
    expect(asBlogctlError(refusal).exitStatus).toBe(7);
    refusal.message = "ENOENT: no such file or directory, scandir 'posts/\uFFFD'";
    expect(described(refusal)).toContain('hint: A name in the path is not UTF-8. Rename');
  });

  it('is a bug of ours where it is no BlogctlError, with the stack only on demand', () => {
    const bug = new TypeError('x is undefined');
    expect(described(bug)).toBe(
      'error: This is a bug in blogctl: TypeError: x is undefined\nhint: Run the command again with --debug and report what it prints.\n',
    );
    expect(described(bug, true)).toContain('messages.test.ts');
    bug.stack =
      'x\n    at async f (/built/at a/dist/open-1.cjs:1:2)\n    at /built/dist/main.cjs:3:4';
    const short = 'at async f (dist/open-1.cjs:1:2)\n    at dist/main.cjs:3:4\n';
    expect(described(bug, true)).toContain(short);
  });
});

it('a failure as JSON is one line with everything a script may need', () => {
  const line = failureAsJson(refused);
  expect(line.endsWith('}\n')).toBe(true);
  expect(line.trimEnd()).not.toContain('\n');
  expect(JSON.parse(line)).toEqual({
    error: {
      code: 'unprocessable',
      exitCode: 7,
      message: 'Creating at http://x/: not valid',
      status: 422,
      method: 'POST',
      url: 'http://x/',
      retryable: false,
      hint: 'Mend it.',
      details: [{ pointer: '/title', detail: 'must not be empty' }, { detail: 'and more' }],
    },
  });
});
