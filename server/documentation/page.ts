import { problemUrl, relationUrl } from '../representations/links.ts';

/** One page for people; every text is escaped, and nothing is loaded from elsewhere. */
function htmlPage(title: string, body: string, baseUrl: string): Uint8Array {
  return Buffer.from(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${escapeHtml(baseUrl)}/docs/style.css">
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
  const topics = [
    ['blog', 'doc:blog'],
    ['articles', 'doc:articles'],
    ['comments', 'doc:comments'],
    ['help', 'Errors'],
  ] as const;
  const links = topics.map(([rel, name]) => anchor(relationUrl(baseUrl, rel), name));
  return [...links, anchor(`${baseUrl}/docs/openapi.json`, 'OpenAPI')].join('\n');
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
  const list = blogs.map(({ href, title }) => `<li>${anchor(href, title)}</li>`).join('\n');
  const body = `<main class="desk">
<section id="view" aria-live="polite"><h1>Blogs</h1><ul class="plain">${list}</ul></section>
<section class="beside" aria-label="What the service answered">
<h2>What the service answered</h2>
<dl id="exchange"></dl>
<pre id="raw" tabindex="0"></pre>
</section>
</main>
<script src="${escapeHtml(baseUrl)}/docs/explorer.js" defer></script>`;
  return htmlPage('Blogs', body, baseUrl);
}

type Listed = { readonly href: string; readonly title: string };

function anchor(href: string, text: string): string {
  return `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** One page of documentation: the same words for a browser and for a client. */
export type Topic = {
  readonly title: string;
  /** What it is, in a sentence. */
  readonly summary: string;
  readonly paragraphs: readonly string[];
  /** A command to try, shown as written. */
  readonly example?: string;
  /** Where the topic is all of them. */
  readonly problems?: readonly {
    readonly code: string;
    readonly status: number;
    readonly title: string;
  }[];
};

/** How the pages for people look: one column on a phone, two on a desk, light or dark as asked. */
export const styleSheet = String.raw`
:root {
  color-scheme: light dark;
  --paper: #fdfcfa; --ink: #22252a; --quiet: #5c626b; --line: #dcd8d0; --link: #0b57a4;
  --shade: #f3f0ea; --warn: #9a3412;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181c; --ink: #e6e3dd; --quiet: #a2a7b0; --line: #33373e; --link: #8ab8ff;
    --shade: #1f2228; --warn: #fdba74;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.6 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
  overflow-wrap: anywhere;
}
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, pre:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px;
}
/* It is focused so that a screen reader goes on from there; nothing can be done with it. */
h1:focus { outline: none; }
header, main, footer { max-width: 76rem; margin: 0 auto; padding: 0 1rem; }
header {
  display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline;
  padding-block: 1rem; border-bottom: 1px solid var(--line);
}
header .name { font-weight: 650; color: inherit; text-decoration: none; }
header nav { display: flex; flex-wrap: wrap; gap: .25rem 1rem; }
footer { padding-block: 2rem; color: var(--quiet); font-size: .9rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 1.5rem 0 .5rem; text-wrap: balance; }
h2 { font-size: 1.05rem; margin: 1.75rem 0 .5rem; }
p { max-width: 42rem; }
.quiet { color: var(--quiet); }
.warn { color: var(--warn); }
pre, code { font: .875rem/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
pre { background: var(--shade); border: 1px solid var(--line); border-radius: .4rem; padding: .8rem 1rem; overflow: auto; white-space: pre-wrap; }
.desk { display: grid; grid-template-columns: minmax(0, 1fr); gap: 0 2.5rem; }
@media (min-width: 60rem) {
  .desk { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); }
  .beside pre { max-height: calc(100vh - 13rem); position: sticky; top: 1rem; }
}
.text { white-space: pre-wrap; max-width: 42rem; }
ol.articles { list-style: none; padding: 0; margin: 1rem 0; }
ol.articles li { padding: .7rem 0; border-bottom: 1px solid var(--line); }
ol.articles a { font-weight: 600; }
ol.articles p { margin: .1rem 0 0; color: var(--quiet); font-size: .92rem; }
.pages { display: flex; flex-wrap: wrap; gap: .5rem; }
.pages > * { padding: .35rem .8rem; border: 1px solid var(--line); border-radius: .4rem; text-decoration: none; }
.pages > span { color: var(--quiet); opacity: .6; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .2rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
ul.plain { padding-left: 1.2rem; }
`;
