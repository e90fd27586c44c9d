import { isNativeError } from 'node:util/types';
import type { ServeOptions, StoreHeld, UnusableStore } from '../server/index.ts';
import { BlogctlError, type ErrorCode, type Hint } from './errors.ts';

export function unusable({ code, message, hint, cause }: UnusableStore): BlogctlError {
  const kind = kindOf[code] ?? 'unusable-store';
  return new BlogctlError(kind, message, { hint, cause });
}

const kindOf: Partial<Record<UnusableStore['code'], ErrorCode>> = {
  missing: 'not-found',
  denied: 'authentication-required',
  unreachable: 'unreachable',
};

export function held(file: string, { holder }: StoreHeld): BlogctlError {
  const who =
    holder === undefined
      ? 'another process, which does not say who it is'
      : `process ${holder.pid} on ${holder.host} since ${holder.since}`;
  const state = holder?.isSilent === true ? ', which does not answer' : '';
  return new BlogctlError('locked', `${file} is in use by ${who}${state}.`, {
    hint: whatToDoWith(holder),
    retryable: true,
  });
}

function whatToDoWith(holder: StoreHeld['holder']): Hint {
  if (holder?.isSilent === true) {
    return `It may be stopped: let it go on with kill -CONT ${holder.pid}, or end it.`;
  }
  return holder?.url === undefined
    ? 'Wait until that process is done, or use another file.'
    : `It is served at ${holder.url} already: use that address, end that process, or use another file.`;
}

export function cannotListen(
  error: unknown,
  { host, port }: Pick<ServeOptions, 'host' | 'port'>,
): BlogctlError | undefined {
  if (!(isNativeError(error) && 'syscall' in error && 'code' in error)) return undefined;
  const { code, syscall } = error;
  const place = `${host}, port ${port}`;
  if (code === 'EADDRINUSE') {
    return new BlogctlError('conflict', `Something listens at ${place} already.`, {
      hint: 'Choose another with --port, or let --port 0 pick a free one.',
      cause: error,
    });
  }
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  return new BlogctlError('usage', `This machine does not let us listen at ${place}.`, {
    hint: 'Choose a --port from 1024 on and a --host of this machine, like 127.0.0.1.',
    cause: error,
  });
}

/** With the hint in the message: that is all a test runner shows of an error. */
export function refusedOption(
  option: string,
  error: Error & { readonly hint?: Hint | undefined },
): BlogctlError {
  const { message, hint } = error;
  const text = `${option}: ${message.replace(/\.$/, '')}. ${hint ?? ''}`.trimEnd();
  return new BlogctlError('usage', text, { hint, cause: error });
}
