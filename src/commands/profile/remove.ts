import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { knownProfile } from './known-profile.ts';

export function define(command: Command, context: Context, run = removeProfile): void {
  command
    .argument('<name>', 'name of the profile')
    .addHelpText('after', '\nExamples:\n  blogctl profile remove work')
    .action((name: string) => run(name, context));
}

/** Takes a profile away; the token of its service stays until auth logout. */
export async function removeProfile(name: string, context: Context): Promise<void> {
  const config = await context.config();
  await config.change((known) => {
    knownProfile(known, name);
    const { [name]: _removed, ...profiles } = known.profiles;
    const { profile, ...others } = known;
    return { ...others, profiles, ...(profile !== undefined && profile !== name && { profile }) };
  });
  await context.terminal.notice(`Removed profile ${name}.`);
}
