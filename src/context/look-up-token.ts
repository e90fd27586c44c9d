import { findToken, type FoundToken, isKnownOrigin } from '../settings/token.ts';
import type { Context } from './context.ts';

/**
 * The token for an origin. One that only the project's own file names gets none: whoever wrote that
 * file could have it sent anywhere.
 */
export async function lookUpToken(
  context: Context,
  origin: string,
): Promise<FoundToken | undefined> {
  const { terminal, signal } = context;
  const config = await context.config();
  const found = await findToken(origin, {
    tokenFile: context.flags.tokenFile,
    env: context.env,
    folder: context.folder,
    reading: { signal, notice: (text) => terminal.notice(text) },
    config,
    readInput: () => terminal.readInput(),
    runCommand: async (command) => {
      const { runCommand } = await import('../terminal/programs.ts');
      return runCommand(command, signal);
    },
  });
  const chosen = await context.chosen();
  const isNamedByProject = chosen.origin === 'project';
  if (found === undefined || !isNamedByProject || isKnownOrigin(origin, await config.read())) {
    return found;
  }
  await terminal.warn(
    `No token is sent to ${origin}: only ${chosen.place} names it. To trust it, run blogctl auth login <blog-url>.`,
  );
  return undefined;
}
