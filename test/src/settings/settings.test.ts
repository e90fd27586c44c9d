import {
  chown,
  lchown,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConfigFile } from '../../../src/settings/config-file.ts';
import type { Flags } from '../../../src/settings/layers.ts';
import { configFolder, dataFolder, readTarget } from '../../../src/settings/target.ts';
import { readSettings } from '../../../src/settings/settings.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-settings-'));
});
afterEach(() => rm(folder, { recursive: true }));

const url = (name: string) => `https://${name}.test/blogs/1`;

type Given = {
  readonly flags?: Flags;
  readonly env?: Readonly<Record<string, string>>;
  readonly project?: unknown;
  readonly config?: unknown;
  readonly uid?: number;
};

async function given({ flags = {}, env = {}, project, config, uid }: Given) {
  const here = join(folder, 'project', 'deep');
  await mkdir(here, { recursive: true });
  if (project !== undefined) {
    const text = typeof project === 'string' ? project : JSON.stringify(project);
    await writeFile(join(folder, 'project', '.blogctl.json'), text);
  }
  if (config !== undefined) await writeFile(join(folder, 'config.json'), JSON.stringify(config));
  const file = openConfigFile(folder);
  const sources = { flags, env, platform: 'linux', home: '/home/me', config: file, folder: here };
  return readSettings({ ...sources, uid });
}

const everything: Given = {
  flags: { blog: url('flag'), timeout: 1000 },
  env: { BLOGCTL_BLOG: url('env'), BLOGCTL_TIMEOUT: '2s', BLOGCTL_MAX_WAIT: '2s' },
  project: { blog: url('project'), timeout: '3s', retries: 3 },
  config: {
    profile: 'work',
    profiles: { work: { blog: url('profile'), timeout: '4s' }, other: { blog: url('other') } },
    blog: url('config'),
    timeout: '5s',
  },
};

describe('the nearest source decides', () => {
  it.each<[string, readonly (keyof Given)[], string, number]>([
    ['flag', [], url('flag'), 1000],
    ['environment', ['flags'], url('env'), 2000],
    ['project', ['flags', 'env'], url('project'), 3000],
    ['profile', ['flags', 'env', 'project'], url('profile'), 4000],
  ])('%s', async (origin, without, blog, timeoutMs) => {
    const left = Object.fromEntries(
      Object.entries(everything).filter(([name]) => !without.some((each) => each === name)),
    );
    const settings = await given(left);
    expect(settings.target()).toMatchObject({ origin, value: { url: blog } });
    expect(settings.timeoutMs()).toBe(timeoutMs);
  });

  it.each<[string, Given, string]>([
    ['a flag outranks variables', { flags: { profile: 'other' } }, url('other')],
    ['a variable outranks the project', { env: { BLOGCTL_PROFILE: 'other' } }, url('other')],
    [
      'a flag stands behind --blog',
      { flags: { profile: 'other', blog: url('flag') } },
      url('flag'),
    ],
    [
      'a variable stands behind BLOGCTL_BLOG',
      { env: { BLOGCTL_PROFILE: 'other', BLOGCTL_BLOG: url('env') } },
      url('env'),
    ],
  ])('a profile that is named by %s', async (_, named, blog) => {
    const settings = await given({ ...everything, flags: {}, ...named });
    expect(settings.target()).toMatchObject({ value: { url: blog } });
  });

  it('config, beneath a profile that does not say it', async () => {
    const config = { profile: 'p', profiles: { p: {} }, blog: url('config'), timeout: '5s' };
    const settings = await given({ config });
    expect(settings.target()).toMatchObject({ origin: 'config', value: { url: url('config') } });
    expect(settings.timeoutMs()).toBe(5000);
  });

  it('default, where nothing is said', async () => {
    const settings = await given({});
    const path = join('/home/me', '.local', 'share', 'blogctl', 'blog.json');
    const value = { kind: 'file', path };
    expect(settings.target()).toEqual({ origin: 'default', place: '', value });
    const numbers = [settings.timeoutMs(), settings.retries(), settings.maxWaitMs()];
    expect(numbers).toEqual([30_000, 3, 300_000]);
  });

  it.each(['1000h', '36500d'])('a wait of %s is as long as a timer can wait', async (long) => {
    const settings = await given({ env: { BLOGCTL_TIMEOUT: long, BLOGCTL_MAX_WAIT: long } });
    expect([settings.timeoutMs(), settings.maxWaitMs()]).toEqual([2 ** 31 - 1, 2 ** 31 - 1]);
  });

  it('setting by setting, not source by source', async () => {
    const settings = await given(everything);
    const numbers = [settings.timeoutMs(), settings.maxWaitMs(), settings.retries()];
    expect(numbers).toEqual([1000, 2000, 3]);
  });

  it.each([
    [{ profile: 'other' }, {}],
    [{}, { BLOGCTL_PROFILE: 'other' }],
  ])('and the profile is chosen the same way: %j %j', async (flags, env) => {
    const settings = await given({ flags, env, config: everything.config });
    const expected = { place: 'profile other', value: { url: url('other') } };
    expect(settings.target()).toMatchObject(expected);
  });
});

