import { BlogctlError, type ErrorContext } from '../errors.ts';
import type { HttpRequest } from './transport.ts';

type Diagnosis = { readonly what: string; readonly hint: string; readonly retryable: boolean };

/** Why there was no answer, in words that lead to the next step; the socket's words are the cause. */
export function noAnswer(request: HttpRequest, cause: unknown, timeoutMs: number): BlogctlError {
  const { host } = new URL(request.url);
  const { what, hint: advice, retryable } = diagnose(codeOf(cause), host, timeoutMs);
  const isUnclear = request.method === 'POST' && codeOf(cause) !== 'ECONNREFUSED' && retryable;
  const hint = isUnclear ? lookFirst : advice;
  const context: ErrorContext = {
    method: request.method,
    url: request.url,
    retryable,
    hint,
    cause,
  };
  return new BlogctlError('unreachable', what, context);
}

const lookFirst = 'it may have been created all the same: look with blogctl articles list';

function diagnose(code: string, host: string, timeoutMs: number): Diagnosis {
  if (code === 'ECONNREFUSED') {
    return again(
      `Nothing listens at ${host}.`,
      'start the service, or check the address of the blog',
    );
  }
  if (code === 'ENOTFOUND') {
    return final(`There is no host called ${host}.`, 'check the address of the blog');
  }
  if (code === 'EAI_AGAIN') {
    return again(`The name ${host} cannot be looked up now.`, 'check the network connection');
  }
  if (timeouts.has(code)) {
    return again(
      `No answer from ${host} within ${timeoutMs / 1000} s.`,
      'try again, or allow more time with --timeout 2m',
    );
  }
  if (certificateTrouble.has(code)) {
    return final(
      `The certificate of ${host} is not trusted.`,
      'point NODE_EXTRA_CA_CERTS to the file of the authority that signed it',
    );
  }
  if (code.startsWith('ERR_TLS') || code.startsWith('ERR_SSL') || code === 'EPROTO') {
    return final(
      `No secure connection to ${host}.`,
      'check whether the address is http:// or https://',
    );
  }
  if (code === 'HTTPParserError' || code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') {
    return again(
      `What ${host} sent is not a whole HTTP answer.`,
      'check the address of the blog, and what stands between',
    );
  }
  return again(`No answer from ${host}.`, 'check the network and the address of the blog');
}

const timeouts = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

const certificateTrouble = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

function again(what: string, hint: string): Diagnosis {
  return { what, hint, retryable: true };
}

function final(what: string, hint: string): Diagnosis {
  return { what, hint, retryable: false };
}

/** The code of the failure or of the first reason beneath it (undici wraps, happy eyeballs collects). */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  // undici gives most of its parser's failures no code.
  if (error.name === 'HTTPParserError') return error.name;
  if ('code' in error && typeof error.code === 'string') return error.code;
  const beneath: unknown = error instanceof AggregateError ? error.errors[0] : error.cause;
  return codeOf(beneath);
}
