import type { Topic } from './topic.ts';

/** What each relation under the curie `doc` leads to (decisions 6). */
export const relationTopics: Readonly<Record<string, Topic>> = {
  blog: {
    title: 'The relation doc:blog',
    summary: 'Leads to the blog that owns an article.',
    paragraphs: [
      'GET answers with the blog: id, title, description, and a link to its articles. No token is needed.',
      'The title of the link is the title of the blog.',
    ],
    example: 'curl -H "Accept: application/hal+json" {base}/api/v1.2/blogs/1',
  },
  articles: {
    title: 'The relation doc:articles',
    summary: 'Leads to the articles of a blog, page by page.',
    paragraphs: [
      'The link is a template: fill in pageIndex (from 1) and pageSize, or leave both out for the first page of 20.',
      'GET answers with a page: its place, the totals, the articles in _embedded, and the way to other pages in _link. The same way stands in the header Link.',
      'POST with a token creates an article from a JSON object with title and content, and answers 201 with the article and its Location. With the header Idempotency-Key the same request can be sent again without a second article.',
      'An article is changed by PUT and removed by DELETE at its own self link. Send the ETag you read as If-Match, and nobody else’s change is overwritten.',
    ],
    example: 'curl "{base}/api/v1.2/blogs/1/articles?pageIndex=1&pageSize=5"',
  },
  comments: {
    title: 'The relation doc:comments',
    summary: 'Names the comments of an article.',
    paragraphs: [
      'Every article carries this link, but this service keeps no comments: following it answers 501.',
    ],
  },
  help: {
    title: 'The relation doc:help',
    summary: 'Leads from an error to the page that explains it.',
    paragraphs: [
      'An error is a hal+json resource with the members type, title, status, detail and code. The code is stable and meant for programs; detail is meant for people. Where single members of a body are wrong, errors lists their JSON pointers.',
    ],
  },
};
