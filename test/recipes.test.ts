import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createApp } from '../server/app.ts';
import { define } from './recipes/count.ts';
import { readTitle } from './recipes/title.ts';
import { givenService, plainService, sender } from './support/service.ts';
import { parsed } from './support/parse.ts';

const root = join(import.meta.dirname, '..');
const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const recipe = (name: string) => readFileSync(join(root, 'test/recipes', name), 'utf8');

describe('a recipe of CONTRIBUTING.md', () => {
  it('makes a command: its line yields the options it is run with', async () => {
    expect(contributing).toContain(recipe('count.ts'));
    expect(await parsed(define, ['--least', '3'])).toEqual({ least: 3 });
    expect(await parsed(define, [])).toEqual({ least: 1 });
  });

  it('makes an endpoint: its row is served by createApp', async () => {
    expect(contributing).toContain(recipe('title.ts'));
    const { store, clock, reports } = await givenService();
    const send = sender(createApp(plainService(store, clock, reports), [readTitle]));
    const { status, json, headers } = await send('GET', '/api/v1.2/blogs/1/title');
    expect([status, json.title]).toEqual([200, 'Café “B”']);
    expect(json['_links'].self.href).toBe('http://localhost:4000/api/v1.2/blogs/1');
    const known = { 'if-none-match': headers['ETag'] ?? '' };
    expect((await send('GET', '/api/v1.2/blogs/1/title', { headers: known })).status).toBe(304);
    expect((await send('GET', '/api/v1.2/blogs/2/title')).status).toBe(404);
  });
});
