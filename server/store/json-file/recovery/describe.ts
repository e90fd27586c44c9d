import type { OpenFile } from '../files/file-system.ts';
import { lineNumbers } from '../any-layout/position.ts';
import type { Recovery } from './read-store.ts';

const TOLD = 20;

/** What an opening found, in sentences; nothing where the file is as the store wrote it. */
export function describeRecovery(
  file: OpenFile,
  path: string,
  { findings }: Pick<Recovery, 'findings'>,
): readonly string[] {
  if (findings.length === 0) return [];
  const told = findings.slice(0, TOLD);
  const lines = lineNumbers(file, told);
  const sentences = told.map((finding, at) => `${path}${inLine(lines[at])}: ${finding.what}.`);
  const more = findings.length - told.length;
  if (more > 0) sentences.push(`${path}: ${more} more; \`blogctl store check\` lists them.`);
  const confirm = `\`blogctl store check --accept-edits --store ${path}\``;
  return [
    ...sentences,
    `${path} is shown so and was left as it is: the next change, or ${confirm}, makes it so.`,
  ];
}

function inLine(line: number | undefined): string {
  return line === undefined ? '' : `, line ${line}`;
}
