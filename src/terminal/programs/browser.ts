import { execa } from 'execa';
import { BlogctlError } from '../../errors.ts';

type Surroundings = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
};

/** Opens an address in the browser of the user: BROWSER, else the platform's own way. */
export async function openInBrowser(url: string, { env, platform }: Surroundings): Promise<void> {
  const [program, ...words] = env['BROWSER'] ? [env['BROWSER']] : openers(platform);
  const { exitCode, cause } = await execa(program ?? '', [...words, url], {
    stdio: 'ignore',
    reject: false,
  });
  if (exitCode === 0) return;
  throw new BlogctlError('unusable-input', `No browser could be opened with ${program}.`, {
    hint: `name one with BROWSER, or open it yourself: ${url}`,
    cause,
  });
}

function openers(platform: string): readonly string[] {
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open'];
}
