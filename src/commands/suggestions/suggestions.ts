import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command, CommanderError } from 'commander';
import type { Hint } from '../../errors.ts';
import { commandOf, defineTree, IncompleteLine, optionOf, RefusedLine } from '../lazy-command.ts';
import {
  flagAndValue,
  type Rehearsal,
  forFlag,
  asksNothing,
  ofCommandBeneath,
  withInput,
} from './flag-meanings.ts';
import {
  aboutArguments,
  calledBy,
  culpritOf,
  inWords,
  lackedBy,
  saidBy,
  secretless,
  toldOf,
  type RefusedWords,
  withoutShape,
} from './last-resort.ts';
import { nearValue } from '../../terminal/diff.ts';
import { forGroup, forOperands } from './meanings.ts';
import { makesNoFile } from './no-counterpart.ts';
import { isBold, leavesOut, leftToAsk, saysOther, withAnswers, withTitle } from './doubts.ts';
import { asUpdate, withBlog, withOwnNames } from './own-names.ts';
import {
  flagIn,
  isPlaceholder,
  lineOf,
  profilesIn,
  reworded,
  isFlag,
  isValue,
  operandsOf,
  reads,
  type Words,
} from './rewording.ts';
import { asArguments, asMeant, meaningsOf, retyped, titled } from './typed-words.ts';
import { asBounded, asWhole, dashedFile, forFiles } from './written-lines.ts';

/** What a line that is named may be: as it was typed; short of arguments; or without what is not known. */
type Mode = 'whole' | 'lacking' | 'without';

/**
 * What to do instead: a line where every word that was typed stands in its meaning and that our own
 * parser accepts; else a sentence, the same line with what it lacks or, where it only reads, without what is not known; else what the command takes.
 */
export async function nextStep(thrown: CommanderError, rehearsal: Rehearsal): Promise<Hint> {
  if (!(thrown instanceof RefusedLine)) return 'See `blogctl --help`.';
  const { folder, program } = rehearsal;
  await defineTree(program);
  const profiles = await rehearsal.profiles();
  const typed = await withAnswers(titled(retyped(rehearsal.words), folder), program);
  const words = reworded(typed, profiles, folder);
  const isOther = JSON.stringify(words) !== JSON.stringify(rehearsal.words);
  const refused = isOther ? await rehearsal.rehearse(words) : thrown;
  const knownProfiles = new Set([...profiles, ...profilesIn(words)]);
  const whole = { ...rehearsal, words, knownProfiles };
  const first = await searched('whole', refused, whole);
  const [said] = first.said;
  let found = first;
  for (const mode of said === undefined ? (['lacking', 'without'] as const) : [])
    if (found.line === undefined) found = await searched(mode, refused, whole);
  if (found.line === undefined)
    return secretless(
      said === undefined
        ? (first.refused ?? inWords(culpritOf(first) ?? toldOf(thrown, thrown.command, words)))
        : asBounded(said, first.end?.words ?? rehearsal.words, folder),
    );
  return toRun(found, rehearsal);
}

async function searched(
  mode: Mode,
  refused: unknown,
  rehearsal: Rehearsal & Pick<Search, 'knownProfiles'>,
): Promise<Search & { readonly line: Words | undefined }> {
  const rehearsed = new Set([JSON.stringify(rehearsal.words)]);
  const search: Search = { ...rehearsal, mode, said: [], rehearsed };
  const line = await lineFor(refused, rehearsal.words, search);
  return Object.assign(search, { line });
}

