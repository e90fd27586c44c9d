// What a plan cannot do without: every page of a blog, one after the other, parsed and hashed; then
// every file of a folder, read at once and hashed.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [blog, folder] = process.argv.slice(2);
const digest = (text) => createHash('sha256').update(text).digest('hex');
const articles = new Map();
for (let index = 1, last = 1; index <= last; index += 1) {
  const answer = await fetch(`${blog}/articles?pageIndex=${index}&pageSize=100`);
  const page = await answer.json();
  last = page.totalPages;
  for (const { id, title, content } of page._embedded) articles.set(id, digest(title + content));
}
const posts = readdirSync(folder).map((name) => digest(readFileSync(join(folder, name), 'utf8')));
process.stdout.write(`${articles.size} ${posts.length}\n`);
