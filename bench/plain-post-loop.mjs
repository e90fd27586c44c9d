// The least a program can do to bring records to a blog: read them all, POST each, count.
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';

const [blog, source, concurrency] = process.argv.slice(2);
const { origin, pathname } = new URL(blog);
const pool = new Pool(origin, { connections: Number(concurrency) });
const records = readFileSync(source, 'utf8').trimEnd().split('\n').values();
const headers = {
  accept: 'application/hal+json',
  'content-type': 'application/json',
  'x-access-token': process.env.BLOGCTL_TOKEN,
};

async function send() {
  for (const body of records) {
    const path = `${pathname}/articles`;
    const response = await pool.request({ method: 'POST', path, headers, body });
    await response.body.dump();
    if (response.statusCode !== 201) throw new Error(`HTTP ${response.statusCode}`);
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, send));
await pool.close();