async function toRun(
  { line: found = [], lacks: lacked, mode }: Search & { readonly line: Words | undefined },
  rehearsal: Rehearsal,
): Promise<Hint> {
  const { program, folder, words } = rehearsal;
  const named = asWhole(found, words, lacked);
  const { line, lacks } = await withTitle(
    { line: await forFiles(named, folder), lacks: named === found ? lacked : undefined },
    rehearsal,
  );
  const whole = await withInput(line, rehearsal);
  const missing = lacks === undefined || whole !== line ? '' : ` ${lacks}`;
  // What a meaning has may have been typed as well.
  const once = whole.filter((word, at) => !/^--(pag|yes)/.test(word) || whole.indexOf(word) === at);
  const own = await withOwnNames(withBlog(asUpdate(once)), program);
  const isNew = words.slice(0, 2).includes('new');
  const [, file = '.'] = /--(?:from|content)-file\n(?!-$)(.+)/m.exec(own.words.join('\n')) ?? [];
  if (isNew && !existsSync(resolve(folder, file))) return asBounded(makesNoFile, words, folder);
  const shown = `\`${lineOf(own.words)}${missing}\``;
  if ((missing !== '' && !missing.startsWith(' -')) || own.words.some(isPlaceholder))
    return secretless(`Write ${shown}${aboutArguments(await commandOf(program, line), line)}.`);
  const isLess = mode === 'without' || own.isLess || leavesOut(line, retyped(words));
  const hint: Hint = isLess ? `Without what is not known here: ${shown}.` : `Run ${shown}.`;
  return secretless((await leftToAsk(own.words, words, program)) ?? hint);
}

type Search = Rehearsal & {
  readonly mode: Mode;
  /** Sentences of the table on the way. */
  readonly said: Hint[];
  readonly rehearsed: Set<string>;
  /** A hint names no other. */
  readonly knownProfiles: ReadonlySet<string>;
  /** What is told, where nothing is found: of a habit of blogctl itself what its command lacks. */
  told?: RefusedWords;
  /** Where the likeliest way ends: the flag that is not known is not the first, where that means something. */
  end?: RefusedWords;
  /** What is said of a line that is one of ours, and asks for what makes no sense. */
  refused?: Hint | undefined;
  visited?: number;
  /** What the line that was found lacks. */
  lacks?: string;
};

/** So many lines are rehearsed before none is named: of a long one, as of all files of a folder, fewer. */
function mostLines({ length }: Words): number {
  return Math.max(4, Math.floor(Math.min(50, 600 / length)));
}

/** A line that is accepted as it was changed goes before one that has to be changed again. */
async function lineFor(refused: unknown, words: Words, search: Search): Promise<Words | undefined> {
  if (refused === undefined) return words;
  if (refused instanceof IncompleteLine) {
    search.lacks = refused.missing;
    return words;
  }
  search.refused ??= await saidBy(refused, words, search.program);
  if (!(refused instanceof RefusedLine)) return undefined;
  const command = await calledBy(words, refused.command);
  const isOfValue =
    search.told?.code === 'commander.unknownOption' && refused.code === 'commander.invalidArgument';
  const isGroup = (search.told?.command.commands.length ?? 0) > 0;
  const isSecond = (search.visited ?? 0) <= (isGroup ? 2 : Number(isOfValue));
  search.visited = (search.visited ?? 0) + 1;
  if (isSecond || search.told === undefined) search.told = toldOf(refused, command, words);
  const tried: (readonly [unknown, Words])[] = [];
  const said: Hint[] = [];
  for (const meant of meanings(refused, command, { line: words, search })) {
    // What a sentence is said of first is no word of another line.
    if (typeof meant === 'string') {
      said.push(meant);
      break;
    }
    const next = await asMeant(meant, search.program);
    const name = JSON.stringify(next);
    const isNone =
      asksNothing(next, search.program) ||
      saysOther(next, search.words) ||
      profilesIn(next).some((each) => !search.knownProfiles.has(each));
    if (search.rehearsed.has(name) || isNone || isBold(next, search.words)) continue;
    if (search.rehearsed.add(name).size > mostLines(words)) return undefined;
    const again = await search.rehearse(next);
    if (again === undefined) return next;
    const lacks = lackedBy(again, next, false);
    if (lacks !== undefined) {
      search.lacks = lacks;
      return next;
    }
    tried.push([again, next]);
  }
  for (const [again, next] of tried) {
    const line = await lineFor(again, next, search);
    if (line !== undefined) return line;
  }
  search.said.push(...said);
  if (tried.length === 0) search.end ??= toldOf(refused, command, words);
  const lacks = search.mode === 'whole' ? undefined : lackedBy(refused, words, true);
  if (lacks === undefined) return undefined;
  search.lacks = lacks;
  return words;
}

