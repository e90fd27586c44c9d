import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { blogctl, givenFolder } from '../support/command.ts';
import { isInstalled } from '../support/programs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The pages of the manual by their names, made as the package has them. */
async function givenManual() {
  const folder = join(await givenFolder(), 'man1');
  await mkdir(folder);
  const program =
    "import('./build/man.mjs').then(({ writeManual }) => writeManual(process.argv[1]))";
  await execa(process.execPath, ['-e', program, folder], { cwd: root });
  const names = await readdir(folder);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return { folder, pages: new Map(names.map((name, at) => [name, texts[at] ?? ''])) };
}

it('the manual names every command and every flag, on the page of its group', async () => {
  const { pages, folder } = await givenManual();
  const { stdout } = await blogctl(['commands', '--json'], { folder });
  const { flags, commands } = JSON.parse(stdout);
  type Described = { name: string; flags: readonly { flags: string }[] };
  const missing = [{ name: '', flags }, ...commands].flatMap(({ name, flags: its }: Described) => {
    const group = name.includes(' ') ? `-${name.split(' ')[0]}` : '';
    const page = pages.get(`blogctl${group}.1`)?.replaceAll('\\-', '-') ?? '';
    const own =
      name === '' ? page : (page.split(`.Ss blogctl ${name}\n`)[1]?.split('\n.Ss ')[0] ?? '');
    return its
      .flatMap((flag) => flag.flags.match(/(?<=^|, )--?[\w-]+/g) ?? [])
      .filter((flag) => !new RegExp(`^\\.It .*Fl ${flag.slice(1)}( |$)`, 'm').test(own))
      .map((flag) => `${name} ${flag}`);
  });
  expect(commands.length).toBeGreaterThan(40);
  expect(missing).toEqual([]);
});

it.skipIf(!isInstalled('mandoc') || !isInstalled('man'))(
  'mandoc and man have no complaint',
  async () => {
    const { pages, folder } = await givenManual();
    const found: string[] = [];
    for (const name of pages.keys()) {
      const page = join(folder, name);
      const { all: lint } = await execa('mandoc', ['-T', 'lint', page], {
        all: true,
        reject: false,
      });
      const { stderr } = await execa('man', ['--warnings', '-l', page], { reject: false });
      found.push(...`${lint}\n${stderr}`.split('\n').filter((line) => line !== ''));
    }
    // mandoc looks for other pages where the system has its own; ours are beside this one.
    const other = /referenced manual not found: Xr (\S+) 1/;
    expect(found.filter((line) => !pages.has(`${other.exec(line)?.[1]}.1`))).toEqual([]);
  },
);

it.skipIf(!isInstalled('mandoc'))('no page is wider than a terminal of 80 columns', async () => {
  const { pages, folder } = await givenManual();
  const wide: string[] = [];
  for (const name of pages.keys()) {
    const { stdout } = await execa('mandoc', ['-T', 'utf8', '-O', 'width=78', join(folder, name)]);
    const lines = stdout.replaceAll(/.[\b]/gu, '').split('\n');
    wide.push(...lines.filter((line) => line.length > 78).map((line) => `${name}: ${line}`));
  }
  expect(wide).toEqual([]);
});
