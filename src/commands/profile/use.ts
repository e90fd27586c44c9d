import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { knownProfile } from './known-profile.ts';

export function define(command: Command, context: Context, run = useProfile): void {
  command
    .argument('<name>', 'name of the profile')
    .addHelpText('after', '\nExamples:\n  blogctl profile use work')
    .action((name: string) => run(name, context));
}

/** Makes a profile the one that is used where none is named. */
export async function useProfile(name: string, context: Context): Promise<void> {
  const config = await context.config();
  await config.change((known) => {
    knownProfile(known, name);
    return { ...known, profile: name };
  });
  await context.terminal.notice(`Profile ${name} is used from now on.`);
}