/** Lines and sentences that may be meant, the likeliest first. */
function* meanings(
  { message, code, command: above }: RefusedLine,
  command: Command,
  { line, search }: { readonly line: Words; readonly search: Search },
): Generator<Words | Hint, void, void> {
  const [, refused = ''] = /option '(?:-\w, )?(-[^' =]+|-=[^']+)/.exec(message) ?? [];
  const [flag] = flagAndValue(refused, command);
  const isUnknown = /unknownOption|missingMandatory/.test(code);
  const isIt = new Set([flag, optionOf(command, flag)?.short]);
  const isLacking = code.includes('missingMandatory');
  const isRefused = (word: string) => {
    const [typed] = flagAndValue(word, command);
    return isLacking ? isFlag(word) && optionOf(command, typed) === undefined : isIt.has(typed);
  };
  const named = line.findIndex((word, index) => isRefused(word) && !isValue(line, index, command));
  // Of several letters behind one dash the first may be known, as -v of -version.
  const isTail = (word: string) => /^-\w[\w=]/.test(word) && word.endsWith(refused.slice(1));
  const at = named === -1 && refused !== '' ? line.findIndex(isTail) : named;
  const [, before] = operandsOf(line, command);
  const places = before.map((each) => line[each] ?? '');
  const file = isUnknown ? dashedFile(line[at] ?? '', places, search.folder) : undefined;
  if (file !== undefined) yield line.with(at, file);
  const [name, given] = flagAndValue(line[at] ?? '', command);
  const words = given === undefined ? line : line.toSpliced(at, 1, name, given);
  if (at !== -1 && name !== flagIn(line[at])) yield words.with(at, name);
  const near = nearValue(given ?? line[at + 1] ?? '', optionOf(command, name)?.flags ?? '');
  if (at !== -1 && near !== undefined && code === 'commander.invalidArgument')
    yield line.toSpliced(at, given === undefined ? 2 : 1, name, near);
  // `--limit= 3`
  if (given === '' && code === 'commander.invalidArgument') yield line.with(at, name);
  if (reads(command) && line.includes('--')) yield line.filter((word) => word !== '--');
  const [path, operands] = operandsOf(words, command);
  const isOfFlag = isUnknown || (code === 'commander.invalidArgument' && refused !== '');
  const place = { command, words, path, operands, search };
  const isGroup = command.commands.length > 0;
  if (code === 'commander.missingArgument') yield* asArguments(words, command);
  const forWords = isGroup ? forGroup(place) : forOperands(place, code, isOfFlag);
  if (isGroup && !isUnknown) yield* forWords;
  if (code === 'commander.optionMissingArgument')
    yield* meaningsOf(command, line[at] ?? '').filter((each) => typeof each === 'string');
  if (!/repeatedOption|optionMissingArgument/.test(code)) {
    if (at !== -1) yield* forFlag({ ...place, at, given });
    // It may be one of a command that is named behind it.
    const isEarly = isUnknown && at !== -1 && above.commands.length > 0;
    const moved = [1, 2].map((more) => [
      ...words.toSpliced(at, more),
      ...words.slice(at, at + more),
    ]);
    if (isEarly) yield* moved;
    if (isUnknown || !isGroup) yield* forWords;
    if (at !== -1) yield* ofCommandBeneath({ ...place, at });
  }
  // `search --limit 3 kettle`: its value stands behind the other flags.
  const [last] = operands.slice(command.registeredArguments.length);
  if (code === 'commander.optionMissingArgument' && at !== -1 && last !== undefined)
    yield [...words.slice(0, last), name, ...words.slice(last)].toSpliced(at, 1);
  if (search.mode !== 'without' || !reads(command) || !isUnknown || at === -1) return;
  yield* withoutShape(words, at, given !== undefined);
}
