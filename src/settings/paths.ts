import { homedir } from 'node:os';
import { join } from 'node:path';

export type Environment = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  readonly home?: string;
};

/** Where the configuration file lives: BLOGCTL_CONFIG_DIR, else each platform's own place. */
export function configFolder(environment: Environment): string {
  const { env, platform, home = homedir() } = environment;
  if (env['BLOGCTL_CONFIG_DIR']) return env['BLOGCTL_CONFIG_DIR'];
  if (platform === 'darwin') return join(home, 'Library', 'Preferences', 'blogctl');
  if (platform === 'win32') {
    return join(env['APPDATA'] || join(home, 'AppData', 'Roaming'), 'blogctl', 'Config');
  }
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'blogctl');
}

/** The store file of the local blog. */
export function localBlogFile(environment: Environment): string {
  return join(dataFolder(environment), 'blog.json');
}

/** The folder of the local blog and of unsaved texts: BLOGCTL_DATA_DIR, else each platform's own place. */
export function dataFolder(environment: Environment): string {
  const { env, platform, home = homedir() } = environment;
  if (env['BLOGCTL_DATA_DIR']) return env['BLOGCTL_DATA_DIR'];
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'blogctl');
  if (platform === 'win32') {
    return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'blogctl', 'Data');
  }
  return join(env['XDG_DATA_HOME'] || join(home, '.local', 'share'), 'blogctl');
}

/** Where runs leave what it takes to undo them; undefined where nothing is to be kept. */
export function runsFolder(environment: Environment): string | undefined {
  return environment.env['BLOGCTL_NO_RUNS'] === '1' ? undefined : dataFolder(environment);
}
