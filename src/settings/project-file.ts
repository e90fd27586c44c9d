import { dirname, join } from 'node:path';
import * as z from 'zod/mini';
import { BlogctlError } from '../errors.ts';
import { readRegularFile } from '../files.ts';
import { Written } from './config-file.ts';

const name = '.blogctl.json';

/** What a project may say. No token: such a file is meant to be shared. */
const ProjectFile = z.strictObject({ ...Written, profile: Written.blog });

export type Project = {
  readonly path: string;
  readonly settings: z.infer<typeof ProjectFile>;
};

/** The nearest `.blogctl.json` in this folder or one above it. */
export async function findProjectFile(folder: string): Promise<Project | undefined> {
  for (let here = folder; ; here = dirname(here)) {
    const path = join(here, name);
    const text = await readIfThere(path);
    if (text !== undefined) return { path, settings: parse(text, path) };
    if (dirname(here) === here) return undefined;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path)).toString('utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw unusable(path, error);
  }
}

function parse(text: string, path: string): Project['settings'] {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw unusable(path, error);
  }
  const result = ProjectFile.safeParse(content);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw unusable(
    path,
    new Error(`${issue?.path.map(String).join('.') ?? ''} ${issue?.message ?? ''}`.trim()),
  );
}

function unusable(path: string, cause: unknown): BlogctlError {
  return new BlogctlError('unusable-input', `The project file ${path} cannot be used.`, {
    hint: 'it may say blog, profile, timeout, retries and max-wait, each as a string; never a token',
    cause,
  });
}
