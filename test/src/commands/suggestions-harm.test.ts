import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Command, CommanderError } from 'commander';
import { assert, asyncProperty, constantFrom, integer, tuple } from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createContext } from '../../../src/commands/create-context.ts';
import { defineTree, leavesOf, RefusedLine, scopeOf } from '../../../src/commands/lazy-command.ts';
import { isBold } from '../../../src/commands/suggestions/doubts.ts';
import { nextStep } from '../../../src/commands/suggestions/suggestions.ts';
import { addCommands, createProgram } from '../../../src/program.ts';
import { givenHost } from '../../support/host.ts';
import { run } from '../../support/run.ts';

let folder: string;
let env: Record<string, string>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'blogctl-harm-'));
  env = { BLOGCTL_CONFIG_DIR: folder, BLOGCTL_BLOG: `file:${join(folder, 'blog.json')}` };
  mkdirSync(join(folder, 'posts'));
  writeFileSync(join(folder, 'posts', 'one.md'), '# One\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

async function hintOf(line: string): Promise<string> {
  const { status, out, err } = await run(line.split(' '), { env, folder });
  expect([status, out]).toEqual([2, '']);
  return err.split('\n').at(-2)?.replace('hint: ', '') ?? '';
}

const noState = 'Articles have no state: what is on the blog is public.';

it('no text is too long to be asked about as a name, and a folder is no store whatever it is called', async () => {
  const text = 'word'.repeat(100);
  expect(await hintOf(`articles publish 3 --message ${text}`)).toBe(noState);
  expect(await hintOf(`backup ${text}`)).toContain('articles export backup.ndjson');
  expect(await hintOf(`serve ${text}`)).toContain('A store file is named as blog.json');
  mkdirSync(join(folder, 'posts.json'));
  const { err } = await run(['serve', 'posts.json'], { env, folder });
  expect(err).toContain('posts.json is a folder, not a file');
  rmSync(join(folder, 'posts.json'), { recursive: true });
});

describe('the name of a file never becomes the text', () => {
  it.each([
    '--content-file',
    '--content_file',
    '--contentFile',
    '--content-fil',
    '--contet-file',
    '--content-path',
    '--file-content',
    '--post_content-file',
    '--text-file',
    '--message-file',
    '--markdown-file',
    '--content-from-file',
    '--body-from',
    '--source',
    '--md',
  ])('%s', async (flag) => {
    const line = 'blogctl articles update 3 --content-file a.txt';
    expect(await hintOf(`articles edit 3 ${flag} a.txt`)).toBe(`Run \`${line}\`.`);
    if (flag === '--content-file') return;
    expect(await hintOf(`articles update 3 ${flag} a.txt`)).toBe(`Run \`${line}\`.`);
    expect(await hintOf(`post create --title X ${flag} a.txt`)).toBe(
      'Run `blogctl articles create --title X --content-file a.txt`.',
    );
  });
});

describe('a head is read, and never becomes a part of the text', () => {
  beforeAll(() => {
    writeFileSync(join(folder, 'head.md'), '---\ntitle: Kettle\n---\nOf copper.\n');
    writeFileSync(join(folder, 'dated.md'), '---\ndate: 2026-01-02\n---\nOf copper.\n');
    writeFileSync(join(folder, 'plain.md'), 'Of copper.\n');
  });

  it.each([
    ['issue create -F head.md', 'Run `blogctl articles import head.md`.'],
    [
      'issue create --title x --body-file head.md',
      'Run `blogctl articles create --title x --from-file head.md`.',
    ],
    ['pr edit 1 -F head.md', 'Run `blogctl articles update 1 --from-file head.md`.'],
    ['articles update 1 --body=@head.md', 'Run `blogctl articles update 1 --from-file head.md`.'],
    [
      'articles update 1 --content head.md',
      'Give --from-file head.md, which reads its front matter.',
    ],
    [
      'pr edit 1 -F dated.md',
      'Run `blogctl articles update 1 --from-file dated.md --title <text>`.',
    ],
    [
      'issue create -F plain.md',
      'Run `blogctl articles create --content-file plain.md --title <text>`.',
    ],
    ['pr edit 1 -F plain.md', 'Run `blogctl articles update 1 --content-file plain.md`.'],
    ['new head.md', 'Run `blogctl articles import head.md`.'],
    ['new plain.md', 'Run `blogctl articles create --from-file plain.md --title <text>`.'],
    [
      'new nothing.md',
      'Write the file first: `blogctl articles create --from-file nothing.md` brings it to the blog, --editor opens an editor instead.',
    ],
  ])('%s', async (line, hint) => {
    expect(await hintOf(line)).toBe(hint);
  });
});

describe('what is to be published later, or not, is not published', () => {
  it.each([
    '--publish-at 2030-01-01',
    '--published false',
    '--public no',
    '--publish=no',
    '--publish tomorrow',
    '--publish never',
    '--published_date 2030-01-01',
    '--no-publish',
    '--publish-later',
    '--schedule 2030-01-01',
    '--scheduled-for monday',
    '--draft',
    '--visibility private',
    '--live no',
    '--status draft',
    '--unlisted',
  ])('%s', async (words) => {
    for (const text of ['--title T --content B', '--title T', '--title T --content-file a.txt'])
      expect(await hintOf(`articles create ${text} ${words}`)).toBe(noState);
  });

  it.each(['--publish', '--published', '--public', '--status=published', '--post_status publish'])(
    '%s says what is so',
    async (words) => {
      expect(await hintOf(`articles create --title T --content B ${words}`)).toBe(
        'Run `blogctl articles create --title T --content B`.',
      );
    },
  );
});

describe('what restricts a line is not lost', () => {
  it.each([
    ['articles import posts --skip 1', /^A source is taken as a whole/],
    ['articles import posts --offset 2 --limit 2', /^A source is taken as a whole/],
    ['sync apply posts -y --keep', /^Run `blogctl sync apply posts -y --on-drift keep`\.$/],
    ['sync apply posts -y --on-conflict keep', / --on-drift keep`\.$/],
    ['sync apply posts -y --since HEAD~1', /^Paths behind the folder choose/],
    ['sync apply posts -y --delete no', /^There is no --delete here/],
    ['store lock 3 --store db.json', /^Run `blogctl store lock --article 3 --store db\.json`\.$/],
    ['articles delete 3 -y --confirm 4', /^There is no --confirm here/],
    ['articles delete 3 -y --force 4', /^There is no --force here/],
    ['articles delete --force 3', /^Run `blogctl articles delete --yes 3`\.$/],
    ['articles delete 3 --force', /^Run `blogctl articles delete 3 --yes`\.$/],
    ['articles delete 3 4 -y --title x', /^What is deleted is named by its id, or found by/],
    ['articles delete 3 4 -y -q kettle', /^What is deleted is named by its id, or found by/],
    ['articles create -', /^Run `blogctl articles create --from-file -`\.$/],
    ['articles create --title T -', /^Run `blogctl articles create --title T --content-file -`\.$/],
    ['articles list --skip 1 --take 2', /^Run `blogctl articles list --jq '\.\[1:3\]'`\.$/],
    ['articles list --skip 2 -n 2', /^Run `blogctl articles list --page 2 --page-size 2`\.$/],
    ['wp post list --offset=1 --numberposts=2', / list --jq '\.\[1:3\]'`\.$/],
    ['articles create --title T --short-content S', /^There is no --short-content here/],
    ['articles delete 3 4 -y --if-title x', /^There is no --if-title here/],
    ['articles create --title T --content B --force later', /^There is no --force here/],
    ['token create --scope write', /^Write `blogctl token create --allow <rights>`: /],
    ['git add posts', /^Nothing is staged: /],
    ['git stage a.md', /^Nothing is staged: /],
    ['articles delete 3 --reason spam', /^There is no --reason here/],
    ['articles delete 1-5-7 -y', /^Write `blogctl articles delete <article\.\.\.> -y`/],
    ['articles get 1:9:2', /^(?!Run `blogctl articles get 1 2)/],
    [
      'articles delete --where id!=3 -y',
      /^`blogctl articles list`, with --search or --jq, shows which/,
    ],
    [
      'articles delete --where id=3,4',
      /^`blogctl articles list`, with --search or --jq, shows which/,
    ],
    ['articles delete --where id=3', /^Run `blogctl articles delete 3`\.$/],
    ['articles update 3 --title T --type page', /^There is no --type here/],
    ['articles update 3 --title T --type merge', /^Run `blogctl articles update 3 --title T`\.$/],
    ['sync plan posts --since main', /^Without what is not known here: `blogctl sync plan posts`/],
    ['push posts -m message', /^Without what is not known here: `blogctl sync apply posts`/],
    ['gh run list --branch main', /^Without what is not known here: `blogctl runs list`/],
  ])('%s', async (line, hint) => {
    expect(await hintOf(line)).toMatch(hint);
  });
});

describe('what says which articles are meant is not lost', () => {
  it.each([
    '--invert --search kettle',
    '--except 7',
    '--post__not_in=1,2',
    '--invert-match kettle',
    '--search-not kettle',
    '--no-search kettle',
    '--duplicates',
    '--range 3-5',
    '--id-greater-than 5',
    '--sample 3',
    '--unpublished',
    '--mine',
  ])('articles list %s', async (flags) => {
    expect(await hintOf(`articles list ${flags} --format ids`)).toMatch(
      /^There is no --\S+ here\. Conditions are written in jq: /,
    );
  });

  it.each([
    ['articles list --pretty kettle', / --search kettle`\.$/],
    ['articles list --width 80 --search kettle', / list --search kettle`\.$/],
    ['articles list --jq .[].id -r -L 2', /^Run `blogctl articles list --jq '\.\[\]\.id' -L 2`\.$/],
    ['articles list --jq -r .[].id', /^Run `blogctl articles list --jq '\.\[\]\.id'`\.$/],
    ['articles list -r', /^Run `blogctl articles list --reverse`\.$/],
    ['articles list --jq --arg x 1 .[]', /^Conditions are written in jq: /],
    ['--foo=bar articles list', /^There is no --foo here\. Conditions are written in jq: /],
    ['grep -v kettle', /^(?:There is no --invert-match here\. )?Conditions are written in jq: /],
    ['articles get 7 and 8', /^Write `blogctl articles get 7 <article\.\.\.> 8`: /],
  ])('%s', async (line, hint) => {
    expect(await hintOf(line)).toMatch(hint);
  });

  it('with whatever name', async () => {
    const lines = ['articles list --search zq7x', 'articles list --format ids', 'articles list'];
    const qualifiers = 'not no except exclude without min max id from only non un'.split(' ');
    const nouns = 'search id title match words author length duplicates draft empty'.split(' ');
    await assert(
      asyncProperty(
        constantFrom(...lines),
        constantFrom(...qualifiers),
        constantFrom(...nouns),
        constantFrom(' v8y', '=v8y', ''),
        async (line, qualifier, noun, value) => {
          const typed = `${line} --${qualifier}-${noun}${value}`;
          const { err } = await run(typed.split(' '), { env, folder });
          const [, named] =
            /^hint: .*(?:Run|Without what is not known here:) `(.*)`\.$/m.exec(err) ?? [];
          if (named === undefined) return;
          expect([typed, named]).toEqual([typed, expect.stringMatching(/v8y|--field|--all/)]);
        },
      ),
      { numRuns: 100, seed: 3 },
    );
  });
});

describe('nothing answers yes that was not said', () => {
  it.each([
    ['articles delete 7 --no-prompt', 'articles delete 7 --no-input'],
    ['sync apply posts --no-prompt', 'sync apply posts --no-input'],
    ['runs undo f6fcc1 --no-prompt', 'runs undo f6fcc1 --no-input'],
    ['articles delete 7 --no-interaction', 'articles delete 7 --no-input'],
    ['articles delete 7 --no-confirm', 'articles delete 7 --yes'],
  ])('%s', async (line, meant) => {
    expect(await hintOf(line)).toBe(`Run \`blogctl ${meant}\`.`);
  });

  const isSwitch = 'The flag --yes is a switch';
  const isQuestion = 'To some --confirm asks, to others it answers';

  it.each([
    ['delete 7 --yes=false', isSwitch, 'articles delete 7'],
    ['articles delete 7 -y=no', isSwitch, 'articles delete 7'],
    ['articles delete 7 --yes no', isSwitch, 'articles delete 7'],
    ['articles delete 7 --yes=', isSwitch, 'articles delete 7'],
    ['articles delete 7 --no-yes', isSwitch, 'articles delete 7'],
    ['sync apply posts --yes=false', isSwitch, 'sync apply posts'],
    ['articles delete 7 --confirm', isQuestion, 'articles delete 7'],
    ['articles delete --confirm=false 7', isQuestion, 'articles delete 7'],
    ['sync apply posts --confirm', isQuestion, 'sync apply posts'],
    ['articles delete 7 -Confirm', isQuestion, 'articles delete 7'],
    ['articles delete -f 7', 'To some -f is a file, to others force', 'articles delete 7'],
    ['runs undo -f f6fcc1', 'To some -f is a file, to others force', 'runs undo f6fcc1'],
  ])('%s', async (line, why, meant) => {
    expect(await hintOf(line)).toBe(
      `${why}: \`blogctl ${meant}\` asks first, -y answers yes beforehand.`,
    );
  });

  it('and where nothing is asked, it is tried', async () => {
    expect(await hintOf('import posts --yes=false')).toBe(
      'The flag --yes is a switch, and nothing is asked here: `blogctl articles import posts --dry-run` only says what would be done.',
    );
  });

  it.each(['articles delete --all', 'delete all', 'articles delete --search kettle'])(
    '%s',
    async (line) => {
      expect(await hintOf(line)).not.toMatch(/--yes|delete - -y/);
    },
  );
});

describe('ids, and what is none of them', () => {
  it.each([
    ['articles delete 3-1 -y', 'articles delete 3 2 1 -y'],
    ['delete 10-8', 'articles delete 10 9 8'],
    ['get 1-3', 'articles get 1 2 3'],
    ['get id:7', 'articles get 7'],
    ['show f6fcc1', 'runs show f6fcc1'],
  ])('%s', async (line, meant) => {
    expect(await hintOf(line)).toBe(`Run \`blogctl ${meant}\`.`);
  });

  it.each([
    ['articles delete 2024-01', /^Write `blogctl articles delete <article\.\.\.>`: /],
    [
      'articles delete body.txt db.json 7 posts',
      /^Write `blogctl articles delete <article\.\.\.> 7`: /,
    ],
    [
      'articles delete --where id>5',
      /^`blogctl articles list`, with --search or --jq, shows which/,
    ],
    ['articles undo 7', /^`blogctl runs list` shows the last one first/],
    ['articles create --title X --content -', /^Give --content-file -, and the text on stdin\.$/],
    [
      'trash 5 --host localhost:80',
      /`blogctl --blog http:\/\/localhost:80\/api\/v1\.2\/blogs\/1 articles delete 5`/,
    ],
    ['api articles -f title=X -f content=@alice', /^A body comes by --input <file>/],
    ['api articles/1 -X PUT --raw-field content=@alice', /^A body comes by --input <file>/],
    ['api articles --data {"title":"X","content":"@alice"}', /^A body comes by --input <file>/],
    ['articles update 7 --content=@-', /^Give --content-file -, and the text on stdin\.$/],
  ])('%s', async (line, hint) => {
    expect(await hintOf(line)).toMatch(hint);
  });
});

it('a profile that is to be removed is not made', async () => {
  await run(['profile', 'add', 'work', 'file:blog.json'], { env, folder });
  const { err } = await run(['profile', 'remove', 'wrok'], { env, folder });
  expect(err).toMatch(/\nhint: There are: work\.\n$/);
});

/** A letter is missing, typed twice or swapped with the one before it. */
function slipsOf(name: string): readonly string[] {
  return name.split('').flatMap((letter, at) => {
    const [before, behind] = [name.slice(0, at), name.slice(at + 1)];
    const swapped = before.slice(0, -1) + letter + before.slice(-1) + behind;
    return [before + behind, before + letter + letter + behind, swapped];
  });
}

describe('a slip of a flag or a command is answered with that one', () => {
  /** As it is named in what is said, but for the list of all there are. */
  async function saidOf(line: string): Promise<string> {
    const { err } = await run(line.split(' '), { env, folder });
    return err.replace(/^error.*\n|It is `blogctl.*|Its commands are .*/g, '');
  }

  it('every flag of every command', async () => {
    const program = createProgram(() => {});
    const host = givenHost([], { env, folder });
    const { signal } = new AbortController();
    addCommands(program, createContext({ host, flags: () => ({}), signal: () => signal }));
    await defineTree(program);
    const missed: string[] = [];
    for (const leaf of leavesOf(program)) {
      const all = leaf.options.flatMap(({ long }) => (long ? [long] : []));
      const ofAll = program.options.map(({ long }) => long);
      for (const flag of all.filter((each) => each.length > 6)) {
        for (const slip of slipsOf(flag.slice(2))) {
          const typed = `--${slip}`;
          const isOther = [...all, ...ofAll].includes(typed) || /^-|--/.test(slip);
          // One in seven is enough to see the rule.
          if (isOther || (slip.length * 31 + slip.charCodeAt(2)) % 7 > 0) continue;
          const text = await saidOf(`${scopeOf(leaf)} ${typed} 3`);
          const hasFlag = text.split(/[\s`,.:=]+/).includes(flag);
          if (!hasFlag) missed.push(`${scopeOf(leaf)} ${typed}: ${text}`);
        }
      }
    }
    expect(missed).toEqual([]);
  });

  it.each([
    ['articles list --imit 3', 'Run `blogctl articles list --limit 3`.'],
    ['erve blog.json', 'Run `blogctl serve blog.json`.'],
    ['atricles ist', 'Run `blogctl articles list`.'],
    ['runs hsow 3', 'Run `blogctl runs show 3`.'],
    ['confi list', 'Run `blogctl config list`.'],
    ['profil', 'Run `blogctl profile`.'],
    ['config list --show-orign', 'Run `blogctl config list --show-origin`.'],
    ['articles list --nno-input', 'Run `blogctl articles list --no-input`.'],
    // What asks, keeps or hides less is named, and put into no line.
    [
      'articles update 1 --replaec',
      'There is no --replaec here, but --replace: see `blogctl articles update --help`.',
    ],
    [
      'articles list --fiels id',
      'There is no --fiels here, but --field, --fields: see `blogctl articles list --help`.',
    ],
    // A flag of another command is no slip of a word of others, nor of ours.
    ['import posts --log x', 'There is no --log here. It is'],
    ['articles list --log x', 'There is no --log here. Conditions'],
    ['serve --create blog.json', 'Run `blogctl serve blog.json`.'],
    ['articles list --creat x', 'There is no --creat here.'],
    ...['-d', '-f', '--db'].map((flag) => [
      `serve ${flag} posts`,
      'A store file is named as blog.json: `blogctl articles import posts --blog file:posts.json` makes one',
    ]),
    ['serve --database postgres://h/b', 'Run `blogctl serve --store postgres://h/b`.'],
    ['config list --zzz', 'There is no --zzz here. It is'],
  ])('%s', async (line = '', hint = '') => {
    expect((await hintOf(line)).slice(0, hint.length)).toBe(hint);
  });
});

