import {
  articleKeyTemplate,
  articlesUrl,
  articleUrl,
  blogUrl,
  problemUrl,
} from '../representations/links.ts';
import { halJson } from '../representations/representation.ts';
import { schemas } from '../representations/schemas.ts';
import { anchor, escapeHtml, htmlPage, type Topic } from './page.ts';
import { allProblems } from './problems.ts';

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

/** An answer for each name of a schema, as this service writes it. */
export type Examples = Readonly<Record<string, string>>;

const draft = JSON.stringify({ title: 'Hello', content: 'First *words*.' }, null, 2);

/** The endpoints as a page: what each is for, what it takes and what it answers. */
export function referencePage(
  operations: readonly Operation[],
  examples: Examples,
  baseUrl: string,
): Uint8Array {
  const parts = [
    '<h1>API reference</h1>',
    `<p>Begin at ${anchor(`${baseUrl}/`, `${baseUrl}/`)} and follow links: their relations are stable, their addresses need not be. Answers are application/hal+json. A change needs a token in the header X-Access-Token.</p>`,
    `<ul class="plain">${operations.map((one) => `<li>${inPage(one)}</li>`).join('\n')}</ul>`,
    ...operations.map((operation) => section(operation, examples, baseUrl)),
  ];
  return htmlPage('API reference', `<main>\n${parts.join('\n')}\n</main>`, baseUrl);
}

function inPage({ operationId, summary }: Operation): string {
  return anchor(`#${operationId}`, summary);
}

function section(operation: Operation, examples: Examples, baseUrl: string): string {
  const { method, path, operationId, summary, needsToken, paged, body, successes } = operation;
  const takes = [
    ...(paged ? ['The query may have pageIndex (from 1) and pageSize.'] : []),
    ...(method === 'PUT' || method === 'DELETE'
      ? ['Send the ETag you read as If-Match, and no change of somebody else is lost (412).']
      : []),
    ...(method === 'POST' ? ['With an Idempotency-Key it can be sent again safely.'] : []),
    ...(method === 'GET' ? ['With If-None-Match, what has not changed is 304 and not sent.'] : []),
  ];
  const [shown] = Object.values(successes).filter((name) => name !== undefined);
  const example = examples[shown ?? ''];
  return `<section class="operation" id="${operationId}">
<h2>${method} ${escapeHtml(path)}</h2>
<p>${escapeHtml(summary)}. ${needsToken ? 'A token is needed.' : 'No token is needed.'} ${takes.join(' ')}</p>
${body === undefined ? '' : `<h3>Takes</h3>\n<pre>${escapeHtml(draft)}</pre>`}
<h3>Answers</h3>
<dl>${[...successesOf(operation), ...refusalsOf(operation, baseUrl)].join('\n')}</dl>
${example === undefined ? '' : `<pre>${escapeHtml(example)}</pre>`}
</section>`;
}

function successesOf({ successes }: Operation): readonly string[] {
  return Object.entries(successes).map(([status, shown]) => {
    const what =
      shown ?? (status === '304' ? 'What you have is still so.' : 'Nothing more to say.');
    return `<dt>${status}</dt><dd>${what}</dd>`;
  });
}

function refusalsOf({ refusals }: Operation, baseUrl: string): readonly string[] {
  return allProblems
    .filter(({ status }) => refusals.includes(status))
    .map(({ code, status, title }) => {
      return `<dt>${status}</dt><dd>${anchor(problemUrl(baseUrl, code), title)}</dd>`;
    });
}

/** What a relation under the curie `doc` means (decisions 6); undefined for one we do not use. */
export function relationTopic(relation: string, baseUrl: string): Topic | undefined {
  return Object.hasOwn(topics, relation) ? topics[relation]?.(baseUrl) : undefined;
}

const topics: Readonly<Record<string, (baseUrl: string) => Topic>> = {
  blog: (baseUrl) => ({
    title: 'The relation doc:blog',
    summary: 'Leads to the blog that owns an article.',
    paragraphs: [
      'GET answers with the blog: its id, title and description, and a link to its articles. No token is needed.',
      'The link itself carries the title of the blog, so that a list can name it without another request.',
    ],
    example: `curl ${blogUrl(baseUrl, 1)}`,
  }),
  articles: (baseUrl) => ({
    title: 'The relation doc:articles',
    summary: 'Leads to the articles of a blog, page by page.',
    paragraphs: [
      'The link is a template: fill in pageIndex (from 1) and pageSize, or leave both out for the first page of 20.',
      'GET answers with a page: its place, the totals, the articles in _embedded, and the way to other pages in _link. The same way stands in the Link header. Articles come in the order of their ids.',
      'POST with a token creates an article from a JSON object with title and content. It answers 201 with the article and its Location. With an Idempotency-Key the same request can be sent again without making a second article; doc:articleKey finds what it made.',
      'An article is replaced, title and content, by PUT and removed by DELETE at its own self link. Send the ETag you read as If-Match, and a change somebody else made meanwhile is not lost: you get 412 and can read again. A PUT without content removes the content.',
    ],
    example: [
      `curl '${articlesUrl(baseUrl, 1)}?pageIndex=1&pageSize=5'`,
      '',
      `curl ${articlesUrl(baseUrl, 1)} -H 'Content-Type: application/json' \\`,
      `  -H "X-Access-Token: $TOKEN" -d '{"title":"Hello","content":"First words."}'`,
      '',
      `curl -X DELETE ${articleUrl(baseUrl, 1, 1)} -H "X-Access-Token: $TOKEN" -H 'If-Match: "<etag>"'`,
    ].join('\n'),
  }),
  articleKey: (baseUrl) => ({
    title: 'The relation doc:articleKey',
    summary: 'Leads from an Idempotency-Key to the article that was created with it.',
    paragraphs: [
      'It stands in the header Link-Template of the answers of a blog (RFC 9652), as a template with the variable key: the value of the Idempotency-Key as it was sent with POST, without quotes. Expanding the template percent-encodes it (RFC 6570).',
      'GET answers with the article exactly as at its own self link, with the same ETag. 404 says that no article was ever created with this key, 410 that it was and has been deleted since. Until the answer to the POST is known, its key may still be answered with 404. No token is needed.',
    ],
    example: [
      `curl -I ${blogUrl(baseUrl, 1)}`,
      `curl ${articleKeyTemplate(baseUrl, 1).replace('{key}', 'my-key-1')}`,
    ].join('\n'),
  }),
  comments: () => ({
    title: 'The relation doc:comments',
    summary: 'Names the comments of an article.',
    paragraphs: [
      'Every article carries this link, but what is behind it is not part of this service: following it answers 501.',
    ],
  }),
  help: () => ({
    title: 'Errors',
    summary: 'The relation doc:help leads from an error to the page that explains it.',
    paragraphs: [
      'An error is a hal+json resource with the members type, title, status, detail and code (RFC 9457). The code is stable and meant for programs, detail is meant for people. Where single members of a body are wrong, errors lists their JSON pointers.',
    ],
    problems: allProblems,
  }),
};
