import { createArticleRoute } from './create-article.ts';
import { deleteArticle } from './delete-article.ts';
import {
  readExplorerScript,
  readProblem,
  readRelation,
  readStyleSheet,
  startPage,
} from './documents.ts';
import { listArticles } from './list-articles.ts';
import { readArticleByKey } from './read-article-by-key.ts';
import { readArticleRoute } from './read-article.ts';
import { readBlog } from './read-blog.ts';
import { readComments } from './read-comments.ts';
import { readHealth } from './read-health.ts';
import { describeRoutes } from './read-openapi.ts';
import { replaceArticle } from './replace-article.ts';
import type { Route } from './route.ts';

/** The endpoints of the interface, in its order, and what the links of articles lead to besides. */
const api: readonly Route[] = [
  readBlog,
  createArticleRoute,
  readArticleRoute,
  listArticles,
  replaceArticle,
  deleteArticle,
  readComments,
  readArticleByKey,
];

/** All that is served: the API, and what explains it. */
export const routes: readonly Route[] = [
  ...api,
  startPage,
  readHealth,
  describeRoutes(api),
  readStyleSheet,
  readExplorerScript,
  readRelation,
  readProblem,
];
