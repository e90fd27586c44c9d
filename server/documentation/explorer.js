import { creating, deleting, editing, mayLeave } from './changes.js';
import { follow, inJson, linksOf, plain } from './links.js';
import { decoded, make, parsed, rendered } from './text.js';

/**
 * What runs on the start page: it knows one address, that of the page itself, and finds all else by
 * following links.
 */
const view = document.getElementById('view');
const exchange = document.getElementById('exchange');
const raw = document.getElementById('raw');
const start = new URL('.', location.href);

let last = location.hash;
/** How often something else took the place of what is shown: an answer that is older comes too late. */
let turns = 0;

addEventListener('hashchange', () => {
  if (location.hash === last) return;
  if (mayLeave()) void show();
  else location.hash = last;
});
void show();

/** The address of what is shown stands behind the #, so that back and reload work. */
function addressed() {
  const text = decoded(location.hash.slice(1));
  if (text === '' || !URL.canParse(text, start)) return start;
  const url = new URL(text, start);
  return url.origin === start.origin ? url : start;
}

async function show() {
  turns += 1;
  const own = turns;
  last = location.hash;
  const url = addressed();
  view.setAttribute('aria-busy', 'true');
  // Nothing is typed any more into what was left and is still to be seen.
  for (const left of view.querySelectorAll('form')) left.inert = true;
  const [answer, text] = await read(url);
  if (own !== turns) return;
  const resource = parsed(text);
  showExchange(url, answer, resource);
  put(url, resource, resource ? partsOf(resource, answer.headers.get('etag')) : failed(answer));
}

/** The answer and its body; nothing where it does not come, or not whole. */
async function read(url) {
  try {
    const answer = await fetch(url, { headers: { Accept: 'application/hal+json' } });
    return [answer, await answer.text()];
  } catch {
    return [];
  }
}

function put(url, resource, parts) {
  view.replaceChildren(...parts, ...(resource ? linksOf(resource) : []));
  view.removeAttribute('aria-busy');
  const heading = view.querySelector('h1');
  document.title = heading.title || heading.textContent;
  if (url.href !== start.href) {
    heading.tabIndex = -1;
    heading.focus();
  }
}

/** What a resource is shows in the links it has. */
function partsOf(resource, etag) {
  const links = resource._links ?? {};
  if (resource._link) return pageParts(resource);
  if (links['doc:comments']) return articleParts(resource, etag);
  if (links['doc:articles']) return blogParts(resource);
  if (Array.isArray(links['doc:blog'])) return startParts(resource);
  return Array.isArray(resource.paragraphs) ? topicParts(resource) : problemParts(resource);
}

function startParts({ title, _links: links }) {
  const blogs = links['doc:blog'].map((link) => make('li', {}, follow(link, link.title)));
  return [
    make('h1', {}, title),
    make(
      'p',
      { className: 'quiet' },
      'Everything here is found by following links; what the service answered is shown as it came.',
    ),
    make('ul', { className: 'plain' }, ...blogs),
  ];
}

function blogParts({ title, description, _links: links }) {
  return [
    make('h1', {}, title),
    make('p', { dir: 'auto' }, description),
    make('p', { className: 'pages' }, follow(links['doc:articles'], 'Articles'), newArticle(links)),
  ];
}

function newArticle({ 'doc:articles': articles }) {
  const open = () => form(creating({ href: plain(articles), open: go, cancel: show }));
  return make('button', { type: 'button', onclick: open }, 'New article');
}

/** A form in the place of what is shown, and of what was asked for before. */
function form(element) {
  turns += 1;
  view.replaceChildren(element);
  view.removeAttribute('aria-busy');
  const heading = element.querySelector('h1');
  document.title = heading.textContent;
  heading.tabIndex = -1;
  // Not a button: it would be pressed by the key that opened the form.
  (element.querySelector('input, textarea') ?? heading).focus();
}

