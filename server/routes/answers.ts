import { noBody, type Response } from '../http/message.ts';
import { httpDate } from '../policy/http-date.ts';
import { isCurrentCopy } from '../policy/preconditions.ts';
import { preferredReturn } from '../policy/negotiation.ts';
import { type Serializer, wholeArticle } from '../representations/serializer.ts';
import { isWhole, type Representation } from '../representations/representation.ts';
import type { Article } from '../store/store.ts';
import type { Call } from './route.ts';

type Asked = Pick<Call, 'request' | 'now'>;

/** 200 with bytes made before, or 304 where the reader has them (interface, Endpoints, rules 8 and 9). */
export function answerRead({ request, now }: Asked, shown: Representation): Response {
  const headers =
    shown.changedAt <= now ? shown.headers : { ...shown.headers, ...lastModified(now) };
  if (!isCurrentCopy(request.headers, shown)) return { status: 200, headers, body: shown.body };
  const { 'Content-Type': _type, 'Content-Length': _length, ...kept } = headers;
  return { status: 304, headers: kept, body: noBody };
}

/** A clock that once ran ahead left dates in the future: now is sent instead (RFC 9110, 8.8.2.1). */
function lastModified(now: number): { 'Last-Modified': string } {
  return { 'Last-Modified': httpDate(now) };
}

type Change = {
  readonly article: Article;
  readonly present: Serializer;
  /** The status with a representation, and the one without (decisions 39). */
  readonly status: 200 | 201;
  readonly statusWithoutBody: 201 | 204;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * What a changed article now looks like, made only where it is wanted; no cache may keep an answer
 * to a write (decisions 22).
 */
export function answerChange({ request, now }: Asked, change: Change): Response {
  const preferred = preferredReturn(request.headers['prefer']);
  const applied = preferred && { 'Preference-Applied': `return=${preferred}` };
  const minimal = preferred === 'minimal';
  const { status, headers: own, body } = minimal ? withoutBody(change, now) : withBody(change, now);
  return { status, headers: Object.assign(own, change.headers, applied), body };
}

function withBody({ present, article, status }: Change, now: number) {
  const { headers, body: shown } = present.article(article);
  const body = isWhole(shown) ? shown : wholeArticle(article, present.context);
  const { 'Content-Type': type = '', 'Content-Length': length = '' } = headers;
  const own = { 'Content-Type': type, 'Content-Length': length };
  return { status, headers: Object.assign(own, versionFields(present, article, now)), body };
}

function withoutBody({ present, article, statusWithoutBody: status }: Change, now: number) {
  const length = status === 204 ? undefined : { 'Content-Length': '0' };
  return {
    status,
    headers: Object.assign(versionFields(present, article, now), length),
    body: noBody,
  };
}

function versionFields(
  present: Serializer,
  { tag, updatedAt }: Article,
  now: number,
): Record<string, string> {
  return {
    ETag: present.etag(tag),
    ...lastModified(Math.min(updatedAt, now)),
    'Cache-Control': 'no-store',
  };
}
