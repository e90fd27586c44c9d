import { halJson } from '../representations/representation.ts';

/** One operation of the API, as the table of routes has it. */
export type Operation = {
  readonly method: string;
  readonly path: string;
  readonly needsToken: boolean;
  readonly operationId: string;
  readonly summary: string;
  readonly paged: boolean;
  readonly body?: string | undefined;
  readonly successes: Readonly<Record<number, string | undefined>>;
  readonly refusals: readonly number[];
};

type Api = {
  readonly baseUrl: string;
  readonly maxPageSize: number;
  readonly operations: readonly Operation[];
};

/** What the service does, as an OpenAPI 3.1 document. */
export function openApiDocument({ baseUrl, maxPageSize, operations }: Api): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const methods = (paths[operation.path] ??= {});
    methods[operation.method.toLowerCase()] = describe(operation, maxPageSize);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Blogs and articles',
      version: '1.2',
      description: 'Follow the links of the answers instead of building paths.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl }],
    externalDocs: { url: `${baseUrl}/docs/articles` },
    paths,
    components: {
      schemas,
      securitySchemes: { token: { type: 'apiKey', in: 'header', name: 'X-Access-Token' } },
    },
  };
}

function describe(operation: Operation, maxPageSize: number): object {
  const { operationId, summary, paged, body, needsToken, method } = operation;
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return {
    operationId,
    summary,
    parameters: [
      ...names.map(pathParameter),
      ...(paged ? pageParameters(maxPageSize) : []),
      ...(needsToken ? writeHeaders : readHeaders),
      ...(method === 'POST' ? [header('Idempotency-Key')] : []),
    ],
    security: needsToken ? [{ token: [] }] : [],
    // Linked to and described, and not done by this service (decisions 5).
    ...(Object.keys(operation.successes).length === 0 && { 'x-not-implemented': true }),
    ...(body !== undefined && { requestBody: { required: true, content: bodyOf(body) } }),
    responses: responsesOf(operation),
  };
}

function bodyOf(name: string): object {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
}

function pathParameter(name: string): object {
  const schema = name.endsWith('_id')
    ? { type: 'integer', minimum: 1 }
    : { type: 'string', minLength: 1, maxLength: 255 };
  return { name, in: 'path', required: true, schema };
}

function pageParameters(maxPageSize: number): readonly object[] {
  const index = { type: 'integer', minimum: 1, default: 1 };
  const size = {
    type: 'integer',
    minimum: 1,
    maximum: maxPageSize,
    default: Math.min(20, maxPageSize),
  };
  return [
    { name: 'pageIndex', in: 'query', schema: index },
    { name: 'pageSize', in: 'query', schema: size },
  ];
}

const readHeaders = ['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since'].map(
  header,
);
const writeHeaders = ['If-Match', 'If-None-Match', 'If-Unmodified-Since', 'Prefer'].map(header);

function header(name: string): object {
  return { name, in: 'header', schema: { type: 'string' } };
}

/** Every request can be malformed, not acceptable, one too many, or meet a failure. */
const always = [400, 406, 429, 500];

function responsesOf({ successes, refusals }: Operation): object {
  const good = Object.entries(successes).map(([status, schema]) => [status, response(schema)]);
  const statuses = new Set([...always, ...refusals]);
  const bad = [...statuses].map((status) => [String(status), response('Problem')]);
  return Object.fromEntries([...good, ...bad]);
}

function response(schema: string | undefined): object {
  if (schema === undefined) return { description: 'Without a body.' };
  const content = { [halJson]: { schema: { $ref: `#/components/schemas/${schema}` } } };
  return { description: schema, content };
}

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
/** What `parseArticle` takes (policy/body.ts). */
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
