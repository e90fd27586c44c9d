import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { beforeEach, describe, expect, it } from 'vitest';
import { blogctl, givenFolder } from '../support/command.ts';
import { isInstalled } from '../support/programs.ts';

const bin = fileURLToPath(new URL('../../bin/blogctl.cjs', import.meta.url));

/** A line, the cursor at its end, and the word that a Tab makes of its last one. */
const lines = [
  ['blogctl art', 'articles'],
  ['blogctl articles exp', 'export'],
  ['blogctl articles list --page-s', '--page-size'],
  ['blogctl articles list --format nd', 'ndjson'],
  ['blogctl --profile wo', 'work'],
  ['blogctl profile use wo', 'work'],
  ['blogctl articles get ', '1'],
  ['blogctl completion pow', 'powershell'],
] as const;

/** What each shell has at the end of its one argument, a line each. */
const shells = {
  bash: `source <(blogctl completion bash)
    complete -p blogctl >/dev/null || exit 1
    read -ra COMP_WORDS <<<"$1"
    [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _blogctl
    printf '%s\\n' "\${COMPREPLY[@]}"`,
  fish: `blogctl completion fish | source
    complete -C $argv[1] | string replace -r '\\t.*' ''; true`,
  // A real Tab in a real line editor; then the line is printed instead of run.
  zsh: `zmodload zsh/zpty
    zpty shell zsh -f -i
    zpty -w shell "PS1='' ; autoload -Uz compinit ; compinit -u -D ; source <(blogctl completion zsh)"
    zpty -w shell "bindkey -e ; print READ''Y"
    zpty -r shell before '*READY*'
    zpty -n -w shell "$1"$'\\t\\C-aprint -r -- "<" \\C-e ">"\\n'
    zpty -r shell after '*
< *>*'
    line=\${\${\${after##*$'\\n<' }% \\>*}%% }
    print -r -- \${line##* }`,
};

/** Where nothing else can stand; bash and zsh do it by themselves. */
const files = [['blogctl articles create --from-file b.j', 'b.json']] as const;

describe.each(Object.entries(shells))('%s', (shell, program) => {
  let folder = '';

  beforeEach(async () => {
    folder = await givenFolder();
    const words = ['--blog', 'file:b.json', '--title', 'Title', '--content', 'Text'];
    await blogctl(['articles', 'create', ...words], { folder });
    await blogctl(['profile', 'add', 'work', 'https://work.example/api/v1.2/blogs/1'], { folder });
    await mkdir(join(folder, 'bin'));
    const command = join(folder, 'bin', 'blogctl');
    await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`);
    await chmod(command, 0o755);
  });

  it.skipIf(!isInstalled(shell)).each([...lines, ...(shell === 'fish' ? files : [])])(
    'makes of "%s" %s',
    async (line, word) => {
      const file = join(folder, `program.${shell}`);
      await writeFile(file, program);
      const { stdout } = await execa(shell, [...(shell === 'zsh' ? ['-f'] : []), file, line], {
        cwd: folder,
        extendEnv: false,
        env: {
          PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
          HOME: join(folder, 'home'),
          TERM: 'xterm',
          BLOGCTL_BLOG: 'file:b.json',
        },
        stdin: 'ignore',
        timeout: 20_000,
      });
      expect(stdout.trim().split(/\s*\n/)).toEqual([word]);
    },
  );
});

it('PowerShell is given what it hands to a completer, quoted for no other shell', async () => {
  const { stdout } = await blogctl(['completion', 'powershell'], { folder: await givenFolder() });
  expect(stdout).toMatch(
    /^Register-ArgumentCompleter -Native -CommandName blogctl -ScriptBlock \{/,
  );
  expect(stdout).toContain("'--' @words");
  expect(stdout.split('{').length).toBe(stdout.split('}').length);
});
