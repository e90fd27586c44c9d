import { Argument } from 'commander';
import { settingNames } from '../../settings/names.ts';

/** `<setting>`: one of those there are. */
export function settingArgument(): Argument {
  return new Argument('<setting>', 'which one').choices(settingNames);
}
