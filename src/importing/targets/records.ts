import { portable } from './portable.ts';
import type { Target, WriteText } from './target.ts';

/** Where the text of an export goes, piece by piece; seen under its name when it is finished. */
export type Sink = { readonly write: WriteText; finish(): Promise<void>; abandon(): Promise<void> };

/** One JSON object a line. */
export function ndjsonTarget(sink: Sink): Target {
  return {
    write: (article) => sink.write(`${JSON.stringify(portable(article))}\n`),
    finish: () => sink.finish(),
    abandon: () => sink.abandon(),
  };
}

/** One JSON array, an object a line. */
export function jsonTarget(sink: Sink): Target {
  let separator = '[\n';
  return {
    async write(article) {
      await sink.write(separator + JSON.stringify(portable(article)));
      separator = ',\n';
    },
    async finish() {
      await sink.write(separator === '[\n' ? '[]\n' : '\n]\n');
      await sink.finish();
    },
    abandon: () => sink.abandon(),
  };
}

/**
 * A table with a header; every field is quoted, so that any text comes back as it was, unless `cell`
 * makes another of it.
 */
export function csvTarget(sink: Sink, cell: (text: string) => string = String): Target {
  const row = (...fields: string[]) => `${fields.map(cell).map(quote).join(',')}\n`;
  let header = row('title', 'content', 'url');
  return {
    async write(article) {
      const { title, content, url } = portable(article);
      await sink.write(header + row(title, content, url));
      header = '';
    },
    async finish() {
      await sink.write(header);
      await sink.finish();
    },
    abandon: () => sink.abandon(),
  };
}

function quote(field: string): string {
  return `"${field.replaceAll('"', '""')}"`;
}
