import { schemas } from '../representations/schemas.ts';
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

const readHeaders = ['If-None-Match', 'If-Modified-Since'].map(header);
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
