import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { BlogctlError } from '../errors.ts';
import { hasCode, readRegularFile } from '../files.ts';
import type { TerminalFlags } from '../terminal/streams.ts';
import { type Config, type ConfigFile, Written } from './config-file.ts';
import type { Environment } from './target.ts';
import { settingNames } from './values.ts';

export type Sources = Environment & {
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

/** The layers, the one that outranks the others first; a profile stands behind what names it. */
export async function readLayers(sources: Sources): Promise<readonly Layer[]> {
  const config = await sources.config.read();
  const above = [
    flagLayer(sources.flags),
    environmentLayer(sources.env),
    ...(await projectLayer(sources)),
  ];
  const at = above.findIndex(({ values }) => values['profile'] !== undefined);
  const named = above[at];
  const profile = named?.values['profile'] ?? config.profile;
  const from = named?.place('profile') ?? sources.config.path;
  const { profile: _profile, profiles: _profiles, tokens: _tokens, ...settings } = config;
  const chosen = profile === undefined ? [] : [profileLayer(profile, from, config)];
  return [
    ...above.toSpliced(named === undefined ? above.length : at + 1, 0, ...chosen),
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
      settingNames.map((name) => [name, env[variable(name)]?.trim() || undefined]),
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
    hint: 'See blogctl profile list, or make one with blogctl profile add.',
  });
  return { ...layer, missing };
}

/** The flags every command takes, as they were given (docs: blogctl --help). */
export type Flags = TerminalFlags & {
  readonly blog?: string;
  readonly profile?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly retries?: number;
  /** Milliseconds. */
  readonly maxWait?: number;
  readonly tokenFile?: string;
  /** Origins beside the blog's own that links may lead to. */
  readonly allowOrigin?: readonly string[];
  readonly allowInsecureLinks?: boolean;
  readonly verbose?: number;
};

const name = '.blogctl.json';

/** What a project may say. No token: such a file is meant to be shared. */
const ProjectFile = z.strictObject({ ...Written, profile: Written.blog });

type Project = {
  readonly path: string;
  readonly settings: z.infer<typeof ProjectFile>;
};

/** The nearest `.blogctl.json` in this folder or one above it. */
async function findProjectFile(folder: string): Promise<Project | undefined> {
  for (let here = folder; ; here = dirname(here)) {
    const path = join(here, name);
    const text = await readIfThere(path);
    if (text !== undefined) return { path, settings: parse(text, path) };
    if (dirname(here) === here) return undefined;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path)).toString('utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw unusable(path, error);
  }
}

function parse(text: string, path: string): Project['settings'] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw unusable(path, error);
  }
  const result = ProjectFile.safeParse(content);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw unusable(
    path,
    new Error(`${issue?.path.map(String).join('.') ?? ''} ${issue?.message ?? ''}`.trim()),
  );
}

function unusable(path: string, cause: unknown): BlogctlError {
  return new BlogctlError('unusable-input', `The project file ${path} cannot be used.`, {
    hint: 'It may say blog, profile, timeout, retries and max-wait, each as a string; never a token.',
    cause,
  });
}
