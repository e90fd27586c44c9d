import { problemUrl } from '../representations/links.ts';
import type { Operation } from './openapi.ts';
import { anchor, escapeHtml, htmlPage } from './page.ts';
import { allProblems } from './problems.ts';

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
