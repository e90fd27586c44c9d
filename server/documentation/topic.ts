/** One page of documentation: the same words for a browser and for a client. */
export type Topic = {
  readonly title: string;
  /** What it is, in a sentence. */
  readonly summary: string;
  readonly paragraphs: readonly string[];
  /** A command to try, shown as written. */
  readonly example?: string;
  /** Where the topic is all of them. */
  readonly problems?: readonly {
    readonly code: string;
    readonly status: number;
    readonly title: string;
  }[];
};