describe('a slip leads to nothing that writes or logs in', () => {
  it.each(['convert posts', 'convert new.md', 'compare posts', 'gen', 'exit', 'connet x'])(
    '%s',
    async (line) => {
      expect(await hintOf(line)).not.toMatch(/(?:Run|Write) `blogctl (?:auth|articles (?!list))/);
    },
  );

  it.each([
    ['gen completion bash', 'completion bash'],
    ['config url https://x.test/1', 'config set blog https://x.test/1'],
    ['blog title New', 'store edit-blog --title New --store <file>'],
    ['-f b.json articles list', '--blog file:b.json articles list'],
    ['sync apply --plan plan.json', 'sync apply plan.json'],
    ['serve -b http://x.test', 'serve --base-url http://x.test'],
    [
      'api articles --form title=x --form content=y',
      'api articles -X POST -F title=x -F content=y',
    ],
    ['api articles title=x content=y', 'api articles -X POST -F title=x -F content=y'],
    ['articles list --format tab', 'articles list --format tsv'],
    ['articles import db.json --path .posts', 'articles import db.json'],
    ['articles import d.ndjson --type ndjson', 'articles import d.ndjson'],
    ['preview posts/one.md', 'articles import posts/one.md --dry-run'],
    ['save posts/one.md', 'articles create --from-file posts/one.md --title <text>'],
  ])('%s', async (line, meant) => {
    const [hint] = [await hintOf(line)];
    expect(hint).toBe(`Run \`blogctl ${meant.replace(' --store <file>', '')}\`.`);
  });

  it.each([
    ['list future', noState],
    ['list expired', noState],
    ['sync plan posts -destroy', 'There is no -destroy here.'],
    ['api articles pageSize==2', 'Run `blogctl api articles -F pageSize=2`.'],
    ['runs list --status failure', 'A run is interrupted or has ended'],
    ["articles list --where author\u00A0=\u00A0'x'", 'Conditions are written in jq'],
  ])('%s', async (line, hint) => {
    expect(await hintOf(line)).toContain(hint);
  });
});

