import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { knownProfile } from './known-profile.ts';

export function define(command: Command, context: Context, run = showProfile): void {
  command
    .argument('[name]', 'name of the profile (default: the one in use)')
    .addHelpText('after', '\nExamples:\n  blogctl profile show\n  blogctl profile show work --json')
    .action((name: string | undefined) => run(name, context));
}

/** What a profile says, and whether a token for its service is kept. */
export async function showProfile(named: string | undefined, context: Context): Promise<void> {
  const config = await (await context.config()).read();
  const name = named ?? config.profile ?? 'default';
  const profile = knownProfile(config, name);
  const origin = URL.canParse(profile.blog ?? '') ? new URL(profile.blog ?? '').origin : '';
  const token = config.tokens[origin] === undefined ? 'none kept' : 'kept';
  await context.terminal.show({
    one: { profile: name, ...profile, token },
    columns: ['profile', 'blog', 'token'],
  });
}
