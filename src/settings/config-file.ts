import { promises, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { en } from 'zod/locales';
import * as z from 'zod/mini';
import { BlogctlError } from '../errors.ts';
import { hasCode, PRIVATE_FILE, PRIVATE_FOLDER } from '../files.ts';

z.config(en());

/** Where the token for an origin is: here, or in what a command prints. */
const StoredToken = z.union([z.string(), z.strictObject({ command: z.string() })]);
export type StoredToken = z.infer<typeof StoredToken>;

/** Settings as they are written: words, checked by whoever reads them (settings.ts). */
const text = z.optional(z.union([z.string(), z.pipe(z.number(), z.transform(String))]));

export const Written = { blog: text, timeout: text, retries: text, 'max-wait': text };

export const Profile = z.strictObject(Written);
export type Profile = z.infer<typeof Profile>;

/** What blogctl remembers between commands. Tokens are kept by origin, never by profile. */
export const Config = z.strictObject({
  ...Written,
  /** The profile used where none is named. */
  profile: text,
  profiles: z.prefault(z.record(z.string(), Profile), {}),
  tokens: z.prefault(z.record(z.string(), StoredToken), {}),
});
export type Config = z.infer<typeof Config>;

export type ConfigFile = {
  readonly path: string;
  read(): Promise<Config>;
  /**
   * Writes what `change` makes of the present content: atomically, for the owner alone, and with
   * no other blogctl in between, so that two changes at once lose nothing.
   */
  change(change: (config: Config) => Config): Promise<void>;
};

export function openConfigFile(folder: string): ConfigFile {
  const path = join(folder, 'config.json');
  return {
    path,
    // conf makes the folder when it reads; a command that only reads leaves no trace.
    read: async () => parse(isThere(path) ? (await openConf(folder)).store : {}, path),
    change: async (change) => {
      await promises.mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
      await alone(path, async () => {
        isThere(path);
        const conf = await openConf(folder);
        conf.store = change(parse(conf.store, path));
      });
    },
  };
}

/** Refuses what is no file: reading a pipe would wait for whoever writes into it. */
function isThere(path: string): boolean {
  try {
    if (statSync(path).isFile()) return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw unusable(path, error);
  }
  throw unusable(path, new Error('It is no regular file.'));
}

async function openConf(folder: string) {
  const { default: Conf } = await import('conf');
  try {
    return new Conf<Record<string, unknown>>({
      cwd: folder,
      projectName: 'blogctl',
      projectSuffix: '',
      accessPropertiesByDotNotation: false,
      configFileMode: PRIVATE_FILE,
    });
  } catch (error) {
    throw unusable(join(folder, 'config.json'), error);
  }
}

function parse(content: unknown, path: string): Config {
  const result = Config.safeParse(content);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.map(String).join('.') ?? '';
  throw unusable(path, new Error(`${place === '' ? '' : `${place}: `}${issue?.message ?? ''}`));
}

function unusable(path: string, cause: unknown): BlogctlError {
  return new BlogctlError('unusable-input', `The configuration file ${path} cannot be used.`, {
    hint: 'Mend it, or move it away to begin anew.',
    cause,
  });
}

const lockTimeoutMs = 5000;
const askAgainMs = 20;
/** A change takes milliseconds; a lock this old was left behind by a process that died. */
const abandonedMs = 10_000;

/** Does something while no other process does the same for this path. */
export async function alone<T>(path: string, act: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  await take(lock);
  try {
    return await act();
  } finally {
    await promises.rm(lock, { force: true });
  }
}

async function take(lock: string): Promise<void> {
  const until = Date.now() + lockTimeoutMs;
  for (;;) {
    try {
      await (await promises.open(lock, 'wx', PRIVATE_FILE)).close();
      return;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
      if (await isAbandoned(lock)) await promises.rm(lock, { force: true });
      else if (Date.now() > until) throw stillHeld(lock, error);
      else await pause(askAgainMs);
    }
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  try {
    return Date.now() - (await promises.stat(lock)).mtimeMs > abandonedMs;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function stillHeld(lock: string, cause: unknown): BlogctlError {
  return new BlogctlError('locked', 'Another blogctl is changing the configuration.', {
    hint: `Try again; where no other runs, remove ${lock} first.`,
    retryable: true,
    cause,
  });
}
