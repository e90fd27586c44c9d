import { describe, expect, it } from 'vitest';
import {
  clientOf,
  createTrust,
  originOf,
  parseNetwork,
  resolveTarget,
} from '../../../server/policy/target-uri.ts';

const proxy = { address: '10.0.0.1', isTrusted: true };

describe('what a proxy says', () => {
  it.each([
    [{ forwarded: 'for=192.0.2.7' }, '192.0.2.7'],
    [{ forwarded: 'for=192.0.2.7:4711' }, '192.0.2.7'],
    [{ forwarded: 'For="[2001:db8::7]:4711"' }, '2001:db8::7'],
    [{ forwarded: 'for=6.6.6.6, for=192.0.2.7;proto=https' }, '192.0.2.7'],
    [{ 'x-forwarded-for': '6.6.6.6, 192.0.2.7' }, '192.0.2.7'],
    [{ 'x-forwarded-for': '2001:db8::7' }, '2001:db8::7'],
    [{ forwarded: 'for=unknown' }, '10.0.0.1'],
    [{ forwarded: 'for=_hidden' }, '10.0.0.1'],
    [{ forwarded: '' }, '10.0.0.1'],
  ])('%o comes from %s', (headers, address) => {
    expect(originOf(proxy, headers).address).toBe(address);
    expect(originOf({ ...proxy, isTrusted: false }, headers).address).toBe('10.0.0.1');
  });
});

describe('Forwarded beside X-Forwarded-*', () => {
  it.each([
    { forwarded: 'for=192.0.2.7', 'x-forwarded-for': '6.6.6.6' },
    { forwarded: 'for=192.0.2.7;proto=https', 'x-forwarded-proto': 'http' },
    { forwarded: 'host=evil.example', 'x-forwarded-host': 'blog.example' },
  ])('%o is refused, because a stranger may have sent one of them', (headers) => {
    expect(() => originOf(proxy, headers)).toThrow('do not say the same');
    expect(originOf({ ...proxy, isTrusted: false }, headers).address).toBe('10.0.0.1');
  });

  it('is believed where both say the same, however they spell it', () => {
    const forwarded = 'for="[2001:db8::7]:4711";proto=HTTPS;host=Blog.example';
    const legacy = { 'x-forwarded-for': '2001:db8::7', 'x-forwarded-host': 'blog.example' };
    expect(originOf(proxy, { forwarded, ...legacy })).toMatchObject({
      address: '2001:db8::7',
      scheme: 'https',
    });
  });
});

describe('what links begin with', () => {
  it.each([
    ['blog.example:80', 'http', 'http://blog.example'],
    ['blog.example:443', 'http', 'http://blog.example:443'],
    ['blog.example:443', 'https', 'https://blog.example'],
    ['blog.example:80', 'https', 'https://blog.example:80'],
  ])('has no port where %s is the usual one of %s', (host, scheme, baseUrl) => {
    const rules = { hosts: { loopback: false, allowed: [] }, trusts: () => true };
    const headers = { host, 'x-forwarded-proto': scheme };
    const direct = resolveTarget({ headers, authority: undefined, peer: '10.0.0.1' }, rules);
    expect(direct.baseUrl).toBe(baseUrl);
    const forwarded = { ...headers, host: 'inner', 'x-forwarded-host': host };
    const proxied = { headers: forwarded, authority: undefined, peer: '10.0.0.1' };
    expect(resolveTarget(proxied, rules).baseUrl).toBe(baseUrl);
  });
});

describe('a client', () => {
  it.each([
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0:0:ffff::7', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%lo', 'fe80:0:0:0::/64'],
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
    ['', ''],
  ])('%s counts as %s', (address, expected) => {
    expect(clientOf(address)).toBe(expected);
  });
});

describe('a network', () => {
  it.each([
    ['10.0.0.0/8', '10.255.1.2', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.2', false],
    ['::1', '::1', true],
    ['2001:db8::/32', '2001:db8:1::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['127.0.0.0/8', '::ffff:127.0.0.1', true],
    ['127.0.0.0/8', '', false],
  ])('%s has %s: %s', (text, address, expected) => {
    const network = parseNetwork(text);
    expect(createTrust(network === undefined ? [] : [network])(address)).toBe(expected);
  });

  it.each(['', '10.0.0.0/33', '10.0.0/8', '::1/129', '10.0.0.0/8/8', '10.0.0.0/', 'localhost'])(
    '%j is none',
    (text) => expect(parseNetwork(text)).toBeUndefined(),
  );
});
