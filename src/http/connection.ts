import { type OriginPolicy, withOriginPolicy, withRedirects } from './origin-policy.ts';
import type { Transport } from './transport.ts';
import { type RetryOptions, withRetry } from './with-retry.ts';
import { type Credential, withToken } from './with-token.ts';
import { withTrace } from './with-trace.ts';

export type ConnectionOptions = {
  readonly credential?: Credential | undefined;
  readonly origins: OriginPolicy;
  readonly retry: RetryOptions;
  /** How much of the exchange is told, and to whom; 0 is nothing. */
  readonly trace: { readonly level: number; readonly write: (line: string) => void };
};

/**
 * A transport with everything the command wants of one. The token is added beneath redirects and
 * repetitions, so that each request is asked anew where it goes, and so is whether it may go there;
 * the trace sees what is sent.
 */
export function createConnection(send: Transport, options: ConnectionOptions): Transport {
  const { credential, origins, retry, trace } = options;
  const traced = trace.level > 0 ? withTrace(send, trace) : send;
  const trusted = credential === undefined ? traced : withToken(traced, credential);
  const followed = withRedirects(withOriginPolicy(trusted, origins), origins);
  return retry.retries > 0 ? withRetry(followed, retry) : followed;
}
