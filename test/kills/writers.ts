import { createHash } from 'node:crypto';
import { random } from '../support/random.ts';
import type { Ledger } from './ledger.ts';

const writers = 4;
const writesEach = 50;
const mostArticles = 100;

/** Four writers of fifty changes each: creations, replacements, deletions. Ends with the service. */
export async function write(blog: string, token: string, ledger: Ledger): Promise<void> {
  const change = changing(blog, token, ledger);
  await Promise.all(
    Array.from({ length: writers }, async () => {
      for (let done = 0; done < writesEach; done += 1) if (!(await change())) return;
    }),
  );
}

type Draft = { readonly title: string; readonly content: string };

function changing(blog: string, token: string, ledger: Ledger): () => Promise<boolean> {
  const headers = { 'x-access-token': token, 'content-type': 'application/json' };
  const send = async (method: string, url: string, draft?: Draft): Promise<boolean> => {
    const state = draft === undefined ? null : stateOf(draft);
    const isNew = method === 'POST';
    const answered = ledger.attempt({ ...(!isNew && { path: new URL(url).pathname }), state });
    const body = draft === undefined ? null : JSON.stringify(draft);
    const answer = await fetch(url, { method, headers, body }).catch(() => undefined);
    if (answer === undefined) return false;
    if (!answer.ok) throw new Error(`${method} ${url} answered ${answer.status}`);
    answered(new URL(answer.headers.get('location') ?? url).pathname);
    return answer.arrayBuffer().then(
      () => true,
      () => false,
    );
  };
  return async () => {
    const chance = random.next();
    const makesNew = chance < 0.4 && ledger.idle < mostArticles;
    const path = makesNew ? undefined : ledger.take();
    if (path === undefined) return send('POST', `${blog}/articles`, newDraft());
    const url = new URL(path, blog).href;
    return chance < 0.75 ? send('PUT', url, newDraft()) : send('DELETE', url);
  };
}

let drafts = 0;

/** Of a size that crosses one to three pages of the kernel's cache. */
function newDraft(): Draft {
  const title = `t${(drafts += 1)}`;
  return { title, content: title.padEnd(random.below(8000), 'é ') };
}

/** Every article by its path and text, as the service shows them. */
export async function articlesOf(blog: string): Promise<ReadonlyMap<string, string>> {
  const answer = await fetch(`${blog}/articles?pageSize=1000`);
  const page: Page = JSON.parse(await answer.text());
  const pathOf = ({ _links: links }: Embedded) => new URL(links.self.href).pathname;
  return new Map(page._embedded.map((article) => [pathOf(article), stateOf(article)]));
}

type Embedded = Draft & { readonly _links: { readonly self: { readonly href: string } } };
type Page = { readonly _embedded: readonly Embedded[] };

function stateOf({ title, content }: Draft): string {
  return `${title} ${createHash('sha1').update(content).digest('hex')}`;
}