describe('a value that is nearly one is the one that is meant', () => {
  it.each([
    ['articles list --timeout 5', 'articles list --timeout 5s'],
    ['articles list --timeout 1m30s', 'articles list --timeout 90s'],
    ['articles list --limit=1,000', 'articles list --limit 1000'],
    ['articles list --limit 3.0', 'articles list --limit 3'],
    ['runs prune --older-than 30', 'runs prune --older-than 30d'],
    ['runs prune --older-than 1w', 'runs prune --older-than 7d'],
    ['runs prune --older-than 24h', 'runs prune --older-than 1d'],
    ['runs prune 7d', 'runs prune --older-than 7d'],
    ['runs prune --days 7', 'runs prune --older-than 7d'],
    ['runs prune --until 48h', 'runs prune --older-than 2d'],
    ['articles delete 7 --no-force', 'articles delete 7'],
    ['articles delete 7 --force=false', 'articles delete 7'],
    ['articles delete -fr 7', 'articles delete --yes 7'],
    ['token create --expires 1y', 'token create --expires 365d'],
    ['serve --max-body 5MB', 'serve --max-body 5242880'],
    ['articles import posts --rate 10/s', 'articles import posts --rate 10'],
    ['sync apply posts --on-drift skip', 'sync apply posts --on-drift keep'],
    ['articles import posts --title-from heading', 'articles import posts --title-from h1'],
    ['completion /bin/bash', 'completion bash'],
    ['articles list --reverse true', 'articles list --reverse'],
    ['articles list --reverse false', 'articles list'],
    ['runs f6fcc1', 'runs show f6fcc1'],
  ])('%s', async (line, meant) => {
    expect(await hintOf(line)).toBe(`Run \`blogctl ${meant}\`.`);
  });

  it.each([
    ['articles list --limit 1,5', /^Write `blogctl articles list --limit <n>`/],
    ['articles list --timeout 1,5', /^Write `blogctl articles list --timeout <duration>`/],
    ['runs prune --days 0', /^There is no --days here/],
    ['runs prune --keep 5', /^None is forgotten by its name, date or number: /],
    ['runs prune f6fcc1', /^None is forgotten by its name, date or number: /],
    ['runs prune --older-than 0', /^Write `blogctl runs prune --older-than <days>`/],
    ['runs prune --older-than=0h -y', /^Write `blogctl runs prune --older-than <days> -y`/],
    ['runs prune --older-than 1h', /^Write `blogctl runs prune --older-than <days>`/],
    ['token create --expires 30', /^Write `blogctl token create --expires <duration>`/],
    ['blog list', /^`blogctl blog` shows one; another of the same store is --blog file:/],
    ['token test', /^`blogctl auth status` says/],
    ['articles hide 7', /^Articles have no state/],
  ])('%s', async (line, hint) => {
    expect(await hintOf(line)).toMatch(hint);
  });
});

