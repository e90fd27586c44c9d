import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Everything a file loads before anything is called: its static imports, and theirs. */
function loadedBy(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const statement = /^(?:import|export) (?!type)[^;]*?from '([^']+)';/gms;
  for (const [, source = ''] of readFileSync(file, 'utf8').matchAll(statement)) {
    if (source.startsWith('.')) loadedBy(join(file, '..', source), seen);
    else seen.add(source);
  }
  return seen;
}

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));

it('help loads commander and Node itself, no other library and no part of the service', () => {
  const loaded = [...loadedBy(main)];
  const libraries = loaded.filter((name) => !name.startsWith('/') && !/^node:|^[A-Z]:/.test(name));
  expect(libraries).toEqual(['commander']);
  expect(loaded.filter((name) => /[/\\]server[/\\]/.test(name))).toEqual([]);
  expect(loaded.filter((name) => /commands[/\\]articles/.test(name))).toEqual([]);
  // What every process of Node has loaded; streams and sockets cost a start a tenth.
  expect(loaded.filter((name) => name.startsWith('node:'))).toEqual(['node:path', 'node:fs']);
});

it('the bundle has what help loads in one file: another costs a start what a hundred lines do', () => {
  const bundle = readFileSync(
    fileURLToPath(new URL('../../dist/main.cjs', import.meta.url)),
    'utf8',
  );
  const atOnce = /(?:^|;)(?:const|let|var) \w+=require\("\.\/([a-z-]+?)-[\w-]{8}\.cjs"\)/g;
  expect([...bundle.matchAll(atOnce)].map(([, name]) => name)).toEqual([]);
});
