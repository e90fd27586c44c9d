import type { ImportListener, ImportRequest } from '../../importing/import-request.ts';
import type { Reject } from '../../importing/rejects.ts';
import type { Notice, Place } from '../../importing/sources/source.ts';
import { createProgress, type Progress } from '../../terminal/progress.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const mostShown = 20;

/** Tells a person what an import does, in few lines however many records there are. */
export function createImportListener(
  terminal: Terminal,
  { dryRun }: ImportRequest,
): ImportListener {
  const noticed = new Map<Notice['kind'], { count: number; first: string }>();
  let rejected = 0;
  let progress: Progress | undefined;
  let total = 0;
  return {
    looked: () => undefined,
    planned(plan) {
      total = plan.ready;
      for (const { count, first } of noticed.values()) {
        void terminal.warn(count === 1 ? first : `${first} (and ${count - 1} more like this)`);
      }
      if (rejected > mostShown)
        void terminal.warn(`and ${rejected - mostShown} more records like this`);
      if (!dryRun) progress = createProgress(terminal, { label: 'Importing', total });
    },
    settled(done, refused) {
      progress?.update(done, refused > 0 ? `${refused} refused` : '');
      if (done === total) progress?.finish();
    },
    rejected(reject) {
      rejected += 1;
      if (rejected <= mostShown) void terminal.warn(`${placeOf(reject)}: ${reject.message}`);
    },
    warned: (text) => void terminal.warn(text),
    noticed(place, { kind, message }) {
      const known = noticed.get(kind);
      if (known !== undefined) known.count += 1;
      else noticed.set(kind, { count: 1, first: `${placeOf(place)}: ${message}` });
    },
  };
}

function placeOf({ source, position }: Place | Reject): string {
  return /\.(?:md|mdx|markdown|html?)$/i.test(source) ? source : `${source}:${position}`;
}
