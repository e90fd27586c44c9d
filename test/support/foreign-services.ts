import type { Manners } from './other-service.ts';

const busy = { status: 503, headers: { 'retry-after': '0' } };
/** Sent again at once, that is. */
export const tooMany = { status: 429, headers: { 'retry-after': '0' } };

/**
 * Services that keep to the interface in ways of their own, or fall short of it: what each does, after
 * "a service that", and which sentences it breaks by that.
 */
export const foreignServices: readonly (readonly [string, Manners, readonly string[]])[] = [
  ['takes no liberties', {}, []],
  ['names no versions', { noValidators: true }, []],
  ['holds pages down to two articles', { pageCap: 2 }, []],
  ['writes a body after 204', { bodyAfter204: true }, []],
  ['looks before it asks for a token', { looksBeforeItAsks: true }, []],
  ['is busy at first', { first: { GET: [busy, busy], PUT: [busy], DELETE: [busy] } }, []],
  ['limits the rate at first', { first: { GET: [tooMany] } }, []],
  [
    'drops connections at first',
    { first: { GET: ['drop-before'], PUT: ['drop-after-commit'], DELETE: ['drop-after-commit'] } },
    [],
  ],
  ['names its paths itself', { ownPaths: true }, ['1.7', '9.1']],
  ['writes _links and an object _embedded', { plainHal: true }, ['2.19', '2.20']],
  ['leaves nextPage out', { noNextPage: true, pageCap: 2 }, ['2.24']],
  ['links articles to another origin', { articleOrigin: 'http://elsewhere.invalid' }, ['2.11']],
  [
    'answers everything at once',
    { ownPaths: true, plainHal: true, noValidators: true, pageCap: 1, bodyAfter204: true },
    ['1.7', '2.19', '2.20', '9.1'],
  ],
];
