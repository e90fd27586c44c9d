import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

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

it('a completion script is printed with no part of Node and no library more than help loads', () => {
  const completion = fileURLToPath(new URL('../../src/commands/completion.ts', import.meta.url));
  const known = loadedBy(main);
  const more = [...loadedBy(completion)].filter((name) => !known.has(name));
  expect(more.map((name) => name.split(/[/\\]/).at(-1))).toEqual(['completion.ts']);
});

it('the bundle has what help loads in one file, and what every file begins with', () => {
  const bundle = readFileSync(
    fileURLToPath(new URL('../../dist/main.cjs', import.meta.url)),
    'utf8',
  );
  const atOnce = /(?:^|;)(?:const|let|var) \w+=require\("\.\/([a-z-]+?)-[\w-]{8}\.cjs"\)/g;
  expect([...bundle.matchAll(atOnce)].map(([, name]) => name)).toEqual(['rolldown-runtime']);
});

it('a copy that was not built says what to do', () => {
  const folder = mkdtempSync(join(tmpdir(), 'blogctl-unbuilt-'));
  try {
    for (const part of ['bin', 'package.json'])
      cpSync(fileURLToPath(new URL(`../../${part}`, import.meta.url)), join(folder, part), {
        recursive: true,
      });
    const command = (flag: string) =>
      spawnSync(process.execPath, [join(folder, 'bin/blogctl.cjs'), flag], { encoding: 'utf8' });
    expect(command('--version')).toMatchObject({ status: 0, stderr: '' });
    const { status, stdout, stderr } = command('--help');
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toBe(
      `error: This copy of blogctl was not built: ${join(folder, 'dist', 'main.cjs')} is missing.\n` +
        'hint: Install it again without --ignore-scripts; in a checkout run npm ci and npm run build.\n',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe.runIf(process.version.startsWith('v20.'))(
  'what the build has compiled, on Node 20',
  () => {
    const built = fileURLToPath(new URL('../..', import.meta.url));

    /** What help prints, and of each file whether V8 refused what was compiled of it. */
    function help(folder: string) {
      const script = `const vm = require('node:vm');
      vm.Script = class extends vm.Script {
        constructor(code, options) {
          super(code, options);
          console.error(this.cachedDataRejected);
        }
      };
      process.argv.splice(1, 0, 'blogctl');
      require(${JSON.stringify(join(folder, 'bin/blogctl.cjs'))});`;
      const { stdout, stderr } = spawnSync(process.execPath, ['-e', script, '--', '--help'], {
        encoding: 'utf8',
      });
      return { stdout, refused: stderr.trim().split('\n') };
    }

    function withCopy(use: (folder: string, caches: readonly string[]) => void): void {
      const folder = mkdtempSync(join(tmpdir(), 'blogctl-test-'));
      for (const part of ['bin', 'dist', 'package.json'])
        cpSync(join(built, part), join(folder, part), { recursive: true });
      const dist = join(folder, 'dist');
      const names = readdirSync(dist).filter((name) => name.includes(`.cjs.${process.version}-`));
      use(
        folder,
        names.map((name) => join(dist, name)),
      );
      rmSync(folder, { recursive: true });
    }

    it('is taken', () => {
      const { stdout, refused } = help(built);
      expect(stdout).toContain('Usage: blogctl');
      expect(refused).toEqual(['false', 'false']);
    });

    it('imports nothing later: V8 would not know where from', () => {
      const files = readdirSync(join(built, 'dist')).filter((name) => name.endsWith('.cjs'));
      const text = (name: string) => readFileSync(join(built, 'dist', name), 'utf8');
      expect(files.filter((name) => /\bawait import\(/.test(text(name)))).toEqual([]);
    });

    it('is not needed, and what is broken is not taken', () => {
      withCopy((folder, caches) => {
        for (const cache of caches) writeFileSync(cache, 'broken');
        expect(help(folder)).toEqual({ ...help(built), refused: ['true', 'true'] });
        for (const cache of caches) rmSync(cache);
        expect(help(folder)).toEqual({ ...help(built), refused: ['undefined', 'undefined'] });
      });
    });
  },
);
