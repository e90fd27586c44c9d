import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

type Room = { readonly rooms: readonly string[]; readonly libraries: readonly string[] };

/** What a command is run in is made before there is a command. */
const contextFiles = ['context', 'create-context', 'connect', 'open-file'].map(
  (name) => `src/commands/${name}.ts`,
);
const ofContext = [
  'src/errors.ts',
  'src/files.ts',
  'src/http',
  'src/client',
  'src/hal',
  'src/terminal',
  'src/settings',
  'src/local.ts',
];

/**
 * Who may import whom: the longest entry that a file's path starts with is its room. Data flows
 * from the command line to the wire and from the wire to the files, never back.
 */
const rooms: Readonly<Record<string, Room>> = {
  'src/errors.ts': { rooms: [], libraries: [] },
  'src/files.ts': { rooms: ['src/errors.ts'], libraries: [] },
  'src/http': { rooms: ['src/errors.ts', 'src/terminal/text.ts'], libraries: ['undici'] },
  'src/hal': { rooms: ['src/errors.ts', 'src/http'], libraries: ['url-template', 'zod'] },
  'src/client': {
    rooms: ['src/errors.ts', 'src/hal', 'src/http', 'src/terminal/text.ts'],
    libraries: ['zod'],
  },
  'src/importing': {
    rooms: ['src/errors.ts', 'src/files.ts', 'src/client', 'src/terminal/text.ts'],
    libraries: ['csv-parse', 'yaml', 'smol-toml', 'saxes', 'entities', 'yauzl', 'zod'],
  },
  'src/exporting.ts': {
    rooms: ['src/errors.ts', 'src/files.ts', 'src/client'],
    libraries: [],
  },
  'src/checking': {
    rooms: [
      'src/errors.ts',
      'src/hal',
      'src/http',
      'src/client/refusals.ts',
      'src/terminal/text.ts',
    ],
    libraries: [],
  },
  'src/terminal': {
    rooms: ['src/errors.ts', 'src/files.ts'],
    libraries: ['ora', 'execa', 'marked', 'entities', 'jq-wasm'],
  },
  'src/settings': {
    rooms: ['src/errors.ts', 'src/files.ts', 'src/terminal/streams.ts', 'src/terminal/text.ts'],
    libraries: ['conf', 'zod'],
  },
  'src/syncing': {
    rooms: [
      'src/errors.ts',
      'src/files.ts',
      'src/client',
      'src/importing',
      'src/exporting.ts',
      'src/terminal/text.ts',
      'src/terminal/view.ts',
      'src/terminal/diff.ts',
      'src/terminal/table.ts',
    ],
    libraries: ['zod'],
  },
  'src/local.ts': {
    rooms: ['src/errors.ts', 'src/http', 'server/index.ts'],
    libraries: [],
  },
  'src/commands': {
    rooms: [
      'package.json',
      'src/errors.ts',
      'src/files.ts',
      'src/client',
      'src/hal',
      'src/importing',
      'src/exporting.ts',
      'src/syncing',
      'src/checking',
      'src/terminal',
      'src/settings',
      'src/local.ts',
      'src/commands/suggestions/meanings.ts',
      'src/commands/context.ts',
      'src/commands/open-file.ts',
    ],
    libraries: ['commander'],
  },
  ...Object.fromEntries(
    contextFiles.map((file) => [file, { rooms: [...ofContext, ...contextFiles], libraries: [] }]),
  ),
  'src/commands/suggestions': {
    rooms: [
      'src/errors.ts',
      'src/files.ts',
      'src/settings/values.ts',
      'src/terminal',
      'src/commands/arguments.ts',
      'src/commands/lazy-command.ts',
      'src/commands/open-file.ts',
      'src/commands/articles/edited-text.ts',
    ],
    libraries: ['commander'],
  },
  'src/index.ts': { rooms: ['src/errors.ts', 'src/client', 'src/http'], libraries: [] },
  'src/testing': {
    rooms: ['src/errors.ts', 'src/client', 'src/http', 'src/local.ts'],
    libraries: [],
  },
  'src/program.ts': {
    rooms: ['src/errors.ts', 'src/commands', 'src/terminal'],
    libraries: ['commander'],
  },
  'src/main.ts': {
    rooms: [
      'src/errors.ts',
      'src/program.ts',
      'src/terminal',
      'src/commands/context.ts',
      'src/commands/create-context.ts',
      'src/commands/global-flags.ts',
      'src/commands/lazy-command.ts',
      'src/commands/suggestions',
    ],
    libraries: ['commander'],
  },
  'server/errors.ts': { rooms: [], libraries: [] },
  'server/fair-shares.ts': { rooms: [], libraries: [] },
  'server/store': { rooms: ['server/fair-shares.ts'], libraries: ['zod'] },
  'server/store/postgres': {
    rooms: ['server/errors.ts', 'server/fair-shares.ts', 'server/store'],
    libraries: ['pg'],
  },
  'server/policy': {
    rooms: ['server/errors.ts', 'server/store/store.ts', 'server/store/tokens.ts'],
    libraries: ['negotiator'],
  },
  'server/representations': {
    rooms: ['server/errors.ts', 'server/policy', 'server/store/store.ts'],
    libraries: [],
  },
  'server/documentation': {
    rooms: ['server/errors.ts', 'server/representations'],
    libraries: ['marked', 'dompurify'],
  },
  'server/routes': {
    rooms: [
      'server/errors.ts',
      'server/http/message.ts',
      'server/policy',
      'server/representations',
      'server/documentation',
      'server/store/store.ts',
      'server/store/tokens.ts',
    ],
    libraries: [],
  },
  'server/http': {
    rooms: [
      'server/errors.ts',
      'server/fair-shares.ts',
      'server/representations',
      'server/store/store.ts',
    ],
    libraries: [],
  },
  'server/app.ts': { rooms: ['server'], libraries: [] },
  'server/running': { rooms: ['server'], libraries: [] },
  'server/index.ts': { rooms: ['server'], libraries: [] },
};

