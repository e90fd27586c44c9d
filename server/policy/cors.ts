type Headers = Readonly<Record<string, string | undefined>>;

const readable =
  'ETag, Location, Link, Last-Modified, Retry-After, Preference-Applied, X-Request-Id';
const more = 'Accept-Idempotency, Idempotency-Replayed, Link-Template, Allow';
const sendable =
  'Accept, Content-Type, X-Access-Token, If-Match, If-None-Match, If-Modified-Since, ' +
  'If-Unmodified-Since, Idempotency-Key, Prefer, X-Request-Id';

/**
 * What lets the pages of listed origins use the service from a browser (decisions 25). Credentials
 * are never allowed: a token is sent by the page that has it, not by the browser.
 */
export function corsHeaders(
  origins: readonly string[],
  headers: Headers,
): Readonly<Record<string, string>> {
  const { origin } = headers;
  if (origin === undefined || !origins.includes(origin)) return { Vary: 'Accept, Origin' };
  const allowed = {
    Vary: 'Accept, Origin',
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': `${readable}, ${more}`,
  };
  return headers['access-control-request-method'] === undefined
    ? allowed
    : { ...allowed, ...preflight };
}

const preflight = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, DELETE',
  'Access-Control-Allow-Headers': sendable,
  'Access-Control-Max-Age': '600',
};
