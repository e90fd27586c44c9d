import * as z from 'zod/mini';
import { Refusal } from '../errors.ts';

/** What a client sends as an article; absent content on PUT removes it (decisions 28, 29). */
export type ArticleInput = { readonly title: string; readonly content?: string };

type Flaw = { readonly pointer: string; readonly detail: string };

const mostTitleCharacters = 1000;

/** Neither blank nor made of marks that print nothing. */
const visible = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const wholeText = z.string('must be a string').check(
  z.refine((text) => !/\p{Surrogate}/u.test(text), {
    error: 'holds half a surrogate pair, which is no character',
  }),
);

const title = wholeText.check(
  z.refine((text) => visible.test(text), { error: 'needs at least one visible character' }),
  z.refine(
    (text) => text.length <= mostTitleCharacters || Array.from(text).length <= mostTitleCharacters,
    { error: `has more than ${mostTitleCharacters} characters` },
  ),
);

/** What the checks above mean in JSON Schema, which counts characters as they do. */
title.register(z.globalRegistry, { minLength: 1, maxLength: mostTitleCharacters });

/** Clients send back what they read: what the service itself adds is taken and ignored. */
const ignored = {
  id: z.optional(z.unknown()),
  _links: z.optional(z.unknown()),
  _embedded: z.optional(z.unknown()),
};

/** Body of POST (interface, Endpoints, rule 12). */
export const newArticle = z.strictObject({ title, content: wholeText, ...ignored });

/** Body of PUT (interface, Endpoints, rules 3, 4 and 15). */
export const replacingArticle = z.strictObject({
  title,
  content: z.optional(wholeText),
  ...ignored,
});

/** Reads a body by its schema; 422 names every flaw with its JSON pointer. */
export function readArticle(
  schema: typeof newArticle | typeof replacingArticle,
  body: unknown,
): ArticleInput {
  const read = schema.safeParse(body);
  if (!read.success) {
    throw unprocessable(read.error.issues.flatMap((issue) => describe(issue, body)));
  }
  const { title: sentTitle, content } = read.data;
  return content === undefined ? { title: sentTitle } : { title: sentTitle, content };
}

/** An answer many times as long as its request would be a weapon: enough are named. */
const mostFlaws = 20;

function unprocessable(flaws: readonly Flaw[]): Refusal {
  const errors = flaws.slice(0, mostFlaws);
  const named = errors.map(({ pointer, detail }) => `${pointer || 'The body'} ${detail}`);
  const more = flaws.length > mostFlaws ? `; and ${flaws.length - mostFlaws} more` : '';
  return new Refusal('unprocessable', `${named.join('; ')}${more}.`, { errors });
}

function describe(issue: z.core.$ZodIssue, body: unknown): Flaw[] {
  if (issue.code === 'unrecognized_keys') return issue.keys.map(unknownMember);
  const [member] = issue.path;
  if (member === undefined) return [{ pointer: '', detail: 'must be an object' }];
  const isMissing = !Object.hasOwn(Object(body), member);
  return [{ pointer: `/${String(member)}`, detail: isMissing ? 'is missing' : issue.message }];
}

function unknownMember(name: string): Flaw {
  const pointer = `/${name.slice(0, 100).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return { pointer, detail: 'is not a member of an article' };
}

export type InputName = 'NewArticle' | 'ReplacingArticle';

/** The bodies of POST and PUT as JSON Schema, from the schemas that read them. */
export function inputSchemas(): Readonly<Record<InputName, z.core.JSONSchema.BaseSchema>> {
  return {
    NewArticle: z.toJSONSchema(newArticle, { io: 'input' }),
    ReplacingArticle: z.toJSONSchema(replacingArticle, { io: 'input' }),
  };
}
