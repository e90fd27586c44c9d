// The manual: blogctl.1 and a page for each group of commands, from what the built command says of
// itself (`commands --json`, `help <topic>`, `--help`), in mdoc(7).
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const { name, version } = JSON.parse(await readFile('package.json', 'utf8'));
const changes = await readFile('CHANGELOG.md', 'utf8');
const [, day] = /^## \S+ \((\d{4}-\d\d-\d\d)\)$/m.exec(changes);
const date = new Date(day).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });

export async function writeManual(folder) {
  const { flags, commands, environment, exitCodes } = JSON.parse(ask('commands', '--json'));
  await mkdir(folder, { recursive: true });
  const groups = [...new Set(commands.map(groupOf))]
    .filter(Boolean)
    .sort((a, b) => (a < b ? -1 : 1));
  const write = (page, lines) => writeFile(join(folder, `${page}.1`), `${lines.join('\n')}\n`);
  const alone = commands.filter((command) => groupOf(command) === undefined);
  await write(name, [
    ...head(name, 'manage the articles of a blog, import them, serve them'),
    `.Nm\n.Op Ar flags\n.Ar command\n.Op Ar ...`,
    '.Sh DESCRIPTION',
    `This is version ${version}. Each group of commands has a page of its own:`,
    `${groups.map((group) => `.Xr ${name}-${group} 1`).join(' ,\n')} .`,
    'Pages on one topic each, and recipes, are in the folder',
    '.Pa docs\nof the package.',
    ...alone.flatMap(section),
    '.Sh FLAGS OF EVERY COMMAND',
    ...list(flags.map(flagOf)),
    '.Sh ENVIRONMENT',
    ...list(Object.entries(environment).map(([key, text]) => [`.It Ev ${key}`, [text]])),
    '.Sh EXIT STATUS',
    ...list(exitCodes.map(({ status, meaning }) => [`.It ${status}`, [meaning]])),
    ...['formatting', 'import'].flatMap((topic) => [
      `.Sh ${topic.toUpperCase()}`,
      // A section begins with its text.
      ...prose(ask('help', topic).split('\n').slice(2).join('\n')).slice(1),
    ]),
    '.Sh SEE ALSO',
    groups.map((group) => `.Xr ${name}-${group} 1`).join(' ,\n'),
  ]);
  for (const group of groups) {
    const its = commands.filter((command) => groupOf(command) === group);
    const purpose = ask(group, '--help').split('\n')[2];
    await write(`${name}-${group}`, [
      ...head(`${name}-${group}`, purpose),
      `.Nm ${name} ${group}\n.Ar command\n.Op Ar flags\n.Op Ar ...`,
      '.Sh DESCRIPTION',
      ...its.flatMap(section),
      '.Sh SEE ALSO',
      `.Xr ${name} 1 ,\nwhich has the flags that every command takes, variables and exit codes.`,
    ]);
  }
}

function ask(...words) {
  const env = { ...process.env, CI: '1', NO_COLOR: '1', COLUMNS: '78' };
  return execFileSync(process.execPath, ['bin/blogctl.cjs', ...words], { env, encoding: 'utf8' });
}

function groupOf(command) {
  return command.name.includes(' ') ? command.name.split(' ')[0] : undefined;
}

function head(page, purpose) {
  const title = `.Dd ${date}\n.Dt ${page.toUpperCase()} 1\n.Os`;
  return [title, '.Sh NAME', `.Nm ${page}`, `.Nd ${escaped(purpose)}`, '.Sh SYNOPSIS'];
}

