import { createArticleRoute, listArticles, readBlog } from './blog.ts';
import {
  deleteArticle,
  readArticleByKey,
  readArticleRoute,
  readComments,
  replaceArticle,
} from './article.ts';
import {
  describeRoutes,
  readAsset,
  readHealth,
  readProblem,
  readReference,
  readRelation,
  startPage,
} from './documents.ts';
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
  readReference(api),
  readAsset,
  readRelation,
  readProblem,
];
