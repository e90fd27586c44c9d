import { dirname } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import type { Context } from './context.ts';
import { BlogctlError } from '../errors.ts';
import type { Config, Profile } from '../settings/config-file.ts';
import { readTarget, targetName } from '../settings/target.ts';
import type { SettingName } from '../settings/values.ts';
import { inShell, withoutSecrets } from '../terminal/text.ts';

export const verbs = {
  add: defineAdd,
  list: defineList,
  use: defineUse,
  show: defineShow,
  remove: defineRemove,
};

type AddProfileOptions = { readonly name: string; readonly blog: string };

function defineAdd(command: Command, context: Context, run = addProfile): void {
  command
    .argument('<name>', 'name of the profile', profileName)
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

/** A name comes first, its address behind it. */
function profileName(text: string): string {
  if (!/^(?:https?|file):/.test(text)) return text;
  throw new InvalidArgumentError('It is an address: the name stands before it.');
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
  await terminal.notice(`Added profile ${name}. Next: blogctl profile use ${inShell(name)}`);
}

function exists(name: string): BlogctlError {
  return new BlogctlError('conflict', `There is a profile "${name}" already.`, {
    hint: `Take it away with blogctl profile remove ${inShell(name)} first.`,
  });
}

function defineList(command: Command, context: Context, run = listProfiles): void {
  command.addHelpText('after', '\nExamples:\n  blogctl profile list').action(() => run(context));
}

/** Lists the profiles and marks the one in use. */
async function listProfiles(context: Context): Promise<void> {
  const { profile: inUse, profiles } = await (await context.config()).read();
  const rows = Object.entries(profiles).map(([name, { blog = '' }]) => ({
    profile: name,
    inUse: name === inUse ? 'yes' : '',
    blog: withoutSecrets(blog),
  }));
  await context.terminal.show({ many: rows, columns: ['profile', 'inUse', 'blog'], id: 'profile' });
  if (rows.length === 0) {
    await context.terminal.notice('There are no profiles. Next: blogctl profile add <name> <url>');
  }
}

function defineUse(command: Command, context: Context, run = useProfile): void {
  command
    .argument('<name>', 'name of the profile')
    .addHelpText('after', '\nExamples:\n  blogctl profile use work')
    .action((name: string) => run(name, context));
}

/** Makes a profile the one that is used where none is named. */
export async function useProfile(name: string, context: Context): Promise<void> {
  const config = await context.config();
  await config.change((known) => {
    knownProfile(known, name);
    return { ...known, profile: name };
  });
  const { blog } = knownProfile(await config.read(), name);
  if (!(await warnIfUnused(name, blog, context))) return;
  await context.terminal.notice(`Profile ${name} is used from now on.`);
}

function defineShow(command: Command, context: Context, run = showProfile): void {
  command
    .argument('[name]', 'name of the profile (default: the one in use)')
    .addHelpText('after', '\nExamples:\n  blogctl profile show\n  blogctl profile show work --json')
    .action((name: string | undefined) => run(name, context));
}

/** What a profile says, and whether a token for its service is kept. */
async function showProfile(named: string | undefined, context: Context): Promise<void> {
  const config = await (await context.config()).read();
  const name = named ?? config.profile ?? 'default';
  const profile = knownProfile(config, name);
  const origin = URL.canParse(profile.blog ?? '') ? new URL(profile.blog ?? '').origin : '';
  const shown = profile.blog !== undefined && { blog: withoutSecrets(profile.blog) };
  const token = config.tokens[origin] === undefined ? 'none kept' : 'kept';
  await context.terminal.show({
    one: { profile: name, ...profile, ...shown, token },
    columns: ['profile', 'blog', 'token'],
  });
}

function defineRemove(command: Command, context: Context, run = removeProfile): void {
  command
    .argument('<name>', 'name of the profile')
    .addHelpText('after', '\nExamples:\n  blogctl profile remove work')
    .action((name: string) => run(name, context));
}

/** Takes a profile away; the token of its service stays until auth logout. */
async function removeProfile(name: string, context: Context): Promise<void> {
  const config = await context.config();
  await config.change((known) => {
    knownProfile(known, name, false);
    const { [name]: _removed, ...profiles } = known.profiles;
    const { profile, ...others } = known;
    return { ...others, profiles, ...(profile !== undefined && profile !== name && { profile }) };
  });
  await context.terminal.notice(`Removed profile ${name}.`);
}

/** As `warnIfOutranked`, for a profile that was chosen for good and its blog. */
export async function warnIfUnused(
  profile: string,
  blog: string | undefined,
  context: Context,
): Promise<boolean> {
  if (!(await warnIfOutranked('profile', profile, context))) return false;
  return blog === undefined || warnIfOutranked('blog', blog, context);
}

/** Says where what was set for good is not what the next command uses; answers whether it is. */
export async function warnIfOutranked(
  name: SettingName,
  kept: string,
  context: Context,
): Promise<boolean> {
  const { checkSetting, readSettings } = await import('../settings/settings.ts');
  const now = await readSettings({ ...context, flags: {}, config: await context.config() });
  const { value = kept, origin, place = '' } = now.written(name) ?? {};
  const folder = origin === 'project' ? dirname(place) : context.folder;
  const meant = async () => checkSetting(name, value, folder);
  // A value that cannot be read is another.
  if (value === kept || (await meant().catch(() => undefined)) === kept) return true;
  const other = withoutSecrets(value);
  await context.terminal.warn(
    `${name} is kept as ${kept}, but ${place} says ${other} and outranks it.`,
  );
  return false;
}

/** The profile of that name, or `not-found` with the names there are. */
function knownProfile({ profiles }: Config, name: string, mayBeMade = true): Profile {
  const profile = profiles[name];
  if (profile !== undefined) return profile;
  const names = Object.keys(profiles).join(', ');
  throw new BlogctlError('not-found', `There is no profile "${name}".`, {
    hint:
      names === ''
        ? 'Make one with blogctl profile add.'
        : `There are: ${names}${mayBeMade ? `; \`blogctl profile add ${inShell(name)} <url>\` makes it` : ''}.`,
  });
}