describe('what is not named is not changed', () => {
  it.each(['--title New --no-content', '--title New --no-body', '--no-content'])(
    'articles update 7 %s',
    async (flags) => {
      expect(await hintOf(`articles update 7 ${flags}`)).toMatch(
        /^What is not named stays as it is/,
      );
    },
  );

  it.each([
    ['articles rename Old New', 'Old'],
    ['rename Old New', 'Old'],
    ['retitle A B', 'A'],
  ])('%s', async (line, old) => {
    expect(await hintOf(line)).toBe(
      `An article is named by its id, which \`blogctl articles list --search ${old}\` shows: \`blogctl articles update <id> --title <text>\`.`,
    );
  });

  it.each([
    ['3 preview', /^Write `blogctl articles get 3 <article\.\.\.>`/],
    ['articles 3 and 4', /^Write `blogctl articles get 3 /],
    ['articles 3 rename X', /^Write `blogctl articles get 3 /],
    ['articles 3 title X', /^Run `blogctl articles update 3 --title X`\.$/],
    ['count --title x', /^There is no --title here/],
    ['blog --old-title x', /^There is no --old-title here/],
    ['blog --title x', /^Run `blogctl store edit-blog --title x`\.$/],
  ])('%s: what is asked for changes nothing', async (line, hint) => {
    expect(await hintOf(line)).toMatch(hint);
  });

  it('a word of a text', async () => {
    expect(await hintOf('articles replace kettle pot')).toMatch(
      /^It is `blogctl articles update <article>`, with --title/,
    );
  });

  it.each([
    ['articles list --to t.csv', /^Run `blogctl articles list --output t\.csv`\.$/],
    ['articles get 7 --to t.md', /^Run `blogctl articles get 7 --output t\.md`\.$/],
    ['sync plan posts --to plan.json', /^Run `blogctl sync plan posts --output plan\.json`\.$/],
    ['articles update 7 --title x --to note.txt', /^There is no --to here/],
    ['articles list --t note.txt', /^(?!.*--token)/],
    ['articles list --tok note.txt', / --token-file note\.txt`\.$/],
  ])('%s', async (line, hint) => {
    expect(await hintOf(line)).toMatch(hint);
  });
});

describe('an unknown flag beside others', () => {
  const lines = [
    'articles create --title T --content B',
    'articles create --title T',
    'articles update 3 --content B --if-match E',
    'articles update 3 --title T',
    'articles edit 3',
    'articles delete 3 4 -y --if-match E',
    'articles delete 3 -y',
    'articles import posts --dry-run',
    'articles import posts',
    'sync apply posts -y --max-deletes 1',
    'sync apply posts',
    'runs undo abc --dry-run',
    'store lock --store db.json --article 2',
    'token revoke ci --store db.json',
    'profile remove work',
  ];
  const qualifiers = 'old expected if seo short sub un confirm unless keep min parent'.split(' ');
  const nouns =
    'title content body text name id yes force prune match limit article confirm drafts'.split(' ');
  const joints = [
    (one: string, other: string) => `${one}-${other}`,
    (one: string, other: string) => `${one}_${other}`,
    (one: string, other: string) => `${other}-${one}`,
    (one: string, other: string) => one + other.replace(/^./, (first) => first.toUpperCase()),
  ];

  it('gives its value to none of them, and takes nothing away', async () => {
    const flag = tuple(
      constantFrom(...qualifiers),
      constantFrom(...nouns),
      constantFrom(...joints),
    );
    await assert(
      asyncProperty(
        constantFrom(...lines),
        flag,
        integer({ min: 0, max: 1 }),
        async (line, name, joined) => {
          const [qualifier, noun, joint] = name;
          const typed = `${line} --${joint(qualifier, noun)}${joined === 1 ? '=' : ' '}zq7x`;
          const { status, err } = await run(typed.split(' '), { env, folder });
          expect([typed, status]).toEqual([typed, 2]);
          const [, named] = /^hint: Run `blogctl (.*)`\.$/m.exec(err) ?? [];
          if (named === undefined) return;
          expect([typed, named]).toEqual([typed, expect.not.stringContaining('zq7x')]);
          const isYes = /--yes|--token|--clear/.test(named) && !/ -y| --\S*yes/i.test(typed);
          expect([typed, named, isYes]).toEqual([typed, named, false]);
          const kept = new Set(named.split(' '));
          const lost = line.split(' ').filter((word) => !kept.has(word));
          expect([typed, named, lost]).toEqual([typed, named, []]);
        },
      ),
      { numRuns: 150, seed: 7 },
    );
  });
});

describe('a flag that was read as a format or a file gives nothing away', () => {
  it.each([
    ['articles export -f json out.json', 'articles export --format json out.json'],
    ['articles export -f csv a.csv', 'articles export --format csv a.csv'],
    ['articles export -f json -o a.csv', 'articles export --format json -o a.csv'],
    ['articles export -f ndjson', 'articles export --format ndjson'],
    ['articles export -f out.json', 'articles export out.json'],
    ['articles export out.json -f', 'articles export out.json --overwrite'],
    ['articles export --force out.json', 'articles export --overwrite out.json'],
  ])('%s', async (line, meant) => {
    expect(await hintOf(line)).toBe(`Run \`blogctl ${meant}\`.`);
  });

  it.each(['-f md out', '-f md out -f', '-fmd out', '-f=json out.json', '-fjson out.json'])(
    'articles export %s',
    async (words) => {
      expect(await hintOf(`articles export ${words}`)).not.toMatch(/^Run .* --(?:overwrite|yes)\b/);
    },
  );
});

