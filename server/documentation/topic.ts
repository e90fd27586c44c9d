/** One page of documentation: the same words for a browser and for a client. */
export type Topic = {
  readonly title: string;
  /** What it is, in a sentence. */
  readonly summary: string;
  readonly paragraphs: readonly string[];
  /** Shown as written, in a fixed-width face. */
  readonly example?: string;
};
