import { describe, expect, it } from 'vitest';
import { Versions } from '../../../server/store/json-file/open-document.ts';

describe('the version of an article', () => {
  it('stays while others change, however many', () => {
    const versions = new Versions();
    versions.changed([1]);
    const first = versions.of(1);
    versions.changed([2, 3]);
    expect([versions.of(1), versions.of(4)]).toEqual([first, 0]);
    for (let id = 10; id < 9_000; id += 1) versions.changed([id]);
    expect(versions.of(1)).toBe(first);
  });

  it('is never one that it had before', () => {
    const versions = new Versions();
    const seen = [versions.of(1)];
    for (const changed of [[1], [2, 1], Array.from({ length: 20_000 }, (_, at) => at), [1]]) {
      versions.changed(changed);
      seen.push(versions.of(1));
    }
    versions.all();
    seen.push(versions.of(1));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('is forgotten for a newer one where more changed than are kept', () => {
    const versions = new Versions();
    versions.changed([1]);
    const [first, other] = [versions.of(1), versions.of(7)];
    for (let id = 10; id < 20_000; id += 1) versions.changed([id]);
    expect(versions.of(1)).toBeGreaterThan(first);
    expect(versions.of(7)).toBeGreaterThan(other);
  });
});
