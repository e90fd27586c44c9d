import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { BlogctlError } from '../errors.ts';
import { hasCode, openRegularFile } from '../files.ts';
import type { TerminalFlags } from '../terminal/streams.ts';
import { type Config, type ConfigFile, Written } from './config-file.ts';
import type { Environment } from './target.ts';
import { settingNames } from './values.ts';

export type Sources = Environment & {
  readonly flags: Flags;
  readonly config: ConfigFile;
  readonly folder: string;
  /** The effective user; undefined where the platform has none. */
  readonly uid?: number | undefined;
};

/** Where settings come from, as they were written there. */
export type Layer = {
  readonly origin: 'flag' | 'environment' | 'project' | 'profile' | 'config';
  readonly values: Readonly<Record<string, string | undefined>>;
  /** Where a setting of this layer stands, for messages. */
  place(name: string): string;
  /** The project's file that these come from, or that names their profile. */
  readonly project?: string | undefined;
  /** A profile that is named and not there: an error to who wants its blog. */
  readonly missing?: BlogctlError;
  /** A file that is not ours and not read: an error to who wants the blog that it would choose. */
  readonly foreign?: BlogctlError;
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
  const project = named?.project;
  const chosen = profile === undefined ? [] : [{ ...profileLayer(profile, from, config), project }];
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

/** The nearest `.blogctl.json` in this folder or one above it. */
async function projectLayer(sources: Sources): Promise<Layer[]> {
  for (let here = sources.folder; ; here = dirname(here)) {
    const path = join(here, name);
    const found = await readIfThere(path, sources);
    const layer = { origin: 'project', place: () => path, project: path } as const;
    if (found instanceof BlogctlError) return [{ ...layer, values: {}, foreign: found }];
    if (found !== undefined) return [{ ...layer, values: parse(found, path) }];
    if (dirname(here) === here) return [];
  }
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

/**
 * Not that of another user: in a folder above ours anybody may be able to lay one (as git, safe.directory). Of a link
 * both count, who laid it and whose file it leads to; the latter of what was opened.
 */
async function readIfThere(
  path: string,
  sources: Sources,
): Promise<string | BlogctlError | undefined> {
  try {
    const { uid } = lstatSync(path);
    if (!isTrusted(uid, sources)) return foreign(path, uid);
    const file = await openRegularFile(path);
    try {
      const { uid: owner } = await file.stat();
      return isTrusted(owner, sources) ? await file.readFile('utf8') : foreign(path, owner);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw unusable(path, error);
  }
}

/** Root trusts who became it by sudo, too. */
function isTrusted(owner: number, { uid, env }: Sources): boolean {
  return uid === undefined || owner === uid || (uid === 0 && String(owner) === env['SUDO_UID']);
}

function foreign(path: string, owner: number): BlogctlError {
  const message = `${path} belongs to another user (uid ${owner}) and is not obeyed.`;
  return new BlogctlError('unusable-input', message, {
    hint: 'Name the blog with --blog or BLOGCTL_BLOG; or, where you trust what the file says, make it yours (chown).',
  });
}

function parse(text: string, path: string): z.infer<typeof ProjectFile> {
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
