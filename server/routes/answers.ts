import { noBody } from '../http/message.ts';
import type { Headers, Response } from '../http/message.ts';
import { httpDate } from '../policy/http-date.ts';
import { isCurrentCopy } from '../policy/preconditions.ts';
import { preferredReturn } from '../policy/preferences.ts';
import { wholeArticle } from '../representations/article.ts';
import type { Presenter } from '../representations/presenter.ts';
import { isWhole } from '../representations/representation.ts';
import type { Representation } from '../representations/representation.ts';
import type { Article } from '../store/store.ts';

/** 200 with bytes made before, or 304 where the reader has them (api.md, Endpoints, rules 8, 9). */
export function answerRead(headers: Headers, shown: Representation): Response {
  if (!isCurrentCopy(headers, shown)) {
    return { status: 200, headers: shown.headers, body: shown.body };
  }
  const { 'Content-Type': _type, 'Content-Length': _length, ...kept } = shown.headers;
  return { status: 304, headers: kept, body: noBody };
}

export type Change = {
  readonly article: Article;
  readonly present: Presenter;
  /** The status with a representation, and the one without (decisions 39). */
  readonly status: 200 | 201;
  readonly statusWithoutBody: 201 | 204;
  readonly headers?: Readonly<Record<string, string>>;
};

/**
 * What a changed article now looks like, made only where it is wanted; no cache may keep an answer
 * to a write (decisions 22).
 */
export function answerChange(headers: Headers, change: Change): Response {
  const preferred = preferredReturn(headers['prefer']);
  const applied = preferred && { 'Preference-Applied': `return=${preferred}` };
  const minimal = preferred === 'minimal';
  const { status, headers: own, body } = minimal ? withoutBody(change) : withBody(change);
  return { status, headers: Object.assign(own, change.headers, applied), body };
}

function withBody({ present, article, status }: Change) {
  const { headers, body: shown } = present.article(article);
  const body = isWhole(shown) ? shown : wholeArticle(article, present.viewpoint);
  const { 'Content-Type': type = '', 'Content-Length': length = '' } = headers;
  const own = { 'Content-Type': type, 'Content-Length': length };
  return { status, headers: Object.assign(own, versionFields(present, article)), body };
}

function withoutBody({ present, article, statusWithoutBody: status }: Change) {
  const length = status === 204 ? undefined : { 'Content-Length': '0' };
  return { status, headers: Object.assign(versionFields(present, article), length), body: noBody };
}

function versionFields(present: Presenter, { tag, updatedAt }: Article): Record<string, string> {
  return {
    ETag: present.etag(tag),
    'Last-Modified': httpDate(updatedAt),
    'Cache-Control': 'no-store',
  };
}
