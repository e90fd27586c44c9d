/** Validators, the conditions that are made of them, and one that stands for nothing (RFC 9110, 8.8.3 and 5.6.7). */
export const tag = {
  name: 'ETag',
  header: 'etag',
  ofReads: 'if-none-match',
  ofChanges: 'if-match',
  form: /^(?:W\/)?"[^"]*"$/,
  other: '"blogctl-check-other"',
} as const;
export const date = {
  name: 'Last-Modified',
  header: 'last-modified',
  ofReads: 'if-modified-since',
  ofChanges: 'if-unmodified-since',
  form: /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  other: 'Thu, 01 Jan 2015 00:00:00 GMT',
} as const;

export type Validator = typeof tag | typeof date;
