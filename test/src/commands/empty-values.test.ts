import type { Argument, Command } from 'commander';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defineTree } from '../../../src/commands/lazy-command.ts';
import { createContext } from '../../../src/commands/create-context.ts';
import { addCommands, createProgram } from '../../../src/program.ts';
import { givenHost } from '../../support/host.ts';
import { run } from '../../support/run.ts';

let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-empty-'));
  env = { BLOGCTL_CONFIG_DIR: join(folder, 'config'), BLOGCTL_DATA_DIR: join(folder, 'data') };
});
afterEach(() => rm(folder, { recursive: true }));

async function everyCommand(): Promise<readonly (readonly [words: string, command: Command])[]> {
  const program = createProgram(() => {});
  const host = givenHost([]);
  const { signal } = new AbortController();
  addCommands(program, createContext({ host, flags: () => ({}), signal: () => signal }));
  await defineTree(program);
  const beneath = (command: Command, words: string): [string, Command][] =>
    command.commands.length === 0
      ? [[words, command]]
      : command.commands.flatMap((each) => beneath(each, `${words} ${each.name()}`.trim()));
  return beneath(program, '');
}

const given = ({ argChoices, required }: Argument) => argChoices?.[0] ?? (required ? '1' : './1');
const mayBeEmpty = (words: string) => words.includes('<text>') || words === 'text';

/** Every command line in which one value is empty that must not be. */
async function linesWithAnEmptyValue(): Promise<readonly (readonly [string, readonly string[]])[]> {
  const commands = await everyCommand();
  const program = commands[0]?.[1].parent;
  return commands.flatMap(([words, command]) => {
    const flags = [...(words === 'blog' ? (program?.options ?? []) : []), ...command.options];
    const needed = command.options.flatMap(({ mandatory, long }) =>
      mandatory && long ? [long, '1'] : [],
    );
    const names = command.registeredArguments;
    const all = names.map(given);
    const base = [...words.split(' '), ...needed];
    return [
      ...flags
        .filter(({ required, flags: shown }) => required && !mayBeEmpty(shown))
        .map(({ long }) => [`${words} ${long} ""`, [...base, ...all, long ?? '', '']] as const),
      ...names
        .filter((name) => !mayBeEmpty(name.name()))
        .map(
          (name, at) =>
            [`${words} with an empty ${name.name()}`, [...base, ...all.with(at, '')]] as const,
        ),
    ];
  });
}

const lines = await linesWithAnEmptyValue();

describe('an empty value, as an unset variable leaves it', () => {
  it.each(lines)('%s is a usage error, and nothing is done', async (_name, line) => {
    const { status, out, err } = await run(line, { env, folder });
    expect([status, out]).toEqual([2, '']);
    expect(err).toMatch(/is given an empty value|argument '' is invalid|'' is no '/);
    expect(err).toContain('hint: ');
    expect(await readdir(folder)).toEqual([]);
  });

  it.each([
    ['--blog=', 'blog'],
    ['--profile=', 'blog'],
    ['--token-file=', 'blog'],
    ['--store=', 'store check'],
    ['--content-file=', 'articles create'],
  ])('behind %s is found as well', async (flag, words) => {
    const { status, err } = await run([...words.split(' '), flag], { env, folder });
    expect(status).toBe(2);
    expect(err).toContain(`error: ${flag.slice(0, -1)} is given an empty value.\n`);
  });

  it('is a text where a text is asked for', async () => {
    const blog = ['--blog', 'file:b.json'];
    const line = ['articles', 'create', '--title', 'T', '--content', '', ...blog];
    expect((await run(line, { env, folder })).status).toBe(0);
    const init = ['store', 'init', '--store', 'c.json', '--description', ''];
    expect((await run(init, { env, folder })).status).toBe(0);
  });

  it('of a variable is as none', async () => {
    const unset = { ...env, BLOGCTL_BLOG: '', BLOGCTL_PROFILE: '', BLOGCTL_TOKEN_FILE: '' };
    const { status, err } = await run(['articles', 'list'], { env: unset, folder });
    expect(status).toBe(0);
    expect(err).toContain('Using the local blog');
  });

  it.each([
    [{ blog: '' }, '"" is not the address of a blog.'],
    [{ profile: '' }, 'There is no profile "" '],
  ])('in a project file chooses no other blog: %j', async (content, message) => {
    await writeFile(join(folder, '.blogctl.json'), JSON.stringify(content));
    const { status, err } = await run(['articles', 'list'], { env, folder });
    expect([status, err.includes(message)]).toEqual([2, true]);
  });
});
