import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteWindow } from '../../../server/store/json-file/any-layout/byte-window.ts';
import { findJsonError } from '../../../server/store/json-file/any-layout/split-document.ts';
import { compactJson, membersOf } from '../../../server/store/json-file/format/head.ts';
import { createMemoryFileSystem } from '../../../server/store/file-system/memory-file-system.ts';
import { anyCharacter, anyText } from '../../support/any-text.ts';
import { givenStore, PATH, reopened, textOf } from './support/given-store.ts';

const json = fc.json({ maxDepth: 4, stringUnit: anyCharacter });
const spaced = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(0, 1, '\t', ' \r\n'))
  .map(([value, space]) =>
    typeof space === 'string'
      ? JSON.stringify(value, null, 1).replaceAll('\n', space)
      : JSON.stringify(value, null, space),
  );

function errorIn(text: string): ReturnType<typeof findJsonError> {
  const disk = createMemoryFileSystem([['/x', text]]);
  return findJsonError(new ByteWindow(disk.open('/x', 'read')));
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('our words for broken JSON come up where JSON.parse fails, and nowhere else', () => {
  const damaged = fc
    .tuple(json, fc.nat(), fc.constantFrom('', '"', ',', ']', '}', '\\', '\n', '0', 'e', ':'))
    .map(
      ([text, at, put]) =>
        text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1),
    );
  const agree = fc.property(fc.oneof(json, spaced, damaged), (text) => {
    expect(errorIn(text) === undefined).toBe(parses(text));
  });
  expect(() => fc.assert(agree, { numRuns: 3000 })).not.toThrow();
});

test.each([
  ['{"a":1', 6, 'The file ends too early'],
  ['{"a":"b}', 5, 'Unterminated string'],
  ['{"a" 1}', 5, 'Expected ":"'],
  ['{a:1}', 1, 'Expected a member name in quotes'],
  ['[1 2]', 3, 'Expected "," or "]"'],
  ['[01]', 1, '"01" is no JSON value'],
  ['["\\x"]', 2, 'Unknown escape in a string'],
  ['[1] x', 4, 'Something follows the end of the document'],
  ['["\t"]', 2, 'Control character in a string'],
])('%s is broken at %i: %s', (text, offset, what) => {
  expect(errorIn(text)).toEqual({ offset, what });
});

test('white space goes and every member keeps its spelling', () => {
  const same = fc.property(spaced, (text) => {
    expect(compactJson(text)).toBe(JSON.stringify(JSON.parse(text)));
  });
  expect(() => fc.assert(same, { numRuns: 1000 })).not.toThrow();
  expect(membersOf('{ "a" : 1.50 , "b":{"c,}":[ "]" ]}}')).toEqual([
    ['a', '1.50'],
    ['b', '{"c,}":["]"]}'],
  ]);
});

test('articles with any text and any unknown members are taken over from any layout', async () => {
  const article = fc.record({
    title: anyText(),
    content: anyText(),
    extra: fc.jsonValue(),
  });
  const same = fc.asyncProperty(
    fc.array(article, { maxLength: 8 }),
    fc.constantFrom(0, 1, '\t'),
    async (given, space) => {
      const articles = given.map((one, at) => ({
        extra: one.extra,
        id: at + 1,
        title: one.title,
        content: one.content,
      }));
      const text = JSON.stringify(
        { articles, blogs: [{ id: 1, title: 'B' }], format: 'blogctl/1' },
        null,
        space,
      );
      const disk = createMemoryFileSystem([[PATH, text]]);
      const store = await reopened(disk);
      const page = await store.page(1, 0, 100);
      expect(page?.articles.map(({ json: bytes = Buffer.alloc(0) }) => bytes.toString())).toEqual(
        articles.map(({ id, title, content }) => JSON.stringify({ id, title, content })),
      );
      await store.confirm();
      const extras = JSON.parse(textOf(disk)).articles.map(
        ({ extra }: { extra: unknown }) => extra,
      );
      expect(JSON.stringify(extras)).toBe(JSON.stringify(articles.map(({ extra }) => extra)));
    },
  );
  await expect(fc.assert(same, { numRuns: 300 })).resolves.toBeUndefined();
});

test('articles in any order come out in the order of their ids', async () => {
  const { store, disk } = await givenStore(5);
  await store.close();
  const document = JSON.parse(textOf(disk));
  document.articles.reverse();
  const reversed = createMemoryFileSystem([[PATH, JSON.stringify(document)]]);
  const again = await reopened(reversed);
  expect(again.recovery).toMatchObject({ kind: 'reformatted', edited: [] });
  expect((await again.page(1, 0, 9))?.articles.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
});