describe('what is wrong is named with its place', () => {
  it.each<[Given, string]>([
    [{ env: { BLOGCTL_TIMEOUT: '5' } }, '"5" is no value for timeout (BLOGCTL_TIMEOUT).'],
    [{ env: { BLOGCTL_TIMEOUT: '36501d' } }, '"36501d" is no value for timeout (BLOGCTL_TIMEOUT).'],
    [{ flags: { profile: 'no' } }, 'There is no profile "no" (--profile).'],
    ...['file:///a%00b', 'file://host/x', 'file:///a%2Fb', 'file:///a%ZZ'].map(
      (blog): [Given, string] => [{ flags: { blog } }, `"${blog}" names no file of this machine.`],
    ),
    [{ env: { BLOGCTL_BLOG: 'ftp://x' } }, '"ftp://x" is not the address of a blog.'],
    [{ env: { CI: 'true' } }, 'No blog is named, and in CI none is assumed.'],
  ])('%j', async (sources, message) => {
    const asked = given(sources).then((settings) => [settings.timeoutMs(), settings.target()]);
    await expect(asked).rejects.toMatchObject({ code: 'usage', message });
  });

  it.each([
    [{ token: 'secret' }, 'Unrecognized key: "token"'],
    [{ tokens: {} }, 'Unrecognized key: "tokens"'],
    [{ blog: [] }, 'blog Invalid input'],
    ['{', expect.stringContaining('JSON')],
  ])('a project file %j', async (project, cause) => {
    await expect(given({ project })).rejects.toMatchObject({
      code: 'unusable-input',
      message: `The project file ${join(folder, 'project', '.blogctl.json')} cannot be used.`,
      cause: { message: cause },
    });
  });
});

it('a store file that a project names lies beside the project file', async () => {
  const settings = await given({ project: { blog: 'file:posts.json' } });
  const path = join(folder, 'project', 'posts.json');
  expect(settings.target().value).toEqual({ kind: 'file', path });
});

describe.skipIf(process.getuid === undefined)('a project file of another user', () => {
  const own = process.getuid?.() ?? 0;
  const other = own + 1;
  const path = () => join(folder, 'project', '.blogctl.json');

  it.each<[string, Given]>([
    ['it names', {}],
    ['it may have named, not read', { project: '{' }],
    ['the profile in use names, which it would outrank', { config: everything.config }],
  ])('does not choose the blog %s', async (_, more) => {
    const settings = await given({ project: everything.project, uid: other, ...more });
    expect(() => settings.target()).toThrow(
      expect.objectContaining({
        code: 'unusable-input',
        message: `${path()} belongs to another user (uid ${own}) and is not obeyed.`,
        hint: expect.stringContaining('--blog or BLOGCTL_BLOG'),
      }),
    );
    expect([settings.named(), settings.written('blog')]).toEqual([undefined, undefined]);
  });

  it.each<[string, Given]>([
    ['flag', { flags: { blog: url('flag') } }],
    ['env', { env: { BLOGCTL_BLOG: url('env') } }],
    ['profile', { flags: { profile: 'work' } }],
  ])('leaves a blog named by %s alone, and says nothing else either', async (by, given_) => {
    const { config, project } = everything;
    const settings = await given({ project, config, uid: other, ...given_ });
    expect(settings.target().value).toEqual({ kind: 'service', url: url(by) });
    expect([settings.timeoutMs(), settings.foreign?.code]).toEqual([4000, 'unusable-input']);
  });

  it.each([
    ['of its own', own, {}],
    ['of who called it by sudo', 0, { SUDO_UID: String(own) }],
  ])('is none where it is the user´s, or root´s %s', async (_, uid, env) => {
    const settings = await given({ project: everything.project, uid, env });
    expect(settings.target().value).toEqual({ kind: 'service', url: url('project') });
  });

  it('is one where SUDO_UID is the word of no root', async () => {
    const { project } = everything;
    const settings = await given({ project, uid: other, env: { SUDO_UID: String(own) } });
    expect(settings.foreign?.message).toContain(`(uid ${own})`);
  });

  it('is one where a link of our own leads to it', async () => {
    await mkdir(join(folder, 'project'));
    const theirs = own === 0 ? join(folder, 'theirs') : '/etc/passwd';
    if (own === 0) await writeFile(theirs, '{}').then(() => chown(theirs, 4711, 4711));
    await symlink(theirs, path());
    expect((await given({ uid: own })).foreign?.message).toContain('belongs to another user');
  });

  it.runIf(own === 0)('is one where a link of theirs leads to our own', async () => {
    await given({ project: everything.project });
    await rename(path(), join(folder, 'ours'));
    await symlink(join(folder, 'ours'), path());
    await lchown(path(), 4711, 4711);
    expect((await given({ uid: own })).foreign?.message).toContain('(uid 4711)');
  });
});

