import { explorerScript } from '../documentation/browser/explorer-script.ts';
import { styleSheet } from '../documentation/browser/style-sheet.ts';
import { explorerPage, topicPage } from '../documentation/page.ts';
import { problemTopic } from '../documentation/problems.ts';
import { relationTopic } from '../documentation/relations.ts';
import type { Topic } from '../documentation/topic.ts';
import { Refusal } from '../errors.ts';
import type { Response } from '../http/message.ts';
import { blogUrl, problemUrl, relationUrl } from '../representations/addresses.ts';
import { curies } from '../representations/links.ts';
import { halJson } from '../representations/representation.ts';
import type { Call, Route } from './route.ts';

const html = 'text/html';

/** Outside the API, for people; a client that does not ask for HTML gets hal+json (decisions 6). */
const document = { method: 'GET', mediaTypes: [halJson, html] } as const;

/** What is served here. */
export const startPage: Route = {
  ...document,
  path: '/',
  async answer(call) {
    const { baseUrl } = call;
    const blogs = (await call.store.blogs()).map(({ id, title }) => ({
      href: blogUrl(baseUrl, id),
      title,
    }));
    if (call.mediaType === html) return textAnswer(explorerPage(blogs, baseUrl), html);
    const self = { href: `${baseUrl}/` };
    const links = { curies: curies(baseUrl), self, 'doc:blog': blogs };
    return halAnswer({ title: 'Blogs', _links: links });
  },
};

export const readRelation: Route = {
  ...document,
  path: '/docs/{rel}',
  async answer(call) {
    const { rel = '' } = call.variables;
    return answerTopic(call, relationTopic(rel, call.baseUrl), relationUrl(call.baseUrl, rel));
  },
};

export const readProblem: Route = {
  ...document,
  path: '/docs/problems/{code}',
  async answer(call) {
    const { code = '' } = call.variables;
    return answerTopic(call, problemTopic(code), problemUrl(call.baseUrl, code));
  },
};

export const readStyleSheet: Route = {
  method: 'GET',
  path: '/docs/style.css',
  mediaTypes: ['text/css'],
  answer: async () => textAnswer(Buffer.from(styleSheet), 'text/css'),
};

export const readExplorerScript: Route = {
  method: 'GET',
  path: '/docs/explorer.js',
  mediaTypes: ['text/javascript'],
  answer: async () => textAnswer(Buffer.from(explorerScript), 'text/javascript'),
};

function answerTopic(call: Call, topic: Topic | undefined, self: string): Response {
  if (topic === undefined) throw new Refusal('not-found', 'There is no documentation of that.');
  if (call.mediaType === html) return textAnswer(topicPage(topic, call.baseUrl), html);
  const links = { curies: curies(call.baseUrl), self: { href: self } };
  return halAnswer({ ...topic, _links: links });
}

function halAnswer(resource: object): Response {
  return answerWith(Buffer.from(JSON.stringify(resource)), halJson);
}

function textAnswer(body: Uint8Array, type: string): Response {
  return answerWith(body, `${type}; charset=utf-8`);
}

/** Own scripts, styles and data only; never within another page. */
const contentSecurity =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function answerWith(body: Uint8Array, type: string): Response {
  const headers = {
    'Content-Type': type,
    'Content-Length': String(body.length),
    Vary: 'Accept',
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': contentSecurity,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
  };
  return { status: 200, headers, body };
}
