import { type Command, InvalidArgumentError, Option } from 'commander';
import type { ReadingOptions } from '../importing/sources/source.ts';
import type { Tolerance } from '../importing/import-request.ts';
import type { Settings } from '../settings/settings.ts';
import { wholeNumber } from './arguments.ts';

/** What `articles import` and `sync` say in the same words of what they read and how they send it. */
export type SourceFlags = {
  readonly drafts?: boolean | undefined;
  readonly titleFrom?: ReadingOptions['titleFrom'] | undefined;
  readonly encoding?: string | undefined;
  readonly importId?: string | undefined;
  readonly continueOnError?: boolean | undefined;
  readonly maxErrors?: Tolerance | undefined;
  readonly allowEmpty?: boolean | undefined;
  readonly concurrency?: number | undefined;
  readonly rate?: number | undefined;
};

export function sourceFlags(): Readonly<Record<keyof SourceFlags, Option>> {
  return {
    continueOnError: new Option(
      '--continue-on-error',
      'leave out what is wrong, do the rest, end with 10',
    ),
    maxErrors: new Option('--max-errors <n|p%>', 'the same, up to so many wrong records').argParser(
      tolerance,
    ),
    importId: new Option(
      '--import-id <name>',
      'keeps the records apart from those of other sources',
    ),
    titleFrom: new Option(
      '--title-from <where>',
      'of a post without a title in its front matter',
    ).choices(['h1', 'line', 'filename']),
    encoding: new Option('--encoding <name>', 'of what is not UTF-8, e.g. latin1, shift_jis'),
    drafts: new Option('--drafts', 'take what is not public too: drafts, scheduled, protected'),
    allowEmpty: new Option('--allow-empty', 'nothing found is no failure'),
    concurrency: new Option(
      '--concurrency <n>',
      'requests at a time, up to 64 (default: 4)',
    ).argParser(wholeNumber(1, 64)),
    rate: new Option(
      '--rate <n>',
      'requests a second at most (default: what the service allows)',
    ).argParser(wholeNumber(1)),
  };
}

/** Those of `sync`, behind its own. */
export function addSourceFlags(command: Command): Command {
  const shared = sourceFlags();
  return command
    .optionsGroup('Posts:')
    .addOption(shared.titleFrom)
    .addOption(shared.drafts)
    .addOption(shared.importId)
    .addOption(shared.encoding)
    .optionsGroup('When posts are wrong:')
    .addOption(shared.continueOnError)
    .addOption(shared.maxErrors)
    .addOption(shared.allowEmpty)
    .optionsGroup('Pace:')
    .addOption(shared.concurrency)
    .addOption(shared.rate);
}

export function toleranceOf({ continueOnError, maxErrors }: SourceFlags): Tolerance {
  return maxErrors ?? { kind: continueOnError === true ? 'any' : 'none' };
}

/** `20` records or `5%` of them. */
export function tolerance(text: string): Tolerance {
  const [, figure, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const most = Number(figure);
  if (percent === '%' && most <= 100) return { kind: 'share', most: most / 100 };
  if (percent === '' && Number.isInteger(most)) return { kind: 'count', most };
  throw new InvalidArgumentError('Write a number of records, or a share of them such as 5%.');
}

/** A service that does not answer at all is given up within a minute, unless --max-wait is given. */
const longestSilenceMs = 57_000;
/** One that has never answered is given up sooner: its address may be wrong. */
const longestFirstSilenceMs = 5_000;

/** A wait that was asked for holds for a silent service too. */
export function retryLimitsOf(settings: Settings) {
  const maxWaitMs = settings.maxWaitMs();
  const isAsked = settings.written('max-wait')?.origin !== 'default';
  return {
    maxWaitMs,
    maxSilenceMs: isAsked ? maxWaitMs : longestSilenceMs,
    maxFirstSilenceMs: isAsked ? maxWaitMs : longestFirstSilenceMs,
  };
}
