import { problemUrl, relationUrl } from '../representations/representation.ts';
import { allProblems, type Topic } from './topics.ts';
import type { Operation } from './openapi.ts';

/** One page for people; every text is escaped, and nothing is loaded from elsewhere. */
export function htmlPage(title: string, body: string, baseUrl: string): Uint8Array {
  return Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${escapeHtml(baseUrl)}/docs/assets/style.css">
<link rel="icon" href="data:,">
</head>
<body>
<header>
<a class="name" href="${escapeHtml(baseUrl)}/">blogctl serve</a>
<nav aria-label="Documentation">${navigation(baseUrl)}</nav>
</header>
${body}
</body>
</html>
`);
}

function navigation(baseUrl: string): string {
  return [
    anchor(`${baseUrl}/docs`, 'API reference'),
    anchor(relationUrl(baseUrl, 'help'), 'Errors'),
    anchor(`${baseUrl}/docs/openapi.json`, 'OpenAPI'),
  ].join('\n');
}

/** A topic as a page. */
export function topicPage(topic: Topic, baseUrl: string): Uint8Array {
  const { title, summary, paragraphs, example, problems = [] } = topic;
  const parts = [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p class="quiet">${escapeHtml(summary)}</p>`,
    ...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`),
    ...(example === undefined ? [] : [`<h2>Try it</h2>`, `<pre>${escapeHtml(example)}</pre>`]),
    ...(problems.length === 0 ? [] : [problemList(problems, baseUrl)]),
  ];
  return htmlPage(title, `<main>\n${parts.join('\n')}\n</main>`, baseUrl);
}

function problemList(problems: NonNullable<Topic['problems']>, baseUrl: string): string {
  const rows = problems.map(({ code, status, title }) => {
    const link = anchor(problemUrl(baseUrl, code), code);
    return `<dt>${status}</dt><dd>${link}<br>${escapeHtml(title)}</dd>`;
  });
  return `<h2>All of them</h2>\n<dl>${rows.join('\n')}</dl>`;
}

/** The start page: its script finds the blogs, their articles and each article by following links. */
export function explorerPage(blogs: readonly Listed[], baseUrl: string): Uint8Array {
  const from = `src="${escapeHtml(baseUrl)}/docs/assets`;
  const scripts = ['defer purify.js', 'type="module" explorer.js']
    .map((words) => words.split(' '))
    .map(([how, name]) => `<script ${how} ${from}/${name}"></script>`)
    .join('\n');
  const list = blogs.map(({ href, title }) => `<li>${anchor(href, title)}</li>`).join('\n');
  const body = `<main class="desk">
<section id="view" aria-live="polite"><h1>Blogs</h1><ul class="plain">${list}</ul></section>
<section class="beside" aria-label="What the service answered">
<h2>What the service answered</h2>
<dl id="exchange"></dl>
<pre id="raw" tabindex="0"></pre>
</section>
</main>
${scripts}`;
  return htmlPage('Blogs', body, baseUrl);
}

type Listed = { readonly href: string; readonly title: string };

export function anchor(href: string, text: string): string {
  return `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

type Asset = { readonly type: string; readonly load: () => Promise<{ readonly default: string }> };

const script = 'text/javascript';

/** In a thread of its own marked reads one text; nothing where that is nested too deeply, or becomes too much for a page. */
const reader = `onmessage = ({ data }) => {
  let html;
  try {
    html = marked.parse(data, { gfm: true, async: false });
  } catch {}
  postMessage(html?.length > 2_000_000 ? undefined : html);
};
`;

/** What the pages for people load: our own, a renderer of Markdown and a sanitizer of HTML. */
const assets: Readonly<Record<string, Asset>> = {
  'style.css': { type: 'text/css', load: () => import('./style.css?raw') },
  'explorer.js': { type: script, load: () => import('./explorer.js?raw') },
  'forms.js': { type: script, load: () => import('./forms.js?raw') },
  'links.js': { type: script, load: () => import('./links.js?raw') },
  'text.js': { type: script, load: () => import('./text.js?raw') },
  'changes.js': { type: script, load: () => import('./changes.js?raw') },
  'marked.js': {
    type: script,
    load: async () => {
      const { default: text } = await import('../../node_modules/marked/lib/marked.umd.js?raw');
      return { default: reader + text };
    },
  },
  'purify.js': {
    type: script,
    load: () => import('../../node_modules/dompurify/dist/purify.min.js?raw'),
  },
};

export async function assetNamed(
  name: string,
): Promise<{ readonly type: string; readonly text: string } | undefined> {
  const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
  if (asset === undefined) return undefined;
  const { default: text } = await asset.load();
  // The map of a library is not served.
  return { type: asset.type, text: text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n') };
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
