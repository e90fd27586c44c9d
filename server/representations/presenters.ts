import type { Blog } from '../store/store.ts';
import type { ReadArticle } from './article-list.ts';
import { createPresenter } from './presenter.ts';
import type { Presenter } from './presenter.ts';

/** More base URLs than anybody needs; a stranger who invents Host names must not fill the memory. */
const mostBaseUrls = 8;

/**
 * Presenters by base URL and blog, so that what one request made serves the next. A blog that
 * changed its title gets a new one, because its title is in every article's links.
 */
export function createPresenters(read: ReadArticle): (baseUrl: string, blog: Blog) => Presenter {
  const known = new Map<string, Map<number, Presenter>>();
  return (baseUrl, blog) => {
    const ofBase = known.get(baseUrl) ?? new Map<number, Presenter>();
    if (!known.has(baseUrl)) remember(known, baseUrl, ofBase);
    const presenter = ofBase.get(blog.id);
    if (presenter?.viewpoint.blogTitle === blog.title) return presenter;
    const made = createPresenter({ baseUrl, blogId: blog.id, blogTitle: blog.title }, read);
    ofBase.set(blog.id, made);
    return made;
  };
}

function remember<Value>(known: Map<string, Value>, name: string, value: Value): void {
  const [oldest] = known.keys();
  if (known.size >= mostBaseUrls && oldest !== undefined) known.delete(oldest);
  known.set(name, value);
}
