import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

export function pagesUnder(folder: string): string[] {
  const names = readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive: true });
  return names
    .map((name) => posix.join(folder, String(name).replaceAll('\\', '/')))
    .filter((name) => name.endsWith('.md'))
    .sort();
}

/** Links of a page that lead to no file, or to no heading of one, where `placed` says files lie. */
export function deadLinks(page: string, placed: (name: string) => URL): string[] {
  const text = readFileSync(placed(page), 'utf8').replaceAll(/```[^]*?```/g, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [file = '', heading] = target.split('#');
      const name = file === '' ? page : posix.join(posix.dirname(page), file);
      if (!existsSync(placed(name))) return true;
      return heading !== undefined && !headingsOf(readFileSync(placed(name), 'utf8')).has(heading);
    })
    .map((target) => `${page}: ${target}`);
}

/** As GitHub makes them: lower case, blanks as dashes, signs left out. */
function headingsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((each) =>
      each
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