/** Shows a resource, also where it is the one that was shown before. */
function go(href) {
  location.hash = `#${encodeURIComponent(href)}`;
  void show();
}

function pageParts(page) {
  const { _link: links, _embedded: articles } = page;
  const { pageIndex: index, totalPages: pages, totalArticles: all } = page;
  const count = all === 1 ? '1 article' : `${all} articles`;
  const place = pages === 0 ? 'No articles yet.' : `Page ${index} of ${pages}, ${count}.`;
  const owner = articles[0]?._links['doc:blog'];
  return [
    make('h1', { title: `Articles, page ${index}` }, 'Articles'),
    make(
      'p',
      { className: 'quiet' },
      place,
      ...(owner ? [' Of ', follow(owner, owner.title), '.'] : []),
    ),
    make('ol', { className: 'articles' }, ...articles.map(entry)),
    ...(pages === 0
      ? [newArticle({ 'doc:articles': { href: links.firstPage.href.replace(/\?.*/, '') } })]
      : [
          make(
            'nav',
            { className: 'pages', ariaLabel: 'Pages' },
            turn(links.firstPage, 'First'),
            turn(links.previousPage, 'Previous'),
            turn(links.nextPage, 'Next'),
            turn(links.lastPage, 'Last'),
          ),
        ]),
  ];
}

function entry({ title, content = '', _links: links }) {
  const beginning =
    content.length > 160 ? `${content.slice(0, 160).replace(/[\ud800-\udbff]$/, '')}…` : content;
  return make(
    'li',
    { dir: 'auto' },
    follow(links.self, title),
    make('p', { dir: 'auto' }, beginning),
  );
}

function turn(link, name) {
  return link ? follow(link, name) : make('span', {}, name);
}

function articleParts(article, etag) {
  const { title, content, _links: links } = article;
  const owner = links['doc:blog'];
  const change = (made) => () => form(made({ article, etag, open: go, cancel: show }));
  const button = (name, made) => make('button', { type: 'button', onclick: change(made) }, name);
  return [
    make('p', { className: 'quiet' }, follow(owner, owner.title)),
    make('h1', { dir: 'auto' }, title),
    ...(content === undefined
      ? [make('p', { className: 'quiet' }, 'This article has no content.')]
      : [
          rendered(content),
          make('details', {}, make('summary', {}, 'Source'), make('pre', { dir: 'auto' }, content)),
        ]),
    make('p', { className: 'pages' }, button('Edit', editing), button('Delete', deleting)),
  ];
}

/** A page of the documentation, where an error leads to. */
function topicParts({ title, summary, paragraphs, example, problems = [] }) {
  return [
    make('h1', {}, title),
    make('p', { className: 'quiet' }, summary),
    ...paragraphs.map((text) => make('p', {}, text)),
    ...(example ? [make('pre', {}, example)] : []),
    ...problems.map(({ code, status, title: meaning }) =>
      make('p', {}, `${status} ${code}: ${meaning}`),
    ),
  ];
}

function problemParts({ title = 'Something else', status, detail = '' }) {
  return [
    make('h1', {}, title),
    make('p', { className: 'warn' }, (status ? `${status}: ` : '') + detail),
  ];
}

function failed(answer) {
  const what = answer
    ? `${answer.status}: this came from something in front of the service.`
    : 'The service does not answer. Is it still running?';
  return [make('h1', {}, 'No answer'), make('p', { className: 'warn' }, what)];
}

function showExchange(url, answer, resource) {
  const fields = ['etag', 'last-modified'].map((name) => [name, answer?.headers.get(name)]);
  const rows = [
    ['request', `GET ${url.pathname}${url.search}`],
    ['answer', answer && `${answer.status} ${answer.statusText}`],
    ...fields,
  ];
  exchange.replaceChildren(
    ...rows
      .filter(([, value]) => value)
      .flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]),
  );
  raw.replaceChildren(inJson(resource));
}
