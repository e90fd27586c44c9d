import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import type { SettingName } from '../../settings/names.ts';
import { settingArgument } from './setting-name.ts';

export function define(command: Command, context: Context, run = unsetSetting): void {
  command
    .addArgument(settingArgument())
    .addHelpText('after', '\nExamples:\n  blogctl config unset timeout')
    .action((name: SettingName) => run(name, context));
}

/** Takes back what config set has set. */
export async function unsetSetting(name: SettingName, context: Context): Promise<void> {
  const config = await context.config();
  await config.change((known) => ({ ...known, [name]: undefined }));
  await context.terminal.notice(`${name} is no longer set in ${config.path}`);
}
