import { TIME_LENGTH } from './time-text.ts';

/** What the end of a line says, its checksum not looked at. */
export type LineEnd = {
  readonly tag: string;
  readonly updatedAt: number;
  readonly locked: boolean;
  /** Bytes from where `,"updated"` begins to the end of the line. */
  readonly privateLength: number;
};

/** More than the members after the public ones take where the store knows all of them. */
export const LINE_END_BYTES = 320;

const TIME = `.{${TIME_LENGTH}}`;
const END = new RegExp(
  `,"updated":"(${TIME})"(?:,"key":\\["[0-9a-f]*","[0-9a-f]*"\\])?(,"locked":true)?,"etag":"(\\d{1,15}-[0-9a-f]{8})"\\}$`,
);

/**
 * Reads the last bytes of a line (without comma and newline); undefined where they do not tell. In a
 * text every quote has a backslash before it, so that this can be nothing but the members.
 */
export function readLineEnd(bytes: Buffer): LineEnd | undefined {
  const found = END.exec(bytes.toString('latin1'));
  const [, updated = '', locked, tag = ''] = found ?? [];
  if (found === null) return undefined;
  return {
    tag,
    updatedAt: Date.parse(updated),
    locked: locked !== undefined,
    privateLength: bytes.length - found.index,
  };
}
