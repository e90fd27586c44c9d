import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether a program that is not ours to install can be run here; tests that want one are skipped. */
export function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