/** A command: its line, what it does, arguments, flags, and what its help says behind them. */
function section({ name: command, summary, arguments: args, flags }) {
  const words = args.map(({ name: arg, required, variadic }) => {
    const shown = `${escaped(arg)}${variadic ? ' ...' : ''}`;
    return required ? `.Ar ${shown}` : `.Op Ar ${shown}`;
  });
  const rows = [
    ...args.map((arg) => [`.It Ar ${escaped(arg.name)}`, [arg.description]]),
    ...flags.map(flagOf),
  ];
  return [
    `.Ss ${name} ${command}`,
    ...(words.length > 0 ? [...words, '.Pp'] : []),
    ...sentences(`${summary}.`),
    ...(rows.length > 0 ? list(rows) : []),
    ...prose(afterFlags(command)),
  ];
}

/** Of the help of a command what stands behind its last flag. */
function afterFlags(command) {
  const lines = ask(...command.split(' '), '--help').split('\n');
  const last = lines.findLastIndex((line) => /^ {2}-/.test(line));
  const end = lines.findIndex((line, at) => at > last && line === '');
  const text = lines.slice(end).filter((line) => !line.startsWith('Flags that every command'));
  return text.join('\n');
}

function flagOf({ flags, description, choices, default: value }) {
  const more = [
    ...(choices ? [`One of ${choices.join(', ')}.`] : []),
    ...(value === undefined ? [] : [`Default: ${JSON.stringify(value)}.`]),
  ];
  const [, short, long, shown] = /^(?:-(\w)(?:, )?)?(?:--([\w-]+))?(?: <(.+)>)?$/.exec(flags);
  const names = [short, long && `\\-${escaped(long)}`].filter(Boolean).map((each) => `Fl ${each}`);
  const argument = shown === undefined ? '' : ` Ar "${escaped(shown)}"`;
  return [`.It ${names.join(' , ')}${argument}`, [`${description}.`, ...more]];
}

function list(rows) {
  const items = rows.flatMap(([item, texts]) => [item, ...texts.flatMap(sentences)]);
  return ['.Bl -tag -width Ds', ...items, '.El'];
}

/** Help was broken for its own width: paragraphs are filled again, and its tables are lists. */
function prose(text) {
  const blocks = text.match(/(?:^\S.*\n?)+|(?:^ +\S.*\n?)+/gm) ?? [];
  return blocks.flatMap((block) => {
    const lines = block.trimEnd().split('\n');
    if (!block.startsWith(' ')) return ['.Pp', ...sentences(lines.join(' '))];
    const items = block.trim().split(/\n {2}(?=\S)/);
    const isTable = /\S {2,}/.test(items[0]);
    return isTable ? table(items) : ['.Bd -literal -compact', ...lines.flatMap(typed), '.Ed'];
  });
}

function table(items) {
  const rows = items.map((item) => item.replaceAll(/\n +/g, ' ').split(/ {2,}/));
  const width = Math.max(...rows.map(([tag]) => tag.length));
  const lines = rows.flatMap(([tag, text]) => [`.It ${escaped(tag)}`, ...sentences(text)]);
  return ['.Pp', `.Bl -tag -width ${width}n -compact`, ...lines, '.El'];
}

/** What is typed: where it is too long it goes on as it does in a shell. */
function typed(line) {
  const lines = [];
  for (const piece of line.split(/ (?=-{1,2}\w|\| )/)) {
    const longer = `${lines.at(-1)} ${piece}`;
    if (lines.length > 0 && longer.length <= 68) lines[lines.length - 1] = longer;
    else lines.push(lines.length > 0 ? `      ${piece}` : piece);
  }
  return lines.map((each, at) => escaped(at < lines.length - 1 ? `${each} \\` : each));
}

/** Each begins a line of the source, which is no longer than 80 bytes. */
function sentences(text) {
  return text
    .split(/(?<=[.!?]) (?=[A-Z])/)
    .flatMap((sentence) => sentence.match(/\S.{0,60}(?= |$)|\S+/g).map(escaped));
}

/** What roff would read as its own is text: backslashes, and dots and quotes at the begin of a line. */
function escaped(text) {
  return text
    .replaceAll('\\', '\\e')
    .replace(/^([.'])/, '\\&$1')
    .replaceAll('-', '\\-');
}
