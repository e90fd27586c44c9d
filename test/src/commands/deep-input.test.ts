import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../support/run.ts';

const levels = 1_000_000;
const lists = '['.repeat(levels) + ']'.repeat(levels);
const objects = `${'{"x":'.repeat(levels)}1${'}'.repeat(levels)}`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-deep-'));
  await run(['store', 'init', '--store', 'blog.json'], { folder });
  const whole = { lists, objects, title: `{"title":${lists},"content":""}` };
  const member = `{"title":"T","content":"","status":${objects}}`;
  for (const [name, text] of Object.entries({ ...whole, member })) {
    await writeFile(join(folder, `${name}.json`), text);
    await writeFile(join(folder, `${name}.ndjson`), `${text}\n{"title":"T","content":""}\n`);
  }
});
afterAll(() => rm(folder, { recursive: true }));

describe('JSON of a million levels', () => {
  it.each(
    ['lists', 'objects', 'title', 'member'].flatMap((name) => [
      `articles create --from-file ${name}.json`,
      `articles update 1 --from-file ${name}.json`,
      `api doc:articles --input ${name}.json`,
      `articles import ${name}.json`,
      `articles import ${name}.json --list title`,
      `articles import ${name}.ndjson`,
      `articles import ${name}.ndjson --continue-on-error --rejects r.ndjson`,
    ]),
  )('is told of in a few words, and is no bug: %s', async (line) => {
    const words = [...line.split(' '), '--blog', 'file:blog.json'];
    const { status, err } = await run(words, { folder });
    expect([7, 10]).toContain(status);
    expect(err).not.toContain('bug in blogctl');
    expect(err.length).toBeLessThan(2000);
  });
});
