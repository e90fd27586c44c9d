import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import { dataFolder } from '../../settings/places.ts';

/** A text in a file of its own that outlives every failure until it is saved. */
export type KeptText = {
  readonly path: string;
  read(): Promise<string>;
  /** Writes another version beside it (`base`, `theirs`); answers its path. */
  beside(version: string, text: string): Promise<string>;
  remove(): Promise<void>;
  /** The failure, with the path of the text in its hint. */
  mention(error: BlogctlError): BlogctlError;
};

/** In `drafts` of the data folder: temporary folders are emptied when nobody looks. */
export async function keepText(
  name: string,
  text: string,
  { env, platform }: Pick<Context, 'env' | 'platform'>,
): Promise<KeptText> {
  const folder = join(dataFolder({ env, platform }), 'drafts');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stem = join(folder, `${name}-${Date.now()}-${process.pid}`);
  const path = `${stem}.md`;
  await writeFile(path, text, { mode: 0o600, flag: 'wx' });
  return {
    path,
    read: () => readFile(path, 'utf8'),
    beside: async (version, other) => {
      await writeFile(`${stem}.${version}.md`, other, { mode: 0o600 });
      return `${stem}.${version}.md`;
    },
    remove: () => rm(path, { force: true }),
    mention: (error) => {
      const isNamed = error.context.details?.some(({ detail }) => detail.endsWith(path)) === true;
      if (isNamed) return error;
      const hint = [`your text is kept in ${path}`, error.hint].filter(Boolean).join('; ');
      return new BlogctlError(error.code, error.message, { ...error.context, hint });
    },
  };
}
