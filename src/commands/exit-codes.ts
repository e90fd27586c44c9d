import { type ErrorCode, exitStatusOf } from '../errors.ts';

type ExitStatus = 0 | (typeof exitStatusOf)[ErrorCode];

/** What each exit status means; none can be missing. */
const meanings: Readonly<Record<ExitStatus, string>> = {
  0: 'done',
  1: 'a bug in blogctl',
  2: 'the command line is wrong',
  3: 'no token, or one without the right (401, 403)',
  4: 'cancelled at a question',
  5: 'not found, or deleted before (404, 410)',
  6: 'a conflict: changed meanwhile, in use or locked (409, 412, 423, 424)',
  7: 'the input is not valid (400, 406, 422) or a file cannot be used',
  8: 'too many requests, also after waiting (429)',
  9: 'no answer, a failing service (5xx), or not a blog',
  10: 'done in part: what failed is told',
  11: 'there are differences, or a rule of the interface is broken',
  130: 'interrupted (Ctrl-C)',
  143: 'terminated',
};

export type ExitCode = {
  readonly status: number;
  readonly meaning: string;
  /** The `code` members of JSON errors that end with this status. */
  readonly codes: readonly string[];
};

export function exitCodes(): readonly ExitCode[] {
  const codes = Object.entries(exitStatusOf);
  return Object.entries(meanings).map(([status, meaning]) => ({
    status: Number(status),
    meaning,
    codes: codes.flatMap(([code, ends]) => (ends === Number(status) ? [code] : [])),
  }));
}
