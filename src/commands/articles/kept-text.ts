import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import { PRIVATE_FILE, PRIVATE_FOLDER, replaceFile } from '../../files.ts';
import { dataFolder } from '../../settings/places.ts';

/** A text in a file of its own that outlives every failure until it is saved. */
export type KeptText = {
  readonly path: string;
  read(): Promise<string>;
  /** Writes another version beside it (`base`, `theirs`); answers its path. */
  beside(version: string, text: string): Promise<string>;
  remove(): Promise<void>;
  /** The failure, with the path of the text in its hint, where the text is still there. */
  mention(error: BlogctlError): BlogctlError;
};

/** In `drafts` of the data folder: temporary folders are emptied when nobody looks. */
export async function keepText(
  name: string,
  text: string,
  { env, platform }: Pick<Context, 'env' | 'platform'>,
): Promise<KeptText> {
  const folder = join(dataFolder({ env, platform }), 'drafts');
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const stem = join(folder, `${name}-${Date.now()}-${process.pid}`);
  const path = `${stem}.md`;
  await writeFile(path, text, { mode: PRIVATE_FILE, flag: 'wx' });
  return {
    path,
    read: () => readFile(path, 'utf8').catch((cause: unknown) => cannotRead(path, cause)),
    beside: async (version, other) => {
      await replaceFile(`${stem}.${version}.md`, other);
      return `${stem}.${version}.md`;
    },
    remove: () => rm(path, { force: true }),
    mention: (error) => {
      if (!existsSync(path)) return error;
      const isNamed = error.context.details?.some(({ detail }) => detail.endsWith(path)) === true;
      if (isNamed) return error;
      const hint = [`your text is kept in ${path}`, error.hint].filter(Boolean).join('; ');
      return new BlogctlError(error.code, error.message, { ...error.context, hint });
    },
  };
}

/** An editor may also move or remove the file. */
function cannotRead(path: string, cause: unknown): never {
  throw new BlogctlError('unusable-input', `What was edited cannot be read: ${path}`, {
    hint: 'nothing was changed; set EDITOR to an editor that saves to the file it is given',
    cause,
  });
}
