import { readFile } from 'node:fs/promises';
import { BlogctlError } from '../errors.ts';
import type { ConfigFile } from './config-file.ts';

export type TokenSources = {
  /** `--token-file`: a path, or `-` for stdin. */
  readonly tokenFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: ConfigFile;
  readInput(): Promise<Uint8Array>;
};

export type FoundToken = { readonly token: string; readonly from: string };

/**
 * The token for an origin: --token-file, else BLOGCTL_TOKEN, else BLOGCTL_TOKEN_FILE, else what
 * auth login stored for that origin. Never from a flag's own value: command lines are public.
 */
export async function findToken(
  origin: string,
  sources: TokenSources,
): Promise<FoundToken | undefined> {
  const { env, tokenFile } = sources;
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
  const token = (await sources.config.read()).tokens[origin];
  return token === undefined ? undefined : { token, from: sources.config.path };
}

export async function readTokenFile(
  path: string,
  { readInput }: Pick<TokenSources, 'readInput'>,
): Promise<string> {
  if (path === '-') return checkToken(Buffer.from(await readInput()).toString('utf8'), 'stdin');
  try {
    return checkToken(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof BlogctlError) throw error;
    throw new BlogctlError('unusable-input', `The token file ${path} cannot be read.`, {
      hint: 'name a file that holds the token and nothing else',
      cause: error,
    });
  }
}

/** A token is one word of visible ASCII; its text is never repeated in a message. */
export function checkToken(text: string, source: string): string {
  const token = text.trim();
  if (/^[\u0021-\u007e]+$/.test(token)) return token;
  const what = token === '' ? 'holds no token' : 'holds more than a token';
  throw new BlogctlError('unusable-input', `${source} ${what}.`, {
    hint: 'it must hold the token alone, on one line',
  });
}
