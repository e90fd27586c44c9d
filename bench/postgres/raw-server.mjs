// The peer of an instance: node:http, the same driver with as many connections, one statement a
// request, and bodies sent as they are.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Client, Pool } from 'pg';

const [address] = process.argv.slice(2);
const readers = await Promise.all(
  [0, 1].map(async () => {
    const client = new Client({ connectionString: address, pipeline: true });
    await client.connect();
    return client;
  }),
);
const pool = new Pool({ connectionString: address, max: 64 });
const article = 'SELECT body FROM blogctl.articles WHERE blog_id = 1 AND id = $1';
const page =
  'SELECT body FROM blogctl.articles WHERE blog_id = 1 AND id >= $1 ORDER BY id LIMIT 20';
const insert =
  'INSERT INTO raw (blog_id, body, tag, updated_at) VALUES (1, $1, $2, $3) RETURNING id';
let turn = 0;

const server = createServer((request, response) => {
  answer(request).then(
    ([status, text]) => {
      const length = Buffer.byteLength(text);
      response.writeHead(status, {
        'content-type': 'application/hal+json',
        'content-length': length,
      });
      response.end(text);
    },
    (error) => response.destroy(error),
  );
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.send(`http://127.0.0.1:${server.address().port}`);

async function answer(request) {
  if (request.method === 'POST') {
    let body = '';
    request.setEncoding('utf8');
    for await (const text of request) body += text;
    const { title, content } = JSON.parse(body);
    const stored = JSON.stringify({ title, content });
    const values = [stored, '1-00000000', Date.now()];
    const { rows } = await pool.query({ name: 'insert', text: insert, values });
    return [201, JSON.stringify({ id: rows[0].id, title, content })];
  }
  turn += 1;
  const reader = readers[turn % readers.length];
  const index = /pageIndex=(\d+)/.exec(request.url)?.[1];
  if (index === undefined) {
    const id = Number(request.url.slice(request.url.lastIndexOf('/') + 1));
    const { rows } = await reader.query({ name: 'article', text: article, values: [id] });
    return [200, rows[0].body];
  }
  const values = [(Number(index) - 1) * 20 + 1];
  const { rows } = await reader.query({ name: 'page', text: page, values });
  return [200, `{"articles":[${rows.map(({ body }) => body).join(',')}]}`];
}
