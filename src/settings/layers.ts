import { BlogctlError } from '../errors.ts';
import type { Config, ConfigFile } from './config-file.ts';
import type { Flags } from './flags.ts';
import { settingNames } from './names.ts';
import type { Surroundings } from './places.ts';
import { findProjectFile } from './project-file.ts';

export type Sources = Surroundings & {
  readonly flags: Flags;
  readonly config: ConfigFile;
  readonly folder: string;
};

/** Where settings come from, as they were written there. */
export type Layer = {
  readonly origin: 'flag' | 'environment' | 'project' | 'profile' | 'config';
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Where a setting of this layer stands, for messages. */
  place(name: string): string;
  /** A profile that is named and not there: an error to who wants its blog. */
  readonly missing?: BlogctlError;
};

/** The layers, the one that outranks the others first. */
export async function readLayers(sources: Sources): Promise<readonly Layer[]> {
  const config = await sources.config.read();
  const above = [
    flagLayer(sources.flags),
    environmentLayer(sources.env),
    ...(await projectLayer(sources)),
  ];
  const named = above.find(({ values }) => values['profile'] !== undefined);
  const profile = named?.values['profile'] ?? config.profile;
  const from = named?.place('profile') ?? sources.config.path;
  const { profile: _profile, profiles: _profiles, tokens: _tokens, ...settings } = config;
  return [
    ...above,
    ...(profile === undefined ? [] : [profileLayer(profile, from, config)]),
    {
      origin: 'config',
      values: { ...settings, profile: config.profile },
      place: () => sources.config.path,
    },
  ];
}

function flagLayer({ blog, profile, timeout, retries, maxWait }: Flags): Layer {
  const inMs = (ms: number | undefined) => (ms === undefined ? undefined : `${ms}ms`);
  return {
    origin: 'flag',
    values: {
      blog,
      profile,
      timeout: inMs(timeout),
      retries: retries?.toString(),
      'max-wait': inMs(maxWait),
    },
    place: (name) => `--${name}`,
  };
}

function environmentLayer(env: Sources['env']): Layer {
  const variable = (name: string) => `BLOGCTL_${name.toUpperCase().replace('-', '_')}`;
  return {
    origin: 'environment',
    values: Object.fromEntries(
      settingNames.map((name) => [name, env[variable(name)] || undefined]),
    ),
    place: variable,
  };
}

async function projectLayer({ folder }: Sources): Promise<Layer[]> {
  const project = await findProjectFile(folder);
  if (project === undefined) return [];
  return [{ origin: 'project', values: project.settings, place: () => project.path }];
}

function profileLayer(name: string, from: string, { profiles }: Config): Layer {
  const values = profiles[name] ?? {};
  const layer = { origin: 'profile', values, place: () => `profile ${name}` } as const;
  if (profiles[name] !== undefined) return layer;
  const missing = new BlogctlError('usage', `There is no profile "${name}" (${from}).`, {
    hint: 'blogctl profile list shows those there are; blogctl profile add makes one',
  });
  return { ...layer, missing };
}
