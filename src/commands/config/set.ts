import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import type { SettingName } from '../../settings/names.ts';
import { knownProfile } from '../profile/known-profile.ts';
import { settingArgument } from './setting-name.ts';

export type SetOptions = { readonly name: SettingName; readonly value: string };

export function define(command: Command, context: Context, run = setSetting): void {
  command
    .addArgument(settingArgument())
    .argument('<value>', 'what it shall be')
    .addHelpText(
      'after',
      `
A flag, a BLOGCTL_ variable, .blogctl.json and the profile in use outrank it.

Examples:
  blogctl config set timeout 2m`,
    )
    .action((name: SettingName, value: string) => run({ name, value }, context));
}

/** Sets a setting for good; a value that is none for it is refused. */
export async function setSetting({ name, value }: SetOptions, context: Context): Promise<void> {
  const { checkSetting } = await import('../../settings/settings.ts');
  const written = checkSetting(name, value, context.folder);
  const config = await context.config();
  await config.change((known) => {
    if (name === 'profile') knownProfile(known, value);
    return { ...known, [name]: written };
  });
  await context.terminal.notice(`${name} is ${written} from now on.`);
}
