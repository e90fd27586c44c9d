import type { Reject } from '../../importing/rejects.ts';

/**
 * A reject as GitHub Actions shows it beside the file (docs.github.com, "Workflow commands"). A
 * position is a line in NDJSON and tables; elsewhere it is said in words.
 */
export function annotate({ position, message }: Reject, path: string): string {
  const isLine = /\.(?:ndjson|jsonl|csv|tsv|tab)$/i.test(path);
  const where = `file=${property(path)}${isLine ? `,line=${position}` : ''}`;
  const which = isLine || position === 1 ? '' : ` (record ${position})`;
  return `::error ${where}::${data(message + which)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
