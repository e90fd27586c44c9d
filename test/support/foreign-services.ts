import type { Liberties } from './other-service.ts';

const busy = { status: 503, headers: { 'retry-after': '0' } };
/** Sent again at once, that is. */
export const tooMany = { status: 429, headers: { 'retry-after': '0' } };

/** Services that keep to the interface in ways of their own: what each does, after "a service that". */
export const foreignServices: readonly (readonly [string, Liberties])[] = [
  ['takes no liberties', {}],
  ['writes _links and an object _embedded', { plainHal: true }],
  ['names no versions', { noValidators: true }],
  ['holds pages down to two articles', { pageCap: 2 }],
  ['leaves nextPage out', { noNextPage: true, pageCap: 2 }],
  ['writes a body after 204', { bodyAfter204: true }],
  ['links articles to another origin', { articleOrigin: 'http://elsewhere.invalid' }],
  ['is busy at first', { first: { GET: [busy, busy], PUT: [busy], DELETE: [busy] } }],
  ['limits the rate at first', { first: { GET: [tooMany] } }],
  [
    'drops connections at first',
    { first: { GET: ['drop-before'], PUT: ['drop-after-commit'], DELETE: ['drop-after-commit'] } },
  ],
  [
    'answers everything at once',
    { plainHal: true, noValidators: true, pageCap: 1, bodyAfter204: true },
  ],
];
