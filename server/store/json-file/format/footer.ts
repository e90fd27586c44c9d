import { checksumText } from './checksum.ts';

/** The commit record at the end of the file: what it vouches for, and where the last batch began. */
export type Footer = {
  /** Live articles. */
  readonly articles: number;
  /** Length of everything before the footer. */
  readonly bytes: number;
  readonly checksum: number;
  /** The same two values before the last batch; equal to them when closed cleanly. */
  readonly from: number;
  readonly fromChecksum: number;
};

/** No footer is longer. */
export const FOOTER_BYTES = 220;

/** How a footer begins: it closes the list of articles. */
export const FOOTER_START = '],\n"end":';

const PATTERN =
  /\],\n"end":\{"articles":(\d+),"bytes":(\d+),"crc32":"([0-9a-f]{8})","from":(\d+),"fromCrc32":"([0-9a-f]{8})"\}\}\n$/;

export function footerText(footer: Footer): string {
  const { articles, bytes, from } = footer;
  const crc = checksumText(footer.checksum);
  const fromCrc = checksumText(footer.fromChecksum);
  return `${FOOTER_START}{"articles":${articles},"bytes":${bytes},"crc32":"${crc}","from":${from},"fromCrc32":"${fromCrc}"}}\n`;
}

/** The footer that ends `tail`, and its length; undefined where the last bytes are no footer. */
export function parseFooter(tail: Buffer): (Footer & { readonly length: number }) | undefined {
  const match = PATTERN.exec(tail.toString('latin1'));
  if (match === null) return undefined;
  const [text, articles, bytes, crc, from, fromCrc] = match;
  return {
    length: text.length,
    articles: Number(articles),
    bytes: Number(bytes),
    checksum: Number.parseInt(crc ?? '', 16),
    from: Number(from),
    fromChecksum: Number.parseInt(fromCrc ?? '', 16),
  };
}