describe('the configuration file', () => {
  it('loses nothing to writers at once', async () => {
    const writers = Array.from({ length: 8 }, (_, at) =>
      openConfigFile(folder).change((known) => ({
        ...known,
        tokens: { ...known.tokens, [`http://${at}.test`]: `token-${at}` },
      })),
    );
    await Promise.all(writers);
    const { tokens } = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8'));
    expect(Object.keys(tokens)).toHaveLength(8);
  });

  it('is not made by reading it', async () => {
    const config = openConfigFile(join(folder, 'new'));
    expect(await config.read()).toEqual({ profiles: {}, tokens: {} });
    await expect(readFile(join(folder, 'new'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

it.each([
  ['linux', {}, '/h/.config/blogctl', '/h/.local/share/blogctl'],
  ['linux', { XDG_CONFIG_HOME: '/c', XDG_DATA_HOME: '/d' }, '/c/blogctl', '/d/blogctl'],
  ['darwin', {}, '/h/Library/Preferences/blogctl', '/h/Library/Application Support/blogctl'],
  ['win32', {}, '/h/AppData/Roaming/blogctl/Config', '/h/AppData/Local/blogctl/Data'],
  ['win32', { APPDATA: '/r', LOCALAPPDATA: '/l' }, '/r/blogctl/Config', '/l/blogctl/Data'],
  ['linux', { BLOGCTL_CONFIG_DIR: '/x', BLOGCTL_DATA_DIR: '/y' }, '/x', '/y'],
])('places on %s with %j', (platform, env, config, data) => {
  const surroundings = { platform, env, home: '/h' };
  expect(configFolder(surroundings).replaceAll('\\', '/')).toBe(config);
  expect(dataFolder(surroundings).replaceAll('\\', '/')).toBe(data);
});

it.each([
  ['https://b.test/x', { kind: 'service', url: 'https://b.test/x' }],
  ['HTTP://B.test', { kind: 'service', url: 'http://b.test/' }],
  ['file:a.json', { kind: 'file', path: '/here/a.json' }],
  ['file:../a.json', { kind: 'file', path: '/a.json' }],
  ['file:/abs/a.json', { kind: 'file', path: '/abs/a.json' }],
  ['file:///abs/a%20b.json', { kind: 'file', path: '/abs/a b.json' }],
])('the target %s', (text, target) => {
  expect(readTarget(text, '/here')).toEqual(target);
});

it.each([
  ['localhost:8080', 'Write it as http://localhost:8080/api/v1.2/blogs/1.'],
  ['127.0.0.1:8080/', 'Write it as http://127.0.0.1:8080/api/v1.2/blogs/1.'],
  ['b.test:8080', 'Write it as https://b.test:8080/api/v1.2/blogs/1.'],
  ['localhost:8080/api/v1.2/blogs/2', 'Write it as http://localhost:8080/api/v1.2/blogs/2.'],
  ...['postgres://owner@b.test/blog', 'file:postgres://owner@b.test/blog'].map((text) => [
    text,
    'Start one with blogctl serve --store <database>, and name the address that it prints.',
  ]),
])('%s is no target, and what is said of it leads to one', (text = '', hint = '') => {
  expect(() => readTarget(text, '/here')).toThrow(expect.objectContaining({ hint }));
});
