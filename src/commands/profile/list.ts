import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';

export function define(command: Command, context: Context, run = listProfiles): void {
  command.addHelpText('after', '\nExamples:\n  blogctl profile list').action(() => run(context));
}

/** Lists the profiles and marks the one in use. */
export async function listProfiles(context: Context): Promise<void> {
  const { profile: inUse, profiles } = await (await context.config()).read();
  const rows = Object.entries(profiles).map(([name, { blog }]) => ({
    profile: name,
    inUse: name === inUse ? 'yes' : '',
    blog,
  }));
  await context.terminal.show({ many: rows, columns: ['profile', 'inUse', 'blog'], id: 'profile' });
  if (rows.length === 0) {
    await context.terminal.notice('There are no profiles. Next: blogctl profile add <name> <url>');
  }
}