describe('what a request leaves out is not taken away', () => {
  it.each([
    'PUT articles/1 title=X',
    'PUT -i articles/1 title=X',
    'api -X PUT articles/1 -f title=X',
    'put articles/1 title=X',
  ])('%s', async (line) => {
    expect(await hintOf(line)).toBe('Run `blogctl articles update 1 --title X`.');
  });
});

it.each([
  [['articles', 'export', '--overwrite', 'a'], ['articles', 'export', '-f', 'a.json'], true],
  [['articles', 'export', '--overwrite', 'a'], ['articles', 'export', '-f', 'csv', 'a'], true],
  [['articles', 'export', '--overwrite', 'a'], ['articles', 'export', 'a', '-f'], false],
  [['articles', 'delete', '-y', '3'], ['articles', 'delete', '-f', 'json', '3'], true],
  [['articles', 'delete', '-y', '3'], ['articles', 'delete', '-f', '3'], false],
  [['sync', 'apply', 'posts', '--prune'], ['sync', 'apply', 'posts', '-p'], true],
  [['sync', 'apply', 'posts', '--prune'], ['sync', 'apply', 'posts', '--delete'], false],
  [['articles', 'import', 'a', '--drafts'], ['articles', 'import', 'a', '--all'], true],
])('%j for %j is bold: %s', (line, typed, is) => {
  expect(isBold(line, typed)).toBe(is);
});

