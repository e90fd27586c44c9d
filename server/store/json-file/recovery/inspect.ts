import type { OpenFile } from '../files/file-system.ts';
import { FOOTER_BYTES, parseFooter, type Count } from '../format/footer.ts';
import { endBeforeSpaces } from '../format/trailing-space.ts';
import { UnusableStore } from '../unusable-store.ts';
import type { Document } from './document.ts';
import { load } from './load.ts';

/** What the end of a file and its checksums say of it. */
export type Finding =
  | { readonly kind: 'trusted'; readonly document: Document }
  | { readonly kind: 'torn-batch'; readonly from: number; readonly count: Count | undefined }
  /** The commit record is damaged, and what it says of all bytes before `from` holds: they are whole. */
  | { readonly kind: 'whole'; readonly from: number }
  | { readonly kind: 'edited' }
  /** No commit record that could be believed. */
  | { readonly kind: 'no-footer' };

/** Reads the file once; the index comes with it where the commit record holds. */
export function inspect(file: OpenFile, path: string, changedMs: number): Finding {
  if (file.stat().size === 0) throw empty(path);
  const end = endBeforeSpaces(file);
  const tail = Buffer.alloc(Math.min(FOOTER_BYTES, end));
  file.read(tail, end - tail.length);
  const footer = parseFooter(tail);
  if (footer === undefined) return { kind: 'no-footer' };
  const { bytes, from, count, holds } = footer;
  if (bytes + footer.length !== end) return { kind: holds ? 'edited' : 'no-footer' };
  const loaded = load(file, footer, changedMs);
  if (loaded.kind === 'trusted') return loaded;
  if (!holds) return loaded.isWhole ? { kind: 'whole', from: bytes } : { kind: 'no-footer' };
  return loaded.kind === 'torn-batch' ? { kind: 'torn-batch', from, count } : { kind: 'edited' };
}

function empty(path: string): UnusableStore {
  return new UnusableStore('empty', `${path} is empty. Nothing was changed.`, {
    hint: 'Put the lost content back, or remove the file and run `blogctl store init`.',
  });
}
