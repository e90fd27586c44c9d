import { htmlPage, escapeHtml, topicPage } from '../documentation/page.ts';
import { problemTopic } from '../documentation/problems.ts';
import { relationTopics } from '../documentation/relations.ts';
import type { Topic } from '../documentation/topic.ts';
import { Refusal } from '../errors.ts';
import type { Response } from '../http/message.ts';
import { blogUrl, problemUrl, relationUrl } from '../representations/addresses.ts';
import { curies } from '../representations/links.ts';
import { halJson } from '../representations/representation.ts';
import type { Call, Route } from './route.ts';

const html = 'text/html; charset=utf-8';

/** Outside the API, for people; a client that does not ask for HTML gets hal+json (decisions 6). */
const document = { method: 'GET', mediaTypes: [halJson, 'text/html'] } as const;

/** The start page: what is served here. */
export const startPage: Route = {
  ...document,
  path: '/',
  async answer(call) {
    const blogs = (await call.store.blogs()).map(({ id, title }) => ({
      href: blogUrl(call.baseUrl, id),
      title,
    }));
    const links = blogs.map(
      ({ href, title }) => `<li><a href="${href}">${escapeHtml(title)}</a></li>`,
    );
    const page = () => htmlPage('Blogs', `<h1>Blogs</h1>\n<ul>${links.join('')}</ul>`);
    const self = { href: `${call.baseUrl}/` };
    return answerDocument(call, page, {
      title: 'Blogs',
      _links: { curies: curies(call.baseUrl), self, 'doc:blog': blogs },
    });
  },
};

export const readRelation: Route = {
  ...document,
  path: '/docs/{rel}',
  async answer(call) {
    const { rel = '' } = call.variables;
    const topic = Object.hasOwn(relationTopics, rel) ? relationTopics[rel] : undefined;
    return answerTopic(call, topic, relationUrl(call.baseUrl, rel));
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

function answerTopic(call: Call, topic: Topic | undefined, self: string): Response {
  if (topic === undefined) throw new Refusal('not-found', 'There is no documentation of that.');
  return answerDocument(call, () => topicPage(topic, call.baseUrl), {
    ...topic,
    _links: { curies: curies(call.baseUrl), self: { href: self } },
  });
}

function answerDocument(call: Call, page: () => Uint8Array, resource: object): Response {
  const isHtml = call.mediaType === 'text/html';
  const body = isHtml ? page() : Buffer.from(JSON.stringify(resource));
  const headers = {
    'Content-Type': isHtml ? html : halJson,
    'Content-Length': String(body.length),
    Vary: 'Accept',
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    'X-Content-Type-Options': 'nosniff',
  };
  return { status: 200, headers, body };
}
