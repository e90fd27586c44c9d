import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { statusOf } from '../server/errors.ts';
import { refusal } from '../src/client/refusals.ts';
import { exitCodes } from '../src/commands/help.ts';
import { topics } from '../src/commands/help.ts';
import { deadLinks, pagesUnder } from './support/page-links.ts';

const textOf = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

function sourcesUnder(folder: string): string[] {
  const all = readdirSync(new URL(`../${folder}`, import.meta.url), { recursive: true });
  return all
    .map((name) => posix.join(folder, String(name).replaceAll('\\', '/')))
    .filter((name) => /\.(?:ts|mjs|cjs)$/.test(name));
}

const sources = ['src', 'server', 'test', 'bench', 'build'].flatMap(sourcesUnder);

/** `interface, Endpoints, rules 8 to 10`, also where a comment goes on in the next line. */
const citation =
  /interface, ([A-Z][a-z]+(?: [a-z]+)*)((?:, rules? \d+)?(?:(?:, | and | to )\d+)*)/g;

type Cited = { readonly file: string; readonly section: string; readonly rules: number[] };

function citationsIn(file: string): Cited[] {
  const text = textOf(file).replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ');
  return [...text.matchAll(citation)].map(([, section = '', rules = '']) => ({
    file,
    section,
    rules: [...rules.matchAll(/\d+/g)].map(Number),
  }));
}