describe('a line that is offered does what was meant when it is run', () => {
  const blog = 'http://127.0.0.1:9/blogs/1';
  const first = 'http://127.0.0.1:9/api/v1.2/blogs/1';
  const ofLocal = `articles get ${blog}/articles/1 --blog ${blog}`;
  it.each([
    [`check ${blog} 4.9`, `check ${blog} --only 4.9`],
    [`check --rule 4.9 ${blog}`, `check --only 4.9 ${blog}`],
    ['serve blog.json:8081', 'serve blog.json --port 8081'],
    ['serve -p 8080:80 blog.json', 'serve --port 8080 blog.json'],
    ['serve -ro blog.json', 'serve --read-only blog.json'],
    [`${blog}/articles`, `articles list --blog ${blog}`],
    ['articles list --fields id, title', 'articles list --fields id,title'],
    ['articles ls -aq', 'articles ls --format ids'],
    ['articles ls -l', 'articles ls'],
    ['articles ls -l 3', 'articles ls --limit 3'],
    ['dt', 'articles list'],
    ['explain articles.title', 'articles --help'],
    [`GET ${blog}`, `api -X GET ${blog} --blog ${blog}`],
    [`GET ${blog}/articles`, `api -X GET ${blog}/articles --blog ${blog}`],
    ['api --form articles title=X content=Y', 'api articles -X POST -F title=X -F content=Y'],
    ['api --url articles', 'api articles'],
    [
      '-X POST articles -d {"title":"X","content":""}',
      'api -X POST articles -F title=X -F content=',
    ],
    ['config set-context prod --blog=http://x', 'profile add prod http://x'],
    // What names an article or a request by its address is of that blog, with a scheme or without.
    [`curl ${blog}/articles?pageSize=2`, `api '${blog}/articles?pageSize=2' --blog ${blog}`],
    [`curl -X DELETE ${blog}/articles/1`, `api -X DELETE ${blog}/articles/1 --blog ${blog}`],
    [`view ${blog}/articles/1`, `articles get ${blog}/articles/1 --blog ${blog}`],
    ['articles get 127.0.0.1:9/blogs/1/articles/1', ofLocal],
    ['http :9/blogs/1', 'api http://localhost:9/blogs/1 --blog http://localhost:9/blogs/1'],
    [
      'POST articles -F title=X -F content=http://h.test/blogs/2',
      'api -X POST articles -F title=X -F content=http://h.test/blogs/2',
    ],
    // A host is read at its first blog, and written to where its start page says which there are.
    ['articles list --host 127.0.0.1 --port 9', `articles list --blog ${first}`],
    ['sync apply posts -target=one.md', 'sync apply posts one.md'],
    ['db search kettle', 'articles list --search kettle'],
    ['api --hostname 127.0.0.1:9 articles', `api articles --blog ${first}`],
    ['links --host 127.0.0.1:9', `links --blog ${first}`],
    ['blog --hostname 127.0.0.1:9', `blog --blog ${first}`],
    ['serve --hostname 127.0.0.1 blog.json', 'serve --host 127.0.0.1 blog.json'],
    ['-h 127.0.0.1 -p 9 articles list', `articles list --blog ${first}`],
    [
      'create --host h.test --title X --content Y',
      'articles create --title X --content Y --blog https://h.test/',
    ],
    ['serve --host h.test -p 9 --db b.json', 'serve --host h.test -p 9 --store b.json'],
    ['login b.test', 'auth login https://b.test/api/v1.2/blogs/1'],
    ['auth login b.test:9/', 'auth login https://b.test:9/api/v1.2/blogs/1'],
    ['auth login --hostname 127.0.0.1:9', `auth login ${first}`],
    // What a file has is called otherwise.
    ['post list --field=url', 'articles list --field address'],
    [
      'ls --field url --blog http://127.0.0.1:9/1',
      'articles list --field url --blog http://127.0.0.1:9/1',
    ],
    // Another's noun and a verb of it.
    ['remote set-url origin http://x', 'profile add origin http://x'],
    ['settings dump', 'config list'],
    ['stores gc', 'store compact'],
    ['compose up', 'serve'],
    ['make serve', 'serve'],
    ['yarn start', 'serve'],
    ['git log --oneline', 'runs list'],
    ['less 3', 'articles get 3'],
    ['post new --title X --body -', 'articles create --title X --content-file -'],
    ['articles update 3 set title=X', 'articles update 3 --title X'],
    // A text that begins so is no file there.
    ['articles update 1 --body @alice', 'articles update 1 --content @alice'],
    // A request as httpie writes it.
    [`http GET ${blog}/articles`, `api -X GET ${blog}/articles --blog ${blog}`],
    [
      `http POST ${blog}/articles title=X content=Y`,
      `api -X POST ${blog}/articles -F title=X -F content=Y --blog ${blog}`,
    ],
    [
      `http PUT ${blog}/articles/1 title=X`,
      `articles update ${blog}/articles/1 --title X --blog ${blog}`,
    ],
    ['expose blog', 'serve'],
    // What was typed stays what it was.
    ['config set timeout 5 minutes', 'config set timeout 5m'],
    ['articles create --subject X --description Y', 'articles create --title X --content Y'],
    ['new site garden', 'store init garden.json --title garden'],
    ['articles list order by title', 'articles list --sort title'],
    ['articles list where title=cache', 'articles list --search cache'],
    ['articles list limit 3 offset 6', 'articles list --page 3 --page-size 3'],
    ['articles ls --depth=0', 'articles ls'],
    ['articles import posts --resume', 'articles import posts'],
    ['api articles Accept:text/plain', 'api articles -H Accept:text/plain'],
    ['profile set-url origin http://x', 'profile add origin http://x'],
    ['apply -f articles.ndjson --dry-run=server', 'articles import articles.ndjson --dry-run'],
    ['articles import a.ndjson --validate-only', 'articles import a.ndjson --dry-run'],
    ['articles import posts --dryrun=true', 'articles import posts --dry-run'],
    ['articles create \u2013title X', 'articles create --title X --content <text>'],
    ['articles create {"title":"X","content":"a=b"}', 'articles create --title X --content a=b'],
  ])('%s', async (line, meant) => {
    expect(await hintOf(line)).toBe(`Run \`blogctl ${meant}\`.`);
  });

  it.each([
    ['sync apply posts --on-drift= -y', 'Write `blogctl sync apply posts --on-drift <what> -y`'],
    ['serve --routes r.json b.json', 'Without what is not known here: `blogctl serve b.json`.'],
    [
      'issue list --json number,title,url',
      'blogctl articles list --json --fields id,title,address`.',
    ],
    ['search --json cache', 'Run `blogctl articles list --search cache --json`.'],
    ['-c select title from articles', 'Conditions are written in jq: '],
    ['-d blog -c select title from articles', 'Conditions are written in jq: '],
    ['psql -tAc select title from articles', 'Conditions are written in jq: '],
    ['new content posts/x.md', 'Write the file first: '],
    ['select * from articles', 'Conditions are written in jq: '],
    ['api -G articles -d pageSize=2', 'What is asked is part of the address, '],
    ['auth login --password-stdin', 'Write `blogctl auth login --token-file - <blog-url>`'],
    ['-s posts', 'Files come to a blog by `blogctl articles import posts`.'],
    // The article and the file that were typed, and no other.
    ['articles copy 7', '`blogctl articles get 7 --format md -o copy.md`'],
    ['articles append 7 x', '`blogctl articles edit 7` opens it.'],
    ['articles append 7 8', '`blogctl articles edit <id>` opens it.'],
    ['articles apply -f note.md', 'Run `blogctl sync apply . note.md`.'],
    ['restore ref.json', '`blogctl articles import ref.json --recreate`'],
    ['restore ref.json', 'a store file that nobody serves is kept, and put back, by `cp`.'],
    ['backup ref.json', 'Run `blogctl articles export ref.json`.'],
    [
      'api -X POST articles -f title=X',
      'Write `blogctl articles create --title X --content <text>`',
    ],
    ['api POST articles content=Y', 'Write `blogctl articles create --content Y --title <text>`'],
    [
      'api articles -X POST -f title=X -f body=Y',
      'Run `blogctl articles create --content Y --title X`',
    ],
    ['hexo server', 'Run `blogctl serve`.'],
    ['run cancel abc123', '`blogctl runs resume abc123` goes on.'],
    ['sync apply posts --force', '`blogctl sync apply posts --on-drift overwrite` alone.'],
    ['articles import posts --update', 'Only `blogctl sync apply posts` writes over articles'],
    ['config set retries 3 days', 'Run `blogctl config set retries 3`.'],
    ['config set retries 5 times', 'Run `blogctl config set retries 5`.'],
    ['config set timeout 5 minutes', 'Run `blogctl config set timeout 5m`.'],
    ['auth login -p https', 'Write `blogctl auth login <blog-url>`'],
    [
      'auth login --git-protocol ssh -w http://h.test/blogs/1',
      'blogctl auth login http://h.test/blogs/1`',
    ],
    ['auth login --insecure-storage', 'Write `blogctl auth login <blog-url>`'],
    ['site create --slug=news --title=News', 'Run `blogctl store init news.json --title News`.'],
    ['site create --slug=news', 'Run `blogctl store init news.json --title news`.'],
    ['site create --slug', 'Write `blogctl store init <file>`'],
    ['repo create news --public', 'Run `blogctl store init news.json --title news`.'],
    ['grep -i kettle', 'Run `blogctl articles list --search kettle`.'],
    ['articles delete Hello', '; `blogctl articles list --search Hello` shows them.'],
    ['articles update Hello --title X', '; `blogctl articles list --search Hello` shows them.'],
    ['tokens', 'Run `blogctl token list`.'],
    ['checkout main', 'Articles become files by'],
    ['articles delete 1 --yes --force', 'Run `blogctl articles delete 1 --yes`.'],
    ['http articles pageSize==2', 'Run `blogctl api articles -F pageSize=2`.'],
    ['api articles --query pageSize=2', 'Run `blogctl api articles -F pageSize=2`.'],
    ['curl articles -d title=a -d content=b', ' -X POST -F title=a -F content=b`.'],
    ['curl articles -d title=@x', 'A body comes by --input <file>, '],
    ['curl articles -d title=a&content=b', 'A body comes by --input <file>, '],
    ['curl localhost:8080', 'Run `blogctl blog --blog http://localhost:8080/api/v1.2/blogs/1`.'],
    ['curl http://h.test/', 'Run `blogctl blog --blog http://h.test/api/v1.2/blogs/1`.'],
    [
      'wget http://h.test/blogs/1',
      'Run `blogctl api http://h.test/blogs/1 --blog http://h.test/blogs/1`.',
    ],
    // No unit, port or host that was not meant.
    ['config set timeout 5 months', 'It is `blogctl config set <setting> <value>`'],
    ['articles list --host h.test -p', 'There is no -p here.'],
    ['auth login token.txt', 'Write a blog as https://host/api/v1.2/blogs/1'],
    ['backup --store b.json', 'articles export backup.ndjson` writes'],
    ['update 3 --description x', 'There is no --description here.'],
    ['-c id,title', 'It manages the articles of a blog alone:'],
  ])('%s', async (line, said) => {
    expect(await hintOf(line)).toContain(said);
  });
});

