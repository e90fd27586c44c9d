import type { Command } from 'commander';
import type { Context } from '../../context/context.ts';
import { BlogctlError } from '../../errors.ts';
import { readTarget, targetName } from '../../settings/target.ts';

export type AddProfileOptions = { readonly name: string; readonly blog: string };

export function define(command: Command, context: Context, run = addProfile): void {
  command
    .argument('<name>', 'name of the profile')
    .argument('<url|file:path>', 'its blog')
    .addHelpText(
      'after',
      `
With --timeout, --retries or --max-wait, the profile keeps these too. It holds no token:
tokens are kept by service (blogctl auth login).

Examples:
  blogctl profile add work https://blog.example/api/v1.2/blogs/1 --timeout 2m
  blogctl profile add notes file:notes.json
  blogctl profile use work`,
    )
    .action((name: string, blog: string) => run({ name, blog }, context));
}

/** Keeps a blog under a name. */
export async function addProfile(options: AddProfileOptions, context: Context): Promise<void> {
  const { name } = options;
  const { terminal, flags } = context;
  const target = readTarget(options.blog, context.folder);
  const blog = targetName(target);
  const profile = {
    blog,
    ...(flags.timeout !== undefined && { timeout: `${flags.timeout}ms` }),
    ...(flags.retries !== undefined && { retries: String(flags.retries) }),
    ...(flags.maxWait !== undefined && { 'max-wait': `${flags.maxWait}ms` }),
  };
  const config = await context.config();
  await config.change((known) => {
    if (known.profiles[name] !== undefined) throw exists(name);
    return { ...known, profiles: { ...known.profiles, [name]: profile } };
  });
  await terminal.notice(`Added profile ${name}. Next: blogctl profile use ${name}`);
}

function exists(name: string): BlogctlError {
  return new BlogctlError('conflict', `There is a profile "${name}" already.`, {
    hint: `blogctl profile remove ${name} takes it away`,
  });
}
