import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { settingNames } from '../../settings/names.ts';

export type ListConfigOptions = { readonly showOrigin?: boolean };

export function define(command: Command, context: Context, run = listConfig): void {
  command
    .option('--show-origin', 'where each value comes from')
    .addHelpText('after', '\nExamples:\n  blogctl config list --show-origin')
    .action((options: ListConfigOptions) => run(options, context));
}

/** Every setting as it would be used here. */
export async function listConfig(
  { showOrigin }: ListConfigOptions,
  context: Context,
): Promise<void> {
  const settings = await context.settings();
  const rows = settingNames.flatMap((setting) => {
    const written = settings.written(setting);
    if (written === undefined) return [];
    const { value, origin, place } = written;
    return [{ setting, value, ...(showOrigin === true && { origin, place }) }];
  });
  const columns =
    showOrigin === true
      ? (['setting', 'value', 'origin', 'place'] as const)
      : (['setting', 'value'] as const);
  await context.terminal.show({ many: rows, columns, id: 'setting' });
}