describe('what is there is served, kept or put back', () => {
  beforeAll(async () => {
    const files = {
      'db.json': '{"comments":[],"posts":[{"id":1,"title":"A"}]}',
      'data.ndjson': '{"title":"A","content":"B"}\n',
      'table.csv': 'title,content\nA,B\n',
      'old.json': '[{"title":"A","content":"B"}]',
      'one.md': '---\ntitle: One\n---\n',
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    await run(['store', 'init', 'kept.json'], { env, folder });
  });

  it.each([
    ['serve posts', '`blogctl articles import posts --blog file:posts.json` makes one'],
    ['serve posts', '`blogctl serve posts.json` serves it.'],
    ['serve ./posts --port 3000', '`blogctl serve posts.json --port 3000` serves it.'],
    ['serve table.csv', '`blogctl articles import table.csv --blog file:table.json` makes one'],
    [
      'serve posts kept.json',
      'One service serves one store file: name one; `blogctl articles import posts --blog file:kept.json` brings there what is in posts.',
    ],
    ['serve nothing kept.json', 'One service serves one store file: name one.'],
    ['serve nothing', '`blogctl serve nothing.json` makes it where it is missing.'],
    ['serve kept -p 3000', 'Run `blogctl serve kept.json -p 3000`.'],
    ['serve data.ndjson', 'Run `blogctl serve --store data-blog.json --seed data.ndjson`.'],
    ['serve --ro data.ndjson', 'Run `blogctl serve --ephemeral --seed data.ndjson --read-only`.'],
    ['serve --dir posts', '`blogctl serve posts.json` serves it.'],
    ['--watch db.json', 'Run `blogctl serve --store db-blog.json --seed db.json --watch`.'],
    ['serve --ro db.json', 'Run `blogctl serve --ephemeral --seed db.json --read-only`.'],
    ['serve --db db.json', 'Run `blogctl serve --store db-blog.json --seed db.json`.'],
    ...[
      '-S snaps',
      '-s public',
      '-m mw.js',
      '-i _id',
      '-r routes.json',
      '--id _id',
      'serve -S snaps',
    ].map((own) => [
      `${own} db.json`,
      'Without what is not known here: `blogctl serve --store db-blog.json --seed db.json`.',
    ]),
    ...['-c old.json', '-c old.json --watch', '--config old.json', 'serve -c old.json'].map(
      (own) => [`${own} db.json`, '`blogctl serve` reads no file of settings'],
    ),
    ['serve --ephemeral db.json', 'Run `blogctl serve --seed db.json --ephemeral`: '],
    ['push one.md', 'Run `blogctl sync apply . one.md`.'],
    ['restore kept.json', '`blogctl articles list --blog file:kept.json` shows what it has'],
    ['restore old.json', '`blogctl articles import old.json --recreate` brings back'],
    ['store backup kept.json', 'articles export backup.ndjson --blog file:kept.json`.'],
  ])('%s', async (line = '', said = '') => {
    expect(await hintOf(line)).toContain(said);
  });

  it.each(['post', 'psots', '_posts', 'Posts'])('%s is nearly posts', async (name) => {
    const ended = await run(['sync', 'plan', name], { env, folder });
    expect([ended.status, ended.err]).toEqual([
      7,
      expect.stringContaining('`blogctl sync plan posts`.'),
    ]);
    const imported = await run(['articles', 'import', join(folder, name)], { env, folder });
    const line = `\`blogctl articles import ${join(folder, 'posts')} --dry-run\` says`;
    expect([imported.status, imported.err]).toEqual([7, expect.stringContaining(line)]);
  });

  it('a database of json-server that nobody may change is served from memory', async () => {
    const { status, err } = await run(['serve', 'db.json', '--read-only'], { env, folder });
    expect([status, err]).toEqual([
      7,
      expect.stringMatching(/`blogctl serve --ephemeral --seed \S*db\.json --read-only`: /),
    ]);
  });
});

it('of an article that is named by its address as well', async () => {
  const url = 'http://127.0.0.1:9/blogs/1/articles/1';
  for (const line of [`PUT ${url} title=X`, `PATCH ${url} title=X`])
    expect(await hintOf(line)).toBe(
      `Run \`blogctl articles update ${url} --title X --blog http://127.0.0.1:9/blogs/1\`.`,
    );
  expect(await hintOf('PUT articles/1 title=X --blog file:b.json')).toBe(
    'Run `blogctl articles update 1 --title X --blog file:b.json`.',
  );
});

describe('words without quotes behind a text are the rest of it, and no title', () => {
  it.each([
    ['articles update 3 --content four five six', "update 3 --content 'four five six'"],
    ['articles update 1 --content=some words', "update 1 '--content=some words'"],
    ['articles update --content some words 1', "update --content 'some words' 1"],
    ['articles update --content four 5 six', "update --content 'four 5 six' <article>"],
    ['articles update 1 --body some words', "update 1 --content 'some words'"],
    ['articles update 1 -m some more words', "update 1 --content 'some more words'"],
    ['articles update 1 -c some words', "update 1 --content 'some words'"],
    ['articles update 1 --text some text', "update 1 --content 'some text'"],
    ['articles update 1 --post_content some words', "update 1 --content 'some words'"],
    ['articles edit 1 --content some words', "update 1 --content 'some words'"],
    ['articles edit 1 --body some words', "update 1 --content 'some words'"],
    ['articles set 1 content some words', "update 1 --content 'some words'"],
    ['articles create --content C more words', "create --content 'C more words' --title <text>"],
    ['articles create -m some text', "create --content 'some text' --title <text>"],
    ['articles create --title My first post', "create --title 'My first post' --content <text>"],
    ['articles create --title T --body some words', "create --title T --content 'some words'"],
    ['articles create -b some text -t My title', "--content 'some text' --title 'My title'"],
    ['articles update 5 New --content four', 'update 5 --title New --content four'],
  ])('%s', async (line, meant) => {
    expect(await hintOf(line)).toContain(`${meant}\``);
  });
});

describe('words without quotes are a title together, and no part of them is the text', () => {
  it.each([
    ['articles create New title', "articles create --title 'New title' --content <text>"],
    ['articles create Hello World From Me', "--title 'Hello World From Me' --content <text>"],
    [
      'articles create --content x New words',
      "articles create --content 'x New words' --title <text>",
    ],
    ['create hello world', 'It is `blogctl articles create`, with .*'],
    ['create Hello World', "articles create --title 'Hello World' --content <text>"],
    ['articles update 1 A much better title', "articles update 1 --title 'A much better title'"],
    ['articles create title X content Y', 'articles create --title X --content Y'],
    ['articles create Hello note.md', 'articles create --title Hello --from-file note.md'],
    ['articles create posts _posts', 'articles import posts _posts'],
  ])('%s', async (line, meant) => {
    expect(await hintOf(line)).toMatch(new RegExp(`${meant}\`\\.$`));
  });
});

it.each(['create', 'articles create'])(
  '%s: what has quotes is a title and a text',
  async (line) => {
    const words = [...line.split(' '), 'A title', 'A text'];
    const { err } = await run(words, { env, folder });
    expect(err).toContain("articles create --title 'A title' --content 'A text'`");
  },
);

it('the name of a file that is there is not published as the text', async () => {
  writeFileSync(join(folder, 'note.md'), 'Text.');
  for (const line of ['articles update 1', 'articles create --title T'])
    for (const name of ['note.md', './note.md'])
      expect(await hintOf(`${line} --content ${name}`)).toBe(
        `Give --content-file ${name}; by --content-file - such a text comes from stdin.`,
      );
});

it.each(['b.tar', 'b.tgz', 'b.tar.xz'])('%s holds no answer', async (file) => {
  for (const line of ['articles export', 'articles list'])
    expect(await hintOf(`${line} -o ${file}`)).toMatch(/^Name a file as \.json/);
});

it.each(['api -O articles', 'api articles -O'])('%s writes no file of that name', async (line) => {
  expect(await hintOf(line)).toBe('Write `blogctl api articles -o <file>`.');
});

describe('a long line is answered after less trying than a short one, and in short', () => {
  /** A program as the one that refuses, and what it refuses of a line, which is not carried out. */
  async function parsed(words: readonly string[]): Promise<readonly [Command, unknown]> {
    const program = createProgram(() => {});
    const host = givenHost([], { env, folder });
    const { signal } = new AbortController();
    program.hook('preAction', () => {
      throw new CommanderError(0, 'accepted', '');
    });
    addCommands(program, createContext({ host, flags: () => ({}), signal: () => signal }));
    const thrown: unknown = await program
      .parseAsync([...words], { from: 'user' })
      .catch((error: unknown) => error);
    return [program, thrown];
  }

  it.each([
    ['articles get', 40],
    ['articles get', 3000],
    ['get', 3000],
    ['articles create', 500],
    ['articles import --foo', 500],
    ['config set timeout', 500],
  ])('%s and %d words', async (start, length) => {
    const names = Array.from({ length }, (_each, at) => `${at}-word`);
    const words = [...start.split(' '), ...names];
    const [program, thrown] = await parsed(words);
    if (!(thrown instanceof CommanderError)) throw new Error('The line is accepted.');
    let rehearsals = 0;
    const hint = await nextStep(thrown, {
      words,
      program,
      folder,
      rehearse: async (line) => {
        rehearsals += 1;
        const [, refused] = await parsed(line);
        return refused instanceof RefusedLine ? refused : undefined;
      },
      hasFile: () => Promise.resolve(false),
      profiles: () => Promise.resolve([]),
    });
    expect({ rehearsals, length: hint.length }).toEqual({
      rehearsals: expect.toSatisfy((count: number) => count <= 3 * Math.max(5, 600 / length)),
      length: expect.toSatisfy((letters: number) => letters < 300),
    });
  });
});
