import { BlogctlError } from '../../errors.ts';
import type { Config, Profile } from '../../settings/config-file.ts';

/** The profile of that name, or `not-found` with the names there are. */
export function knownProfile({ profiles }: Config, name: string): Profile {
  const profile = profiles[name];
  if (profile !== undefined) return profile;
  const names = Object.keys(profiles).join(', ');
  throw new BlogctlError('not-found', `There is no profile "${name}".`, {
    hint: names === '' ? 'blogctl profile add makes one' : `there are: ${names}`,
  });
}