/** Node's own modules that only one room may touch. */
const guarded: Readonly<Record<string, readonly string[]>> = {
  'node:http': [
    'server/http/connections.ts',
    'server/http/node-adapter.ts',
    'server/http/node-request.ts',
    'server/http/sending.ts',
  ],
  'node:child_process': ['src/terminal', 'src/syncing/git.ts'],
};

const root = fileURLToPath(new URL('..', import.meta.url));

function sourcesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')));
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const statements =
    /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)/g;
  const sources = [...text.matchAll(statements)].map((match) => match[1] ?? match[2] ?? '');
  // A file of a library, taken in as text.
  return sources.map((source) => source.replace(/^[./]+\/node_modules\//, ''));
}

/** Ways from a file back to itself, one at least where there are any: types count, and what is loaded later. */
function circlesIn(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const seen = new Set<string>();
  const follow = (file: string, way: readonly string[]): readonly string[] => {
    if (way.includes(file)) return [[...way.slice(way.indexOf(file)), file].join(' imports ')];
    if (seen.has(file)) return [];
    seen.add(file);
    return (imports.get(file) ?? []).flatMap((next) => follow(next, [...way, file]));
  };
  return [...imports.keys()].flatMap((file) => follow(file, []));
}

function roomOf(file: string): string {
  const names = Object.keys(rooms).filter((name) => file === name || file.startsWith(`${name}/`));
  return names.sort((a, b) => b.length - a.length)[0] ?? '';
}

function isWithin(file: string, places: readonly string[]): boolean {
  return places.some((place) => file === place || file.startsWith(`${place}/`));
}

function complaints(file: string, imports = importsOf(file)): string[] {
  const name = roomOf(file);
  const room = rooms[name];
  if (room === undefined) return [`${file} stands in no room`];
  return imports.flatMap((source) => {
    if (source.startsWith('.')) {
      const target = posix.join(dirname(file), source);
      const known = roomOf(target) === name || isWithin(target, room.rooms);
      return known ? [] : [`${file} imports ${target}`];
    }
    if (source.startsWith('node:')) {
      const homes = guarded[source];
      return homes === undefined || isWithin(file, homes) ? [] : [`${file} imports ${source}`];
    }
    const library = source.split('/')[0] ?? source;
    return room.libraries.includes(library) ? [] : [`${file} imports ${source}`];
  });
}

/** Where text is written to a stream: after it was made harmless to a screen (`Text`). */
const writers = ['src/terminal/messages.ts', 'src/terminal/terminal.ts'];

describe('architecture', () => {
  it('writes to the streams of the process in one place', () => {
    const used = /\b(?:stdout|stderr)\.write\(|\bconsole\.|\bcreateWrite\(\(\)/;
    const found = sourcesUnder('src').filter((file) =>
      used.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(found.toSorted()).toEqual(writers);
  });

  it('lets every file import only what its room may', () => {
    const files = [...sourcesUnder('src'), ...sourcesUnder('server')];
    expect(files.length).toBeGreaterThan(5);
    expect(files.flatMap((file) => complaints(file))).toEqual([]);
  });

  it('has at most 290 files, none longer than 250 lines', () => {
    const files = [...sourcesUnder('src'), ...sourcesUnder('server')];
    const lines = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1;
    expect(files.filter((file) => lines(file) > 250)).toEqual([]);
    expect(files.length).toBeLessThanOrEqual(290);
  });

  it('has no files that import each other in a circle', () => {
    const files = [...sourcesUnder('src'), ...sourcesUnder('server')];
    const targetsOf = (file: string) =>
      importsOf(file).map((source) => posix.join(dirname(file), source));
    expect(circlesIn(new Map(files.map((file) => [file, targetsOf(file)])))).toEqual([]);
  });

  it('names the files of a circle, in the order of their imports', () => {
    const imports = { 'main.ts': ['plan.ts'], 'plan.ts': ['step.ts'], 'step.ts': ['plan.ts'] };
    const named = circlesIn(new Map(Object.entries(imports)));
    expect(named).toEqual(['plan.ts imports step.ts imports plan.ts']);
  });

  it('names an import that its room may not have', () => {
    const imports = ['../http/node-adapter.ts', 'node:http', 'undici', '../errors.ts', 'node:path'];
    expect(complaints('server/policy/negotiation.ts', imports)).toEqual([
      'server/policy/negotiation.ts imports server/http/node-adapter.ts',
      'server/policy/negotiation.ts imports node:http',
      'server/policy/negotiation.ts imports undici',
    ]);
  });
});

type Mutant = { readonly name: string; readonly file: string; readonly from: string };

/** The nightly runs take long: what they change must not go unnoticed until then. */
it.each([
  ['mutants', 'mutants'],
  ['rule-mutants', 'rules'],
  ['postgres-mutants', 'mutants'],
])('%s of the nightly find what they change', async (file, list) => {
  const lists: Record<string, readonly Mutant[]> = await import(`./nightly/${file}.mjs`);
  const lost = (lists[list] ?? []).filter(
    ({ file: mutated, from }) => !readFileSync(join(root, mutated), 'utf8').includes(from),
  );
  expect(lost.map(({ name }) => name)).toEqual([]);
  expect(lists[list]?.length).toBeGreaterThan(10);
});
