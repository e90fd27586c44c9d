type Page = {
  readonly totalArticles: number;
  readonly articles: readonly { readonly id: number }[];
};

/** Watches the pages of a listing go by, to say whether they add up to what was announced. */
export type ListingWatch = {
  see(page: Page): void;
  over<P extends Page>(pages: AsyncIterable<P>): AsyncGenerator<P, void, void>;
  /**
   * Why what was read may not be the whole blog, as a sentence. `isWhole`: every page was read, so
   * that the number of articles can be judged as well.
   */
  doubt(isWhole: boolean): string | undefined;
};

export function createListingWatch(): ListingWatch {
  const seen = new Set<number>();
  let twice: number | undefined;
  let read = 0;
  let firstTotal: number | undefined;
  let lastTotal = 0;
  function see({ totalArticles, articles }: Page): void {
    firstTotal ??= totalArticles;
    lastTotal = totalArticles;
    for (const { id } of articles) {
      if (seen.has(id)) twice ??= id;
      seen.add(id);
      read += 1;
    }
  }
  return {
    see,
    over: async function* (pages) {
      for await (const page of pages) {
        see(page);
        yield page;
      }
    },
    doubt: (isWhole) => {
      if (twice !== undefined) {
        return `Article ${twice} came twice: the blog changed while it was read, and articles may be missing.`;
      }
      if (firstTotal !== undefined && firstTotal !== lastTotal) {
        return `The blog changed while it was read: it had ${firstTotal} articles at first and ${lastTotal} in the end.`;
      }
      if (!isWhole || read === lastTotal) return undefined;
      return `The service announced ${lastTotal} articles and sent ${read}: the list is not whole.`;
    },
  };
}
