import { describe, expect, it } from 'vitest';
import { define as create } from '../../../src/commands/articles/create.ts';
import { define as remove } from '../../../src/commands/articles/delete.ts';
import { define as get } from '../../../src/commands/articles/get.ts';
import { define as list } from '../../../src/commands/articles/list.ts';
import { define as update } from '../../../src/commands/articles/update.ts';
import { define as login } from '../../../src/commands/login.ts';
import { define as serve } from '../../../src/commands/serve.ts';
import { verbs as store } from '../../../src/commands/store.ts';
import { verbs as token } from '../../../src/commands/token.ts';
import { define as api } from '../../../src/commands/api.ts';
import { define as edit } from '../../../src/commands/articles/edit.ts';
import {
  define as links,
  defineArticleLinks as articleLinks,
} from '../../../src/commands/links.ts';
import { verbs as config } from '../../../src/commands/config.ts';
import { verbs as profile } from '../../../src/commands/profile.ts';
import { parsed } from '../../support/parse.ts';

type AnyDefine = Parameters<typeof parsed<unknown>>[0];

const commands: Readonly<Record<string, AnyDefine>> = {
  list,
  get,
  create,
  update,
  delete: remove,
  login,
  serve,
  init: store.init,
  'token create': token.create,
  revoke: token.revoke,
  api,
  links,
  edit,
  'articles links': articleLinks,
  'config list': config.list,
  'config get': config.get,
  'config set': config.set,
  'config unset': config.unset,
  'profile add': profile.add,
  'profile use': profile.use,
  'profile show': profile.show,
  'profile remove': profile.remove,
  'token list': token.list,
};

function options(name: string, line: readonly string[]): Promise<unknown> {
  const define = commands[name];
  if (define === undefined) throw new Error(`no command ${name}`);
  return parsed(define, line);
}

const url = 'http://blog.test/api/v1.2/blogs/1/articles/7';

const serveDefaults = { host: '127.0.0.1' };

describe('a command line is read as options', () => {
  it.each<[string, readonly string[], unknown]>([
    ['list', [], {}],
    ['list', ['--limit', '5', '--page-size', '50'], { limit: 5, pageSize: 50 }],
    ['list', ['--all', '--page-size', '2'], { all: true, pageSize: 2 }],
    ['get', ['7'], { articles: [{ id: 7 }] }],
    ['get', ['7', url, '-'], { articles: [{ id: 7 }, { url }, '-'] }],
    ['create', ['--title', 'T', '--content', ''], { title: 'T', content: '' }],
    [
      'create',
      ['--from-file', '-', '--idempotency-key', 'k'],
      { fromFile: '-', idempotencyKey: 'k' },
    ],
    ['create', ['--title=--content', '--content', 'x'], { title: '--content', content: 'x' }],
    ['update', ['7', '--title', 'T'], { article: { id: 7 }, title: 'T' }],
    ['update', [url, '--clear-content'], { article: { url }, clearContent: true }],
    [
      'update',
      ['7', '--replace', '--title', 'T', '--force'],
      { article: { id: 7 }, replace: true, title: 'T', force: true },
    ],
    [
      'update',
      ['7', '--content-file', 'a.md', '--if-match', '"x"'],
      { article: { id: 7 }, contentFile: 'a.md', ifMatch: '"x"' },
    ],
    ['delete', ['7', '8'], { articles: [{ id: 7 }, { id: 8 }] }],
    ['delete', ['-', '--ignore-missing'], { articles: ['-'], ignoreMissing: true }],
    ['login', ['https://b.test/x'], { blogUrl: 'https://b.test/x' }],
    ['serve', [], { ...serveDefaults, port: 8080 }],
    [
      'serve',
      ['--store', 'b.json', '--port', '0', '--base-url', 'https://b.test', '--max-body', '10'],
      { ...serveDefaults, store: 'b.json', port: 0, baseUrl: 'https://b.test', maxBody: 10 },
    ],
    [
      'serve',
      ['--cors', 'https://a.test', '--cors', 'https://b.test', '--grace', '2s', '--ephemeral'],
      {
        ...serveDefaults,
        port: 8080,
        cors: ['https://a.test', 'https://b.test'],
        grace: 2000,
        ephemeral: true,
      },
    ],
    [
      'serve',
      [
        '--allowed-host',
        'a.test,b.test',
        '--allowed-host',
        'c.test',
        '--cors',
        'https://a.test,https://b.test',
        '--trust-proxy',
        '10.0.0.1, 10.0.0.2',
        '--fault',
        'GET slow 1ms once, POST drop-before 5%',
      ],
      {
        ...serveDefaults,
        port: 8080,
        allowedHost: ['a.test', 'b.test', 'c.test'],
        cors: ['https://a.test', 'https://b.test'],
        trustProxy: ['10.0.0.1', '10.0.0.2'],
        fault: ['GET slow 1ms once', 'POST drop-before 5%'],
      },
    ],
    ['init', [], { title: 'My blog', description: '' }],
    ['token create', [], { allow: ['create', 'update', 'delete'] }],
    [
      'token create',
      [
        '--allow',
        'create,delete',
        '--for-blog',
        '1',
        '--for-blog',
        '2',
        '--expires',
        '30d',
        '--name',
        'ci',
      ],
      { allow: ['create', 'delete'], forBlog: [1, 2], expires: 2_592_000_000, name: 'ci' },
    ],
    ['revoke', ['ci', '--store', 'b.json'], { token: 'ci', store: 'b.json' }],
    ['token list', ['--store', 'b.json'], { store: 'b.json' }],
    [
      'login',
      ['https://b.test/x', '--token-command', 'pass b'],
      { blogUrl: 'https://b.test/x', tokenCommand: 'pass b' },
    ],
    ['edit', ['7'], { article: { id: 7 } }],
    ['articles links', [url], { article: { url } }],
    ['links', [], { names: [] }],
    ['links', ['/x', 'doc:blog'], { names: ['/x', 'doc:blog'] }],
    ['api', [], {}],
    [
      'api',
      ['/x', '--follow', 'a', '--follow', 'b[1]', '--paginate'],
      { place: '/x', follow: ['a', 'b[1]'], paginate: true },
    ],
    [
      'api',
      ['-X', 'PUT', '-F', 'title=a=b', '-F', 'content=', '-i'],
      { method: 'PUT', value: { title: 'a=b', content: '' }, include: true },
    ],
    ['config list', ['--show-origin'], { showOrigin: true }],
    ['config get', ['timeout'], 'timeout'],
    ['config set', ['retries', '5'], { name: 'retries', value: '5' }],
    ['config unset', ['max-wait'], 'max-wait'],
    ['profile add', ['work', 'https://b.test/'], { name: 'work', blog: 'https://b.test/' }],
    ['profile use', ['work'], 'work'],
    ['profile show', ['work'], 'work'],
    ['profile remove', ['work'], 'work'],
  ])('%s %j', async (name, line, expected) => {
    expect(await options(name, line)).toEqual(expected);
  });
});

