import { isNativeError } from 'node:util/types';

/** Whether an error of the platform carries one of these codes (`ENOENT`, `ENOSPC` …). */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    isNativeError(error) &&
    'code' in error &&
    typeof error.code === 'string' &&
    codes.includes(error.code)
  );
}
