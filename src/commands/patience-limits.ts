import type { Settings } from '../settings/settings.ts';

/** A service that does not answer at all is given up within a minute, unless --max-wait is given. */
const longestSilenceMs = 57_000;
/** One that has never answered is given up sooner: its address may be wrong. */
const longestFirstSilenceMs = 5_000;

/** A wait that was asked for holds for a silent service too. */
export function patienceOf(settings: Settings) {
  const maxWaitMs = settings.maxWaitMs();
  const isAsked = settings.written('max-wait')?.origin !== 'default';
  return {
    maxWaitMs,
    maxSilenceMs: isAsked ? maxWaitMs : longestSilenceMs,
    maxFirstSilenceMs: isAsked ? maxWaitMs : longestFirstSilenceMs,
  };
}
