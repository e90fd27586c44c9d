import { join } from 'node:path';
import { BlogctlError } from '../errors.ts';
import type { ConfigFile } from './config-file.ts';
import type { Flags } from './flags.ts';
import { dataFolder, type Surroundings } from './places.ts';
import { readTarget, type Target } from './target.ts';

export type Chosen = {
  readonly target: Target;
  /** What decided: a flag, a variable, a profile, or nothing. */
  readonly origin: 'flag' | 'environment' | 'profile' | 'default';
};

export type Sources = Surroundings & {
  readonly flags: Flags;
  readonly config: ConfigFile;
  readonly folder: string;
};

/**
 * The blog a command is about: --blog, else BLOGCTL_BLOG, else the profile in use, else the local
 * blog in the user's data folder. In CI nothing is assumed: a pipeline must name its target.
 */
export async function chooseBlog(sources: Sources): Promise<Chosen> {
  const { flags, env, folder, config } = sources;
  if (flags.blog !== undefined) {
    return { target: readTarget(flags.blog, folder), origin: 'flag' };
  }
  if (env['BLOGCTL_BLOG']) {
    return { target: readTarget(env['BLOGCTL_BLOG'], folder), origin: 'environment' };
  }
  const { profile, profiles } = await config.read();
  const known = profile === undefined ? undefined : profiles[profile];
  if (known !== undefined) return { target: readTarget(known.blog, folder), origin: 'profile' };
  if (isCi(env)) throw nothingNamed();
  const path = join(dataFolder(sources), 'blog.json');
  return { target: { kind: 'file', path }, origin: 'default' };
}

function isCi({ CI }: Surroundings['env']): boolean {
  return CI !== undefined && CI !== '' && CI !== '0' && CI !== 'false';
}

function nothingNamed(): BlogctlError {
  return new BlogctlError('usage', 'No blog is named, and in CI none is assumed.', {
    hint: 'name one with --blog <url|file:path> or BLOGCTL_BLOG',
  });
}
