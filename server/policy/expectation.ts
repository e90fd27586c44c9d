import { Refusal } from '../errors.ts';

/** The one expectation there is (RFC 9110, 10.1.1). */
const known = /^100-continue$/i;

/** A client that expects something else may wait with its body for ever, so the connection ends. */
export function checkExpectation(field: string | undefined): void {
  if (field === undefined || known.test(field)) return;
  throw new Refusal('expectation-failed', 'Only 100-continue can be expected here.', {
    headers: { Connection: 'close' },
  });
}