/** The rules of each section and of each part of one, by the headings that they stand under. */
function sectionsOf(text: string): ReadonlyMap<string, ReadonlySet<number>> {
  const sections = new Map<string, Set<number>>();
  let [section, part] = ['', ''];
  for (const line of text.split('\n')) {
    const [, level, name = ''] = /^(##|###) (?:\d+ )?(.+)$/.exec(line) ?? [];
    if (level === '##') [section, part] = [name, ''];
    if (level === '###') part = name;
    if (level !== undefined) sections.set(name, sections.get(name) ?? new Set());
    const number = Number(/^- \*\*\d+\.(\d+)\*\*/.exec(line)?.[1] ?? Number.NaN);
    for (const each of [section, part]) if (number > 0) sections.get(each)?.add(number);
  }
  return sections;
}

describe('the interface', () => {
  const sections = sectionsOf(textOf('docs/interface.md'));
  const cited = sources.filter((file) => file !== 'test/documents.test.ts').flatMap(citationsIn);

  it('has what code and tests cite of it', () => {
    const unknown = cited.filter(
      ({ section, rules }) =>
        !sections.has(section) || rules.some((rule) => sections.get(section)?.has(rule) !== true),
    );
    expect(unknown).toEqual([]);
    expect(cited.length).toBeGreaterThan(50);
  });

  it('is cited in one spelling', () => {
    const otherwise = /\bapi\.md\b|\bEndpoints? \d|interface, Endpoints?,? \d/;
    const files = sources.filter((file) => file !== 'test/documents.test.ts');
    expect(files.filter((file) => otherwise.test(textOf(file)))).toEqual([]);
  });
});

describe('the decisions', () => {
  const text = textOf('docs/decisions.md');
  const headings = [...text.matchAll(/^### (\d+) \S/gm)].map(([, number]) => Number(number));

  it('stand under one heading each, and not in tables', () => {
    expect(headings.filter((number, at) => headings.indexOf(number) !== at)).toEqual([]);
    expect(text.split('\n').filter((line) => line.startsWith('|'))).toEqual([]);
  });

  it("of the command are held by tests whose names begin with theirs, as '53: …'", () => {
    // Those of the service are held by test/server/decisions, which reads them too.
    const [, service = ''] = /^## The service\n([^]*?)^## /m.exec(text) ?? [];
    const own = headings.filter((number) => !service.includes(`\n### ${number} `));
    const tests = sources.filter((file) => file.startsWith('test/')).map(textOf);
    const named = tests.flatMap((each) =>
      [...each.matchAll(/(?:describe|it|test)\(\s*'(\d+): /g)].map(([, number]) => Number(number)),
    );
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((number) => !named.includes(number))).toEqual([]);
  });

  it('are there where code and tests cite them', () => {
    const cited = sources.flatMap((file) =>
      [...textOf(file).matchAll(/\bdecisions ((?:\d+)(?:(?:, | and | to )\d+)*)/gi)].flatMap(
        ([, numbers = '']) => [...numbers.matchAll(/\d+/g)].map(([number]) => Number(number)),
      ),
    );
    expect([...new Set(cited)].filter((number) => !headings.includes(number))).toEqual([]);
  });
});

describe('the pages', () => {
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    ...pagesUnder('docs'),
  ];

  it.each(pages)('lead from %s to files and headings that are there', (page) => {
    expect(deadLinks(page, (name) => new URL(`../${name}`, import.meta.url))).toEqual([]);
  });

  it('begin with a README that is read in a minute', () => {
    expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(141);
  });

  it('name each other, and the README names them all', () => {
    const named = pagesUnder('docs').filter((page) => !textOf('README.md').includes(`(${page})`));
    expect(named).toEqual(['docs/screens/screens.md']);
    const told = [...(topics['pages']?.() ?? '').matchAll(/docs\/\S+\.md/g)].map(([page]) => page);
    expect([...named, ...told].sort()).toEqual(pagesUnder('docs'));
  });

  it('promise what a program proves that is there', () => {
    const [, table = ''] =
      /## What it promises[^]*?\n\n(\|[^]*?)\n\n/.exec(textOf('README.md')) ?? [];
    const rows = table.split('\n').slice(2);
    const programs = rows.map((row) => {
      const [, file, bench] = /`(?:node (\S+\.mjs)|npm run bench -- (\w+))`/.exec(row) ?? [];
      return file ?? `bench/${bench}.mjs`;
    });
    expect(programs).toHaveLength(5);
    expect(programs.filter((name) => textOf(name) === '')).toEqual([]);
  });

  it('have the words for each refusal that the service and the client have', () => {
    const rows = textOf('docs/testing.md')
      .split('\n')
      .map((line) => line.split('|'));
    for (const [reason, status] of Object.entries(statusOf)) {
      const request = { method: 'GET', url: 'http://localhost/', headers: {} };
      const { code } = refusal(request, { status, headers: {}, body: new Uint8Array() });
      const [, , codeTold, reasons] =
        rows.find(
          ([, answered]) => /^ \d{3}/.test(answered ?? '') && answered?.includes(String(status)),
        ) ?? [];
      expect(codeTold?.trim()).toBe(`\`${code}\``);
      expect(reasons).toContain(`\`${reason}\``);
    }
  });

  it('have the exit codes that the command has', () => {
    const rows = [...textOf('docs/exit-codes.md').matchAll(/^\| (\d+) +\| (.+?) +\|$/gm)];
    const told = rows.map(([, status, meaning]) => ({ status: Number(status), meaning }));
    expect(told).toEqual(exitCodes().map(({ status, meaning }) => ({ status, meaning })));
  });
});

describe('CONTRIBUTING.md', () => {
  const text = textOf('CONTRIBUTING.md');

  it('names files and folders that are there', () => {
    const named = [...text.matchAll(/`((?:src|server|test|bench|build|docs|bin)\/[\w./-]+)`/g)];
    const missing = named
      .map(([, path = '']) => path)
      .filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)));
    expect(missing).toEqual([]);
    expect(named.length).toBeGreaterThan(20);
  });

  it('has every room, and its lines within a quarter', () => {
    const rows = [...text.matchAll(/^\| `([\w/-]+)`\s+\|\s+([\d.]+)k\s+\|/gm)];
    const told = new Map(rows.map(([, room = '', lines]) => [room, Number(lines) * 1000]));
    const counted = linesOfRooms([...told.keys()]);
    expect(counted.get('')).toBe(undefined);
    const wrong = [...told].filter(([room, lines]) => {
      const found = counted.get(room) ?? 0;
      return Math.abs(found - lines) > Math.max(150, found / 4);
    });
    expect(wrong).toEqual([]);
  });
});

/** The lines of each room: of a file counts the nearest folder that is one; '' has what is in none. */
function linesOfRooms(rooms: readonly string[]): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const half of ['src', 'server']) {
    const names = readdirSync(new URL(`../${half}`, import.meta.url), { recursive: true });
    for (const name of names.map((each) => `${half}/${String(each).replaceAll('\\', '/')}`)) {
      if (!/\.(?:ts|js|css|md)$/.test(name)) continue;
      const within = rooms.filter((room) => isIn(name, room));
      const room = within.toSorted((a, b) => b.length - a.length)[0] ?? '';
      lines.set(room, (lines.get(room) ?? 0) + textOf(name).split('\n').length - 1);
    }
  }
  return lines;
}

/** `src` and `server` are rooms of the files that stand right in them. */
function isIn(name: string, room: string): boolean {
  const folder = posix.dirname(name);
  return folder === room || (room.includes('/') && folder.startsWith(`${room}/`));
}
