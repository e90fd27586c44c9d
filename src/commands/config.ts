import { Argument, type Command } from 'commander';
import type { Context } from './context.ts';
import { BlogctlError } from '../errors.ts';
import type { Settings } from '../settings/settings.ts';
import { type SettingName, settingNames } from '../settings/values.ts';
import { withoutSecrets } from '../terminal/text.ts';
import { useProfile, warnIfOutranked } from './profile.ts';

export const verbs = {
  list: defineList,
  get: defineGet,
  set: defineSet,
  unset: defineUnset,
  path: definePath,
};

type ListConfigOptions = { readonly showOrigin?: boolean };

function defineList(command: Command, context: Context, run = listConfig): void {
  command
    .option('--show-origin', 'where each value comes from')
    .addHelpText('after', '\nExamples:\n  blogctl config list --show-origin')
    .action((options: ListConfigOptions) => run(options, context));
}

/** Every setting as it would be used here. */
async function listConfig({ showOrigin }: ListConfigOptions, context: Context): Promise<void> {
  const settings = await inForce(context);
  const rows = settingNames.flatMap((setting) => {
    const written = settings.written(setting);
    if (written === undefined) return [];
    const { value, origin, place } = written;
    return [
      { setting, value: withoutSecrets(value), ...(showOrigin === true && { origin, place }) },
    ];
  });
  const columns =
    showOrigin === true
      ? (['setting', 'value', 'origin', 'place'] as const)
      : (['setting', 'value'] as const);
  await context.terminal.show({ many: rows, columns, id: 'setting' });
}

/** The settings; a file that one may take for the place of some is named where it is not read. */
async function inForce(context: Context): Promise<Settings> {
  const settings = await context.settings();
  if (settings.foreign !== undefined) await context.terminal.warn(settings.foreign.message);
  return settings;
}

function defineGet(command: Command, context: Context, run = getSetting): void {
  command
    .addArgument(settingArgument())
    .addHelpText('after', '\nExamples:\n  blogctl config get timeout')
    .action((name: SettingName) => run(name, context));
}

/** The value of a setting as it would be used here. */
async function getSetting(name: SettingName, context: Context): Promise<void> {
  const written = (await inForce(context)).written(name);
  if (written === undefined) {
    throw new BlogctlError('not-found', `${name} is not set.`, {
      hint: `Set it with blogctl config set ${name} <value>.`,
    });
  }
  const { origin, place } = written;
  const value = withoutSecrets(written.value);
  await context.terminal.show({
    one: { setting: name, value, origin, place },
    columns: ['value'],
    human: () => `${value}\n`,
  });
}

type SetOptions = { readonly name: SettingName; readonly value: string };

function defineSet(command: Command, context: Context, run = setSetting): void {
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
async function setSetting({ name, value }: SetOptions, context: Context): Promise<void> {
  if (name === 'profile') return useProfile(value, context);
  const { checkSetting } = await import('../settings/settings.ts');
  const written = checkSetting(name, value, context.folder);
  const config = await context.config();
  await config.change((known) => ({ ...known, [name]: written }));
  if (!(await warnIfOutranked(name, written, context))) return;
  await context.terminal.notice(`${name} is ${written} from now on.`);
}

function defineUnset(command: Command, context: Context, run = unsetSetting): void {
  command
    .addArgument(settingArgument())
    .addHelpText('after', '\nExamples:\n  blogctl config unset timeout')
    .action((name: SettingName) => run(name, context));
}

/** Takes back what config set has set. */
async function unsetSetting(name: SettingName, context: Context): Promise<void> {
  const config = await context.config();
  await config.change((known) => ({ ...known, [name]: undefined }));
  await context.terminal.notice(`${name} is no longer set in ${config.path}`);
}

function definePath(command: Command, context: Context, run = showPath): void {
  command.addHelpText('after', '\nExamples:\n  blogctl config path').action(() => run(context));
}

/** Where the configuration file is, or would be. */
async function showPath(context: Context): Promise<void> {
  const { path } = await context.config();
  await context.terminal.show({ one: { path }, columns: ['path'], human: () => `${path}\n` });
}

/** `<setting>`: one of those there are. */
function settingArgument(): Argument {
  return new Argument('<setting>', 'which one').choices(settingNames);
}
