import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Hint } from '../../errors.ts';
import { smallFile } from '../../files.ts';
import { firstBlog } from '../../settings/values.ts';
import { inShell } from '../../terminal/text.ts';
import { ownName } from '../../terminal/view.ts';
import { commandOf, optionOf, scopeOf } from '../lazy-command.ts';
import { beginsAs } from '../open-file.ts';
import * as said from './no-counterpart.ts';
import { lineOf, reads, type Words } from './rewording.ts';
import type { Habits } from './synonyms.ts';

/** An id, and words that say nothing of a change: `3 preview`, `articles 3 and 4`. */
const bareId =
  /^(?:(?:article|post|issue)s? )?#?\d+ (?!.*\b(?:title|content|body|text|name)\b)[^-=:]+$/i;

/** Of a text on the line and a file that is the whole article one would be dropped; the first of all are not the first of those that are chosen; what is asked for changes nothing. */
export function saysOther(line: Words, typed: Words): boolean {
  const has = (words: Words, ...flags: Words) =>
    words.some((word) => flags.includes(word.split('=')[0] ?? ''));
  const isDropped = has(line, '--content') && has(line, '--from-file');
  const isCut = has(line, '--jq') && has(line, '--limit', '-L', '--page');
  const isTitled = has(line, '--title') && bareId.test(typed.join(' '));
  // `-b title=x` is a field, and `blog` before an article no title of it.
  const isField = /^--content[=\n](?:title|content|body)[:=]/m.test(line.join('\n'));
  const isNoun = /^update\n--title\n(?:blog|store|token|profile|config|site|page)\n/m;
  if (isField || isNoun.test(line.join('\n'))) return true;
  const isCounted = has(line, 'edit-blog') && has(line, '--field', '--fields');
  if (isTitled || isCounted) return true;
  return (isDropped && !has(typed, '--from-file')) || (isCut && !has(typed, '--jq', '-q'));
}

/** What reads begins at the first blog of a host; what changes something is told which. */
export const ofHosts: Habits = {
  serve: [[/^--(?:hostname|server)=([\w.-]+)$/, '--host $1']],
  'articles list, articles get, blog, links, api': [
    [/^--(?:hostname|host|server)=(?!file:|.*:\/\/)/, (typed) => `--blog ${firstBlog(typed)}`],
  ],
};

const ofOthers = '= <> eq ne gt lt ge le'.split(' ');
const ofJq = '== != == != > < >= <='.split(' ');
const comparison =
  /\s*(\w+)\s*(==?|!=|<>|<=?|>=?|\b(?:like|eq|ne|gt|lt|ge|le)\b)\s*('[^']*'|"[^"]*"|[^\s'"()<>=]+)\s*(?:(\band\b|\bor\b|&&|\|\|)(?=\s*\w)|$)/giy;