describe('a command line is refused', () => {
  it.each<[string, readonly string[], string]>([
    ['list', ['--limit', '0'], "argument '0' is invalid. It must be a whole number, 1 or more."],
    [
      'list',
      ['--limit', '1e3'],
      "argument '1e3' is invalid. It must be a whole number, 1 or more.",
    ],
    ['list', ['--limit'], "option '-L, --limit <n>' argument missing"],
    ['list', ['7'], 'Expected 0 arguments but got 1.'],
    ['get', [], "missing required argument 'article'"],
    ['get', ['seven'], 'An article is named by its id, its absolute URL or file:blog.json#7.'],
    ['get', ['007'], 'An article is named by its id, its absolute URL or file:blog.json#7.'],
    ['get', ['9007199254740993'], 'An article is named by its id, its absolute URL or'],
    ['get', ['file:b.json#9007199254740993'], 'An article is named by its id, its absolute URL or'],
    [
      'get',
      ['file:///etc/passwd'],
      'An article is named by its id, its absolute URL or file:blog.json#7.',
    ],
    ['create', ['--content', 'a', '--content-file', 'b'], 'cannot be used with option'],
    ['update', ['7', '--content', 'a', '--clear-content'], 'cannot be used with option'],
    ['update', ['7', '--force', '--if-match', '"x"'], 'cannot be used with option'],
    ['update', ['7', '--if-match', 'a\u0001b'], 'with the quotes that are part of it'],
    ['update', ['7', '--if-match', '7-x'], 'with the quotes that are part of it'],
    ['delete', ['7', '--if-match', '"日"'], 'with the quotes that are part of it'],
    ['delete', ['7', '--if-match', 'W/"x"'], 'No change can go by a weak ETag'],
    ['create', ['--idempotency-key', 'a\u0001b'], 'A key has visible ASCII characters alone.'],
    ['api', ['-X', 'GE T'], 'A method is one word, as GET, PUT or DELETE.'],
    ['api', ['-H', 'Expect: 100-continue'], 'Expect is of the connection'],
    ['serve', ['--port', '65536'], 'It must be a whole number, 0 to 65535.'],
    ['api', ['-F', 'x'], 'Write it as name=value.'],
    ['api', ['--paginate', '-X', 'PUT'], 'cannot be used with option'],
    ['api', ['--input', 'a', '-F', 'a=b'], 'cannot be used with option'],
    ['config get', ['color'], 'Allowed choices are blog, profile, timeout, retries, max-wait.'],
    ['profile add', ['work'], "missing required argument 'url|file:path'"],
    ['token create', ['--allow', 'read'], '"read" is none of create, update, delete.'],
    [
      'token create',
      ['--expires', '30'],
      'Write a duration as 500ms, 30s, 5m, 2h or 30d, 36500d at most.',
    ],
  ])('%s %j', async (name, line, message) => {
    await expect(options(name, line)).rejects.toThrow(message);
  });
});
