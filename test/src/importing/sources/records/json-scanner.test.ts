import * as fc from 'fast-check';
import { expect, it } from 'vitest';

import { createJsonScanner } from '../../../../../src/importing/sources/formats/json-scanner.ts';
import { ValidationError } from '../../../../../src/importing/sources/source.ts';

/** The items of the array at `list`, read in chunks of so many bytes from one buffer. */
function scan(text: string, list: string, chunkBytes: number): readonly unknown[] {
  const items: unknown[] = [];
  const scanner = createJsonScanner({
    opened: (path, kind) => {
      if (kind === 'array' && path.join('.') === list) return 'items';
      return path.length === 0 ? 'inside' : 'nothing';
    },
    item: (bytes, index) => {
      expect(index).toBe(items.length);
      items.push(JSON.parse(bytes.toString('utf8')));
    },
  });
  const bytes = Buffer.from(text);
  const chunk = Buffer.alloc(chunkBytes);
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    // The same buffer each time, as files are read.
    scanner.write(chunk.subarray(0, bytes.copy(chunk, 0, at, at + chunkBytes)));
  }
  scanner.end();
  return items;
}

const value = fc.jsonValue({ stringUnit: 'binary' });
const list = fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 6 });
const indent = fc.constantFrom(undefined, 1, '\t');
const chunkBytes = fc.integer({ min: 1, max: 40 });

it('finds the items that a parser of the whole document finds, wherever its chunks end', () => {
  fc.assert(
    fc.property(value, list, value, indent, chunkBytes, (before, items, after, space, size) => {
      const text = JSON.stringify({ before, list: items, after }, null, space);
      expect(scan(text, 'list', size)).toEqual(JSON.parse(text).list);
      const bare = JSON.stringify(items, null, space);
      expect(scan(bare, '', size)).toEqual(JSON.parse(bare));
    }),
    { numRuns: 300 },
  );
});

it('never takes a document that was cut off for a whole one', () => {
  fc.assert(
    fc.property(
      list,
      value,
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (items, after, share) => {
        const text = JSON.stringify({ list: items, after });
        const cut = text.slice(0, Math.floor(text.length * share));
        const read = () => {
          try {
            return scan(cut, 'list', 16);
          } catch (error) {
            // What is cut inside an item is for the parser of that item to refuse.
            if (error instanceof ValidationError || error instanceof SyntaxError) return 'refused';
            throw error;
          }
        };
        expect(read()).toBe('refused');
      },
    ),
    { numRuns: 300 },
  );
});
