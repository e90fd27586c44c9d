import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import type { SettingName } from '../../settings/names.ts';
import { settingArgument } from './setting-name.ts';

export function define(command: Command, context: Context, run = getSetting): void {
  command
    .addArgument(settingArgument())
    .addHelpText('after', '\nExamples:\n  blogctl config get timeout')
    .action((name: SettingName) => run(name, context));
}

/** The value of a setting as it would be used here. */
export async function getSetting(name: SettingName, context: Context): Promise<void> {
  const written = (await context.settings()).written(name);
  if (written === undefined) {
    throw new BlogctlError('not-found', `${name} is not set.`, {
      hint: `blogctl config set ${name} <value> sets it`,
    });
  }
  const { value, origin, place } = written;
  await context.terminal.show({
    one: { setting: name, value, origin, place },
    columns: ['value'],
    human: () => `${value}\n`,
  });
}
