import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { BlogctlError } from '../errors.ts';

/** What blogctl remembers between commands. Tokens are kept by origin, never by profile. */
export const Config = z.object({
  /** The profile used where none is named. */
  profile: z.string().optional(),
  profiles: z.record(z.string(), z.object({ blog: z.string() })).default({}),
  tokens: z.record(z.string(), z.string()).default({}),
});
export type Config = z.infer<typeof Config>;

export type ConfigFile = {
  readonly path: string;
  read(): Promise<Config>;
  /** Writes what `change` makes of the present content, atomically and for the owner alone. */
  change(change: (config: Config) => Config): Promise<void>;
};

export function openConfigFile(folder: string): ConfigFile {
  const path = join(folder, 'config.json');
  return {
    path,
    // conf makes the folder when it reads; a command that only reads leaves no trace.
    read: async () => parse(existsSync(path) ? (await openConf(folder)).store : {}, path),
    change: async (change) => {
      const conf = await openConf(folder);
      conf.store = change(parse(conf.store, path));
    },
  };
}

async function openConf(folder: string) {
  const { default: Conf } = await import('conf');
  try {
    return new Conf<Record<string, unknown>>({
      cwd: folder,
      projectName: 'blogctl',
      projectSuffix: '',
      accessPropertiesByDotNotation: false,
      configFileMode: 0o600,
    });
  } catch (error) {
    throw unusable(join(folder, 'config.json'), error);
  }
}

function parse(content: unknown, path: string): Config {
  const result = Config.safeParse(content);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw unusable(
    path,
    new Error(`${issue?.path.map(String).join('.') ?? ''}: ${issue?.message ?? ''}`),
  );
}

function unusable(path: string, cause: unknown): BlogctlError {
  return new BlogctlError('unusable-input', `The configuration file ${path} cannot be used.`, {
    hint: 'mend it, or move it away to begin anew',
    cause,
  });
}
