const wild = /[*?[{]/;

export type Glob = {
  /** The folders before the first pattern: `posts` of `posts/2020-*.md`. */
  readonly folder: string;
  /** Whether a path relative to that folder matches. */
  readonly matches: (path: string) => boolean;
};

/** A pattern of `*`, `**`, `?`, `[a-z]` and `{a,b}`; undefined where the argument holds none. */
export function parseGlob(argument: string): Glob | undefined {
  if (!wild.test(argument)) return undefined;
  const parts = argument.split('/');
  const first = parts.findIndex((part) => wild.test(part));
  const pattern = new RegExp(`^${expression(parts.slice(first).join('/'))}$`, 'u');
  const folder = parts.slice(0, first).join('/');
  return {
    folder: folder === '' ? (argument.startsWith('/') ? '/' : '.') : folder,
    matches: (path) => pattern.test(path),
  };
}

const tokens = /\*\*\/|\*\*|\*|\?|\[!?[^\]]+\]|\{[^}]+\}|[^*?[{]+|[[{]/g;

function expression(pattern: string): string {
  return (pattern.match(tokens) ?? []).map(translate).join('');
}

function translate(token: string): string {
  if (token === '**/') return '(?:[^/]+/)*';
  if (token === '**') return '.*';
  if (token === '*') return '[^/]*';
  if (token === '?') return '[^/]';
  if (token.startsWith('[') && token.length > 1) return characterClass(token);
  if (token.startsWith('{') && token.length > 1) return alternatives(token);
  return token.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function characterClass(token: string): string {
  const inner = token.slice(1, -1).replace(/^!/, '^').replaceAll(/[\\[]/g, '\\$&');
  return `[${inner}]`;
}

function alternatives(token: string): string {
  return `(?:${token.slice(1, -1).split(',').map(expression).join('|')})`;
}