const conditional =
  /^(?:--(?:where|filter|sql|query)=.*(?:[<>%~]|==|\s=|='|="|\bid=|\w\s(?:in\s?\(|(?:like|is|between|eq|ne|gt|lt|ge|le)\b))|(?:post_)?(?:id|title|content|name|body)\s*(?:[<>]=?|[!=]=|\s=)\s*['"\w])/is;

/** `id > 3 and title = 'Tea'` as a filter of jq, where it says no more than comparisons. */
function asFilter(typed: string): readonly string[] | Hint {
  const condition = typed.replace(/^--\w+=/, '');
  const parts = [...condition.matchAll(comparison)];
  const filters = parts.map(([, field = '', sign = '', value = '', joint = '']) => {
    const bare = value.replace(/^(['"])(.*)\1$/s, '$2');
    const filter = compared(ownName(field), sign.toLowerCase(), bare);
    const next = /^(?:and|&&)$/i.test(joint) ? ' and ' : joint === '' ? '' : ' or ';
    return filter && filter + next;
  });
  const isAll = parts.map(([all]) => all).join('') === condition;
  if (!isAll || filters.length === 0 || filters.includes(undefined)) return said.conditions;
  return ['--all --jq', `.[] | select(${filters.join('')})`];
}

function compared(field: string, sign: string, value: string): string | undefined {
  if (!/^(?:id|title|content)$/.test(field)) return undefined;
  const [, before, text = '', behind = ''] = /^(%?)([^%_]*)(%?)$/.exec(value) ?? [];
  if (sign === 'like') {
    if (field === 'id' || before === undefined) return undefined;
    const shown = JSON.stringify(text);
    if (before + behind === '') return `.${field} == ${shown}`;
    const way = before === '' ? 'startswith' : behind === '' ? 'endswith' : 'contains';
    return `(.${field} // "" | ${way}(${shown}))`;
  }
  if (field === 'id' && !/^\d+$/.test(value)) return undefined;
  return `.${field} ${ofJq[ofOthers.indexOf(sign)] ?? sign} ${field === 'id' ? value : JSON.stringify(value)}`;
}

/** What begins with a capital is no verb. */
const title =
  /^(?!(?:List|Ls|Get|View|Show|Create|New|Add|Update|Edit|Delete|Rm|Remove|Import|Export|Links|[A-Z]{2,})\b)[A-Z][^/=]*$/;

/** What may be meant in two ways, and what only looks like one of ours. */
export const ofDoubts: Habits = {
  'articles list': [
    [/^update\s[a-z]\w*\sset\s/is, said.oneAtATime],
    [/^delete\sfrom\s\w+\swhere\sid\s*=\s*'?([1-9]\d*)'?;?$/i, '/articles delete $1'],
    [/^delete\sfrom\s\w/i, said.whichOnes],
    [/^insert\sinto\s\w/i, '/articles create'],
    [conditional, asFilter, said.conditions],
  ],
  'articles list, articles get': [
    [/^--file(?:name)?=([^:]+\.(?:[ct]sv|ndjson|jsonl|md|txt))$/, '--output $1'],
  ],
  articles: [
    [
      /^(?:rename|retitle|set-title) (?!#?\d|https?:|file:)\S/,
      (typed) =>
        `An article is named by its id, which \`blogctl articles list --search ${inShell(typed.replace(/^\S+ /, ''))}\` shows: \`blogctl articles update <id> --title <text>\`.`,
    ],
    [title, (typed) => ['/articles list --search', typed]],
  ],
  'sync plan, sync apply': { '-R --recursive': '' },
  'articles, sync, runs, auth, profile, config, store, token': [[/^help ([a-z-]+)$/, '$1 --help']],
  'blogctl, articles': [
    [/^(?:bulk|batch|mass|multi)[-_]?(delete|remove|rm|update|edit|get|export)$/, '/articles $1'],
  ],
  blogctl: [
    [/^(?:hub|glab)$/, ''],
    [/^-n=([a-zA-Z][\w-]*)$/, '--profile $1', said.noProfile],
  ],
  // A file to kubectl and force to gh, a question to PowerShell and an answer to gh: it is asked.
  'articles delete, runs undo, sync apply': [
    [
      /^--(?:confirm(?:=(?:true|false|yes|no))?|(?:force|auto-approve|assume-yes)=(?:false|no)|no-force)$/,
      '',
    ],
  ],
  'runs prune': [
    [/^(?:--(?:days|age|min-age|until|before|older)=)?([1-9]\d{0,3}[dhw]?)$/, '--older-than $1'],
    [
      /^(?:[\da-f]{6,}|--(?:keep\S*|until|before|since|after))(?:=.*)?$/,
      'None is forgotten by its name, date or number: `blogctl runs prune --older-than <days>` forgets those that ended so long ago.',
    ],
  ],
  'runs show': { '--log --log-failed --exit-status': '' },
  'runs list': [
    [
      /^--(?:since|until|after|before|created)(?:=.*)?$/,
      'None is chosen by its date: `blogctl runs list` shows the last one first, with dates.',
    ],
  ],
  'articles delete, runs undo': [[/^-f=(#?[\da-f]+)$/, '$1']],
};

/** `--reverse true`: a word that says yes or no to a flag that takes none, as one behind its `=`. */
export async function withAnswers(words: Words, program: Command): Promise<Words> {
  const command = await commandOf(program, words);
  const isAnswer = (at: number) =>
    /^(?:true|false|yes|no|on|off)$/i.test(words[at] ?? '') &&
    optionOf(command, words[at - 1] ?? '')?.required === false;
  return words.flatMap((word, at) =>
    isAnswer(at) ? [] : [isAnswer(at + 1) ? `${word}=${words[at + 1]}` : word],
  );
}

/** What was typed, in lines, and why it is no yes. */
const doubts = [
  [/^(?:-y|--yes)(?:=$|[=\n](?:false|no|off|0)$)|^--no-yes$/im, 'The flag --yes is a switch'],
  [/^--?confirm(?:=.*)?$/im, 'To some --confirm asks, to others it answers'],
  [/^-f\n#?[\da-f]+$/m, 'To some -f is a file, to others force'],
] as const;

/** The line that still asks, where what was typed may have meant yes or no. */
export async function leftToAsk(
  line: Words,
  typed: Words,
  program: Command,
): Promise<Hint | undefined> {
  const command = await commandOf(program, line);
  const isAnswered = line.some((word) => /^(?:-y|--yes)$/.test(word)) || reads(command);
  const [, why] = doubts.find(([doubt]) => doubt.test(typed.join('\n'))) ?? [];
  if (isAnswered || why === undefined) return undefined;
  if (/^(?:articles delete|runs undo|sync apply)$/.test(scopeOf(command)))
    return `${why}: \`${lineOf(line)}\` asks first, -y answers yes beforehand.`;
  if (why !== doubts[0][1] || !optionOf(command, '--dry-run') || line.includes('--dry-run'))
    return undefined;
  return `${why}, and nothing is asked here: \`${lineOf([...line, '--dry-run'])}\` only says what would be done.`;
}

/** What asks, keeps or hides less, and what says that it is meant. */
const bold: readonly (readonly [ours: RegExp, theirs: RegExp])[] = [
  [/^(?:-y|--yes)$/, /^--?(?:y\w*|r?fr?|\S*approve|force|no-?confirm|assume-yes)(?:=|$)/i],
  [/^--overwrite$/, /^--?(?:over-?write|force|clobber|f)(?:=|$)/i],
  [/^--prune$/, /^--?(?:p\w*ne|delete|mirror)(?:=|$)/i],
  [/^--(?:drafts|recreate|clear-content)$/, /draft|re-?create|restore|clear|empty|remove|delete/i],
];

const isNamed = /[./]|^(?:(?:nd)?jsonl?|[ct]sv|ids?|md|markdown|table|text|ya?ml|junit)$/i;

/** Nobody else answers a question, or gives away what is there; a -f before a file or a format is theirs. */
export function isBold(line: Words, typed: Words): boolean {
  const own = typed.filter((word, at) => !/^-f$/i.test(word) || !isNamed.test(typed[at + 1] ?? ''));
  const has = (words: Words, flag: RegExp) => words.some((word) => flag.test(word));
  return bold.some(([ours, theirs]) => has(line, ours) && !has(own, theirs));
}

/** Of others, what says something there and nothing here. */
const unheard =
  /^(?:serve\n.* --(?:static|routes|middlewares|snapshots|id|foreignKey)|sync\n.* (?:-m|--(?:since|after|until|before|ref|base|commit|message|author))(?:=| [^-])|runs\n.* (?:-[ubw]|--(?:user|branch|workflow|event|commit))(?:=| [^-]))/;

/** A line without what was said by others' flags does less than was meant. */
export function leavesOut([first = '']: Words, typed: Words): boolean {
  return unheard.test(`${first}\n ${typed.join(' ')}`);
}

type Lacking = { readonly line: Words; readonly lacks?: string | undefined };

/** The line, where the Markdown that it names has no title: of an article that is there the file becomes the text; what is created, or has a head, lacks one. A head is no part of a text. */
export async function withTitle(
  { line, lacks }: Lacking,
  { words, folder }: { readonly words: Words; readonly folder: string },
): Promise<Lacking> {
  const at = line.findIndex((word) => /^--(?:from|content)-file$/.test(word));
  const file = line[at + 1] ?? '';
  const isTitled = line.some((word) => /^--title(?:=|$)/.test(word));
  const isOfText = line[at] === '--content-file';
  if (at !== -1 && beginsAs(resolve(folder, file), /^\s*\{/))
    return { line: onlyOnce(line, words), lacks };
  const isAsked = isOfText ? words.includes('--content-file') : isTitled;
  const isMarkdown = at !== -1 && /\.(?:md|markdown|mdx|html)$/i.test(file);
  const text = isMarkdown && !isAsked ? await smallFile(resolve(folder, file)) : undefined;
  const hasHead = /^\uFEFF?[-+]{3}/.test(text ?? '');
  if (text === undefined || (isOfText && !hasHead)) return { line, lacks };
  const { isArticle } = await import('../articles/edited-text.ts');
  if (!isArticle(text, file, true)) return { line, lacks };
  const whole = line.with(at, '--from-file');
  if (isTitled || isArticle(text, file))
    return {
      line: onlyOnce(whole, words),
      lacks: lacks?.startsWith('--title') ? undefined : lacks,
    };
  return line.includes('update') && !hasHead
    ? { line: line.with(at, '--content-file'), lacks }
    : { line: whole, lacks: '--title <text>' };
}

/** A file that is a whole article may be on the blog: an import makes it there once. */
function onlyOnce(line: Words, typed: Words): Words {
  const isAlone = /^articles\ncreate\n--from-file\n[^\n]+(?:\n--(?:blog|profile)\n[^\n]+)*$/;
  if (!isAlone.test(line.join('\n')) || typed.includes('--from-file')) return line;
  return ['articles', 'import', ...line.slice(3)];
}
