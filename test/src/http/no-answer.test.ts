import { expect, it } from 'vitest';
import { type HttpRequest, kindOf, noAnswer } from '../../../src/http/transport.ts';

const request = { method: 'GET', url: 'https://blog.test/x', headers: {} };

const answerless = (asked: HttpRequest, cause: Error) =>
  noAnswer(asked, { kind: kindOf(cause), cause, timeoutMs: 30_000 });

function failure(code: string): Error {
  return Object.assign(new Error(`socket says ${code}`), { code });
}

it.each([
  ['ECONNREFUSED', 'Nothing listens at blog.test.', 'Start the service', true],
  ['ENOTFOUND', 'There is no host called blog.test.', 'Check the address', false],
  ['EAI_AGAIN', 'The name blog.test cannot be looked up now.', 'Check the network', true],
  ['UND_ERR_CONNECT_TIMEOUT', 'No answer from blog.test within 30 s.', '--timeout', true],
  [
    'SELF_SIGNED_CERT_IN_CHAIN',
    'The certificate of blog.test is not trusted.',
    'NODE_EXTRA_CA_CERTS',
    false,
  ],
  [
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'The certificate of blog.test is not trusted.',
    'NODE_EXTRA_CA_CERTS',
    false,
  ],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'The certificate of blog.test is not trusted.',
    'NODE_EXTRA_CA_CERTS',
    false,
  ],
  ['CERT_HAS_EXPIRED', 'The certificate of blog.test is not valid now.', 'clock', false],
  ['CERT_NOT_YET_VALID', 'The certificate of blog.test is not valid now.', 'clock', false],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'The certificate of blog.test is for another host.',
    'Check the address',
    false,
  ],
  [
    'ERR_SSL_WRONG_VERSION_NUMBER',
    'No secure connection to blog.test.',
    'http:// or https://',
    false,
  ],
  ['ECONNRESET', 'No answer from blog.test.', 'Check the network', true],
  ['UND_ERR_SOCKET', 'No answer from blog.test.', 'Check the network', true],
])('%s: %s', (code, message, hint, retryable) => {
  const error = answerless(request, failure(code));
  expect(error).toMatchObject({ code: 'unreachable', message, context: { retryable } });
  expect(error.hint).toContain(hint);
  expect(error.cause).toMatchObject({ message: `socket says ${code}` });
});

it('finds the reason beneath what wraps it', () => {
  const wrapped = new AggregateError([failure('ECONNREFUSED'), failure('ECONNREFUSED')], '');
  const error = answerless(request, new Error('connect failed', { cause: wrapped }));
  expect(error.message).toBe('Nothing listens at blog.test.');
});

it.each([
  ['PUT', 'may have been done'],
  ['DELETE', 'may have been done'],
  ['POST', 'may have been created'],
])('says of a %s whose answer was lost that it may have been carried out', (method, hint) => {
  const change = { ...request, method };
  const lost = answerless(change, failure('ECONNRESET'));
  expect(lost).toMatchObject({ hint: expect.stringContaining(hint), context: { maybeDone: true } });
});

it.each([
  failure('EAI_AGAIN'),
  failure('UND_ERR_CONNECT_TIMEOUT'),
  Object.assign(failure('ENETUNREACH'), { syscall: 'connect' }),
])('of a change that was never sent says nothing of the kind: %s', (cause) => {
  const unsent = answerless({ ...request, method: 'POST' }, cause);
  expect(unsent).toMatchObject({
    hint: expect.not.stringContaining('may have'),
    context: { maybeDone: false },
  });
});

it('says of a creation that it may have been carried out', () => {
  const post = { ...request, method: 'POST' };
  expect(answerless(post, failure('ECONNRESET')).hint).toContain('may have been created');
  expect(answerless(post, failure('ECONNREFUSED')).hint).not.toContain('may have been created');
});
