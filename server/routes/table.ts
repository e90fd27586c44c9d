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
import { readArticleRoute } from './read-article.ts';
import { readBlog } from './read-blog.ts';
import { readComments } from './read-comments.ts';
import { replaceArticle } from './replace-article.ts';
import type { Route } from './route.ts';

/** The endpoint table of api.md, in its order, and what its links lead to besides. */
export const routes: readonly Route[] = [
  readBlog,
  createArticleRoute,
  readArticleRoute,
  listArticles,
  replaceArticle,
  deleteArticle,
  readComments,
  startPage,
  readStyleSheet,
  readExplorerScript,
  readRelation,
  readProblem,
];
