import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';

import { homeOfPosts, pathBelow } from '../../identity/post-path.ts';

export type NamedFile = {
  /** How the file is reached, itself and not by a link. */
  readonly path: string;
  /** Whether a link led to it that must not be followed. */
  readonly isElsewhere: boolean;
};

/**
 * The file that an argument names. A shell's list (`posts/*`) names links too: one is the file it
 * leads to, where that is among the posts that the link belongs to; out of there, or to a hidden
 * place, it would publish what nobody chose.
 */
export function namedFile(argument: string, root: string | undefined): NamedFile {
  const folder = dirname(argument);
  const base = realpathSync(folder);
  if (!lstatSync(argument).isSymbolicLink() || isOfSystem(base)) {
    return { path: argument, isElsewhere: false };
  }
  const target = realpathSync(argument);
  const path = pathBelow(homeOfPosts(folder, root), target);
  if (path === undefined || isHidden(path)) return { path: target, isElsewhere: true };
  const beside = pathBelow(base, target);
  return { path: beside === undefined ? target : join(folder, beside), isElsewhere: false };
}

/** `/dev/stdin` and its like are names of what was opened already. */
function isOfSystem(folder: string): boolean {
  return /^\/(?:dev|proc)(?:\/|$)/.test(folder);
}

/** In a folder that is searched it would not be found either. */
function isHidden(path: string): boolean {
  return path.split(sep).some((name) => name.startsWith('.') || name === 'node_modules');
}
