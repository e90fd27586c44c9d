import type { ReadingOptions, Source } from './source.ts';

/** What is known of a file before its format is. */
export type FileSample = {
  readonly path: string;
  readonly name: string;
  /** In lower case, with its dot. */
  readonly extension: string;
  /** Its first 64 KB as text, without byte order mark and white space in front. */
  readonly head: string;
};

export type FileFormat = {
  readonly name: string;
  /** Only of a file that was named itself: in a folder it may stand there for another reason. */
  readonly isNeverFound?: true;
  recognises(sample: FileSample, options: ReadingOptions): boolean | Promise<boolean>;
  open(sample: FileSample, options: ReadingOptions): Source | Promise<Source>;
};
