import type { ReadingOptions, SkipReason } from '../source.ts';

/** How one system's export names what is published, and what is on its way to be. */
export type Vocabulary = {
  readonly post: string;
  readonly published: string;
  readonly drafts: readonly string[];
};

/** Why an item of an export is passed over; undefined where it is imported. */
export function reasonToSkip(
  item: { readonly type: string; readonly status: string },
  { types, statuses, drafts }: ReadingOptions,
  words: Vocabulary,
): SkipReason | undefined {
  if (!(types ?? [words.post]).includes(item.type)) return `type ${item.type}`;
  const wanted = statuses ?? [words.published, ...(drafts ? words.drafts : [])];
  if (wanted.includes('any') || wanted.includes(item.status)) return undefined;
  return words.drafts.includes(item.status) ? 'draft' : `status ${item.status}`;
}
