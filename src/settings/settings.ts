import { dirname, resolve } from 'node:path';
import { BlogctlError, type Hint } from '../errors.ts';
import { type Layer, readLayers, type Sources } from './layers.ts';
import { longestWaitMs, readDuration, readWholeNumber, type SettingName } from './values.ts';
import { localBlogFile, readTarget, type Target, targetName } from './target.ts';
import { openInput, readInput, type Reading } from '../files.ts';
import type { Config, ConfigFile } from './config-file.ts';

type SettingOrigin = Layer['origin'] | 'default';

/** A value and what decided it. */
export type Setting<T> = {
  readonly value: T;
  readonly origin: SettingOrigin;
  /** A flag, a variable, a file; '' for a default. */
  readonly place: string;
  /** The project's file that decided it, itself or by the name of a profile. */
  readonly project?: string | undefined;
};

/** A wrong value is an error only to who asks for it. */
export type Settings = {
  /** The blog a command is about. In CI none is assumed: a pipeline must name its target. */
  target(): Setting<Target>;
  /** The same where it is named; undefined where one would be assumed. */
  named(): Setting<Target> | undefined;
  timeoutMs(): number;
  retries(): number;
  maxWaitMs(): number;
  /** As it was written, by its name; undefined where nothing was and nothing is assumed. */
  written(name: SettingName): Setting<string> | undefined;
  /** A project file of another user, which says nothing here: the error to who wants its blog. */
  readonly foreign: BlogctlError | undefined;
};

/** Flag before environment before `.blogctl.json` before profile before what was set for good. */
export async function readSettings(sources: Sources): Promise<Settings> {
  const layers = await readLayers(sources);
  const at = layers.findIndex((layer) => layer.foreign !== undefined);
  const foreign = layers[at]?.foreign;
  // Beneath a file that may have chosen another blog, none is chosen.
  const choosing = at === -1 ? layers : layers.slice(0, at);
  const written = (name: SettingName) =>
    find(name === 'blog' ? choosing : layers, name) ?? assumed(name);
  const waitOf = (name: 'timeout' | 'max-wait') =>
    Math.min(require(written(name), name), longestWaitMs);
  const named = () => {
    const missing = layers.find((layer) => layer.missing)?.missing;
    if (missing !== undefined) throw missing;
    return namedTarget(find(choosing, 'blog'), sources);
  };
  return {
    target: () => {
      const target = named();
      if (target === undefined && foreign !== undefined) throw foreign;
      return target ?? assumedTarget(sources);
    },
    named,
    timeoutMs: () => waitOf('timeout'),
    retries: () => require(written('retries'), 'retries'),
    maxWaitMs: () => waitOf('max-wait'),
    written,
    foreign,
  };
}

/** The value as it is to be kept; throws `usage` where it is none for that setting. */
export function checkSetting(name: SettingName, value: string, folder: string): string {
  if (name === 'profile') return value;
  if (name !== 'blog') {
    require({ value, origin: 'config', place: 'config set' }, name);
    return value;
  }
  const target = readTarget(value, folder);
  return targetName(target);
}

function find(layers: readonly Layer[], name: SettingName): Setting<string> | undefined {
  for (const layer of layers) {
    const value = layer.values[name];
    if (value === undefined) continue;
    return { value, origin: layer.origin, place: layer.place(name), project: layer.project };
  }
  return undefined;
}

const defaults: Partial<Record<SettingName, string>> = {
  timeout: '30s',
  retries: '3',
  'max-wait': '5m',
};

function assumed(name: SettingName): Setting<string> | undefined {
  const value = defaults[name];
  return value === undefined ? undefined : { value, origin: 'default', place: '' };
}

type Numeric = Exclude<SettingName, 'blog' | 'profile'>;

function require(setting: Setting<string> | undefined, name: Numeric): number {
  const text = setting?.value ?? '';
  const value = name === 'retries' ? readWholeNumber(text) : readDuration(text);
  // Nothing is answered in no time at all.
  const isNever = name === 'timeout' && (value === 0 || Number(text) === 0);
  if (value !== undefined && !isNever) return value;
  const hint: Hint =
    name === 'retries'
      ? 'Write a whole number.'
      : readWholeNumber(text) === undefined || isNever
        ? 'Write a duration as 500ms, 30s, 5m or 2h.'
        : `Write ${text}s for seconds; a duration is written as 500ms, 30s, 5m or 2h.`;
  throw new BlogctlError('usage', `"${text}" is no value for ${name} (${setting?.place}).`, {
    hint,
  });
}

