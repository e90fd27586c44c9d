import { articleKeyTemplate, articlesUrl, articleUrl, blogUrl } from '../representations/links.ts';
import { allProblems } from './problems.ts';
import type { Topic } from './page.ts';

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
      'An article is replaced by PUT and removed by DELETE at its own self link. Send the ETag you read as If-Match, and a change somebody else made meanwhile is not lost: you get 412 and can read again. A PUT without content removes the content.',
    ],
    example: [
      `curl '${articlesUrl(baseUrl, 1)}?pageIndex=1&pageSize=5'`,
      '',
      `curl ${articlesUrl(baseUrl, 1)} -H 'Content-Type: application/json' \\`,
      `  -H "X-Access-Token: $TOKEN" -d '{"title":"Hello","content":"First words."}'`,
      '',
      `curl -X DELETE ${articleUrl(baseUrl, 1, 1)} -H "X-Access-Token: $TOKEN"`,
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
