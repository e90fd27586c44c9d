import type { Writes } from '../articles/writes.ts';
import type { Request, Response } from '../http/message.ts';
import type { Presenter } from '../representations/presenter.ts';
import type { Blog, Store } from '../store/store.ts';
import type { Right } from '../store/tokens.ts';

/** One row of the endpoint table. */
export type Route = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Template of the whole path; a variable that ends in `_id` stands for an id. */
  readonly path: string;
  /** What can be answered, the favourite first. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** The right its token must grant; without it no token is needed. */
  readonly right?: Right;
  readonly takesBody?: true;
  /** The target, its preconditions, the body's meaning and the change itself. */
  answer(call: Call): Promise<Response>;
};

/** A request that passed every check that needs no resource. */
export type Call = {
  readonly request: Request;
  readonly baseUrl: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The one of the route's media types the client likes best. */
  readonly mediaType: string;
  readonly store: Store;
  readonly writes: Writes;
  readonly rules: Rules;
  /** The blog the path names, and how it is shown to this client; 404 without it. */
  blog(): Promise<BlogInView>;
};

export type BlogInView = { readonly blog: Blog; readonly present: Presenter };

/** What the operator of the service decided. */
export type Rules = {
  /** Articles on one page (decisions 8). */
  readonly maxPageSize: number;
  /** Decisions 30. */
  readonly maxBodyBytes: number;
  /** Nothing can be changed (decisions 33). */
  readonly readOnly: boolean;
  /** PUT and DELETE must say which version they are for (decisions 18). */
  readonly requirePreconditions: boolean;
};

export function idIn(call: Pick<Call, 'variables'>, name: 'blog_id' | 'article_id'): number {
  return Number(call.variables[name]);
}