function namedTarget(named: Setting<string> | undefined, { folder }: Sources) {
  if (named === undefined) return undefined;
  // A file a project names lies beside the project's own file, wherever the command is run.
  const beside = named.origin === 'project' ? dirname(named.place) : folder;
  return { ...named, value: readTarget(named.value, beside) };
}

function assumedTarget(sources: Sources): Setting<Target> {
  if (isCi(sources.env)) throw nothingNamed();
  const path = resolve(sources.folder, localBlogFile(sources));
  return { value: { kind: 'file', path }, origin: 'default', place: '' };
}

function isCi({ CI }: Sources['env']): boolean {
  return CI !== undefined && CI !== '' && CI !== '0' && CI !== 'false';
}

function nothingNamed(): BlogctlError {
  return new BlogctlError('usage', 'No blog is named, and in CI none is assumed.', {
    hint: 'Name one with --blog <url|file:path> or BLOGCTL_BLOG.',
  });
}

type TokenSources = {
  /** `--token-file`: a path, or `-` for stdin. */
  readonly tokenFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: ConfigFile;
  /** The folder relative paths start from. */
  readonly folder: string;
  readonly reading?: Reading;
  readInput(): Promise<Uint8Array>;
  /** What a command prints on stdout. */
  runCommand(command: string): Promise<string>;
};

export type FoundToken = { readonly token: string; readonly from: string };

/** `withheld` where only a project's file names the origin: none goes there, whoever has one. */
export type LookedUpToken = FoundToken | 'withheld' | undefined;

/**
 * The token for an origin: --token-file, else BLOGCTL_TOKEN, else BLOGCTL_TOKEN_FILE, else what
 * auth login stored for that origin. Never from a flag's own value: command lines are public.
 */
export async function findToken(
  origin: string,
  sources: TokenSources,
): Promise<FoundToken | undefined> {
  const { env, tokenFile, config } = sources;
  if (tokenFile !== undefined) {
    return { token: await readTokenFile(tokenFile, sources), from: '--token-file' };
  }
  if (env['BLOGCTL_TOKEN']) {
    return { token: checkToken(env['BLOGCTL_TOKEN'], 'BLOGCTL_TOKEN'), from: 'BLOGCTL_TOKEN' };
  }
  if (env['BLOGCTL_TOKEN_FILE']) {
    const token = await readTokenFile(env['BLOGCTL_TOKEN_FILE'], sources);
    return { token, from: 'BLOGCTL_TOKEN_FILE' };
  }
  const stored = (await config.read()).tokens[origin];
  if (stored === undefined) return undefined;
  if (typeof stored === 'string') return { token: stored, from: config.path };
  const printed = await sources.runCommand(stored.command);
  return { token: checkToken(printed, `What ${stored.command} prints`), from: stored.command };
}

/**
 * Whether the user, and not only a project's file, has named this origin: by a login or in a
 * profile. A file that comes with a repository must not direct a token of the environment.
 */
export function isKnownOrigin(origin: string, { tokens, profiles, blog }: Config): boolean {
  const blogs = [blog, ...Object.values(profiles).map((profile) => profile.blog)];
  const named = blogs.some(
    (url) => url !== undefined && URL.canParse(url) && new URL(url).origin === origin,
  );
  return named || tokens[origin] !== undefined;
}

export async function readTokenFile(
  path: string,
  sources: Pick<TokenSources, 'folder' | 'readInput' | 'reading'>,
): Promise<string> {
  const { folder, reading } = sources;
  if (path === '-') {
    return checkToken(Buffer.from(await sources.readInput()).toString('utf8'), 'stdin');
  }
  try {
    const input = await openInput(resolve(folder, path), reading);
    return checkToken((await readInput(input, { ...reading, name: path })).toString('utf8'), path);
  } catch (error) {
    if (error instanceof BlogctlError) throw error;
    throw new BlogctlError('unusable-input', `The token file ${path} cannot be read.`, {
      hint: 'Name a file that holds the token and nothing else.',
      cause: error,
    });
  }
}

/** A token is one word of visible ASCII; its text is never repeated in a message. */
export function checkToken(text: string, source: string): string {
  const token = text.trim();
  if (/^[\u0021-\u007e]+$/.test(token)) return token;
  const more = /\s/.test(token) ? 'holds more than a token' : 'holds signs that no token has';
  const what = token === '' ? 'holds no token' : more;
  throw new BlogctlError('unusable-input', `${source} ${what}.`, {
    hint: 'It must hold the token alone, on one line.',
  });
}
