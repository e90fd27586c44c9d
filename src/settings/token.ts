import { resolve } from 'node:path';
import { BlogctlError } from '../errors.ts';
import { openInput, readInput, type Reading } from '../files.ts';
import type { Config, ConfigFile } from './config-file.ts';

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
