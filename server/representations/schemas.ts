/** What bodies look like, as JSON Schema (2020-12); names as in interface, Resources. */
type JsonSchema = { readonly [keyword: string]: unknown };

const text = { type: 'string' };
const count = { type: 'integer', minimum: 0 };
const ordinal = { type: 'integer', minimum: 1 };

function exactly(properties: JsonSchema, ...optional: readonly string[]): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, required, additionalProperties: false };
}

function named(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

const address = { type: 'string', format: 'uri' };
const template = { type: 'string', description: 'A URI template (RFC 6570).' };
const link = exactly({ href: address });
/** Relative where the request did not tell where this is. */
const problemType = { type: 'string', format: 'uri-reference' };
/** Read by policy/article-input. */
const input = {
  title: { ...text, minLength: 1, maxLength: 1000 },
  content: text,
  id: {},
  _links: {},
  _embedded: {},
};
const titledLink = exactly({ href: address, title: text });
const templatedLink = exactly({ href: template, templated: { const: true } });

export const schemas = {
  Curies: {
    type: 'array',
    items: exactly({ name: text, href: template, templated: { type: 'boolean' } }),
  },
  Blog: exactly({
    id: ordinal,
    title: text,
    description: text,
    _links: exactly({ curies: named('Curies'), self: link, 'doc:articles': templatedLink }),
  }),
  Article: exactly(
    {
      id: ordinal,
      title: text,
      content: { ...text, description: 'Absent where a PUT removed it.' },
      _links: exactly({
        curies: named('Curies'),
        self: link,
        'doc:blog': titledLink,
        'doc:comments': templatedLink,
      }),
    },
    'content',
  ),
  ArticlePage: exactly({
    pageIndex: ordinal,
    pageSize: ordinal,
    totalPages: count,
    totalArticles: count,
    _link: exactly(
      { firstPage: link, previousPage: link, self: link, nextPage: link, lastPage: link },
      'previousPage',
      'nextPage',
    ),
    _embedded: { type: 'array', items: named('Article') },
  }),
  NewArticle: exactly(input, 'id', '_links', '_embedded'),
  ReplacingArticle: exactly(input, 'content', 'id', '_links', '_embedded'),
  DeletionResult: exactly({
    _links: exactly({ curies: named('Curies'), 'doc:blog': titledLink }),
  }),
  Problem: exactly(
    {
      type: problemType,
      title: text,
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: text,
      code: { ...text, description: 'Stable; meant for programs.' },
      errors: { type: 'array', items: exactly({ pointer: text, detail: text }) },
      _links: exactly(
        {
          curies: named('Curies'),
          'doc:blog': titledLink,
          related: link,
          'doc:help': exactly({ href: problemType }),
        },
        'doc:blog',
        'related',
      ),
    },
    'errors',
  ),
} as const satisfies Record<string, JsonSchema>;

export type SchemaName = keyof typeof schemas;
