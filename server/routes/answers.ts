import { noBody } from '../http/message.ts';
import type { Headers, Response } from '../http/message.ts';
import { isCurrentCopy } from '../policy/preconditions.ts';
import { preferredReturn } from '../policy/preferences.ts';
import type { Representation } from '../representations/representation.ts';

/** 200 with bytes made before, or 304 where the reader has them (api.md, Endpoints, rules 8, 9). */
export function answerRead(headers: Headers, shown: Representation): Response {
  if (!isCurrentCopy(headers, shown)) {
    return { status: 200, headers: shown.headers, body: shown.body };
  }
  const { 'Content-Type': _type, 'Content-Length': _length, ...kept } = shown.headers;
  return { status: 304, headers: kept, body: noBody };
}

export type Change = {
  /** The status with a representation, and the one without (decisions 39). */
  readonly status: 200 | 201;
  readonly statusWithoutBody: 201 | 204;
  readonly headers?: Readonly<Record<string, string>>;
};

/** What a changed article now looks like; no cache may keep an answer to a write (decisions 22). */
export function answerChange(headers: Headers, shown: Representation, change: Change): Response {
  const { ETag = '', 'Last-Modified': lastModified = '' } = shown.headers;
  const always = {
    ETag,
    'Last-Modified': lastModified,
    'Cache-Control': 'no-store',
    ...change.headers,
  };
  const preferred = preferredReturn(headers['prefer']);
  const applied = preferred === undefined ? {} : { 'Preference-Applied': `return=${preferred}` };
  if (preferred === 'minimal') return withoutBody(change, { ...always, ...applied });
  const { 'Content-Type': type = '', 'Content-Length': length = '' } = shown.headers;
  const own = { 'Content-Type': type, 'Content-Length': length, ...always, ...applied };
  return { status: change.status, headers: own, body: shown.body };
}

function withoutBody(
  { statusWithoutBody: status }: Change,
  headers: Readonly<Record<string, string>>,
): Response {
  const length = status === 204 ? {} : { 'Content-Length': '0' };
  return { status, headers: { ...headers, ...length }, body: noBody };
}
