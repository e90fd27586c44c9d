import { Query as PgQuery } from 'pg';

/** Resolves when more may be prepared: what is asked next waits for it, and throws what it met. */
export type CopyIn = (text: string, data: Buffer) => Promise<void>;

/** What a column takes: bigint, boolean, text or bytea. */
type Value = number | boolean | string | Buffer | null;

const PIECE_BYTES = 1024 * 1024;
/** Signature, flags and no extension (PostgreSQL, COPY, Binary Format); a row of -1 columns ends it. */
const HEAD = Buffer.from('PGCOPY\n\u00FF\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const END = Buffer.from([0xff, 0xff]);

export const articleColumns =
  'blogctl.articles (blog_id, id, body, tag, updated_at, locked, private)';
export const keyColumns = 'blogctl.keys (blog_id, key, request, article_id, tombstone)';

/** Rows for one table, sent by the megabyte. */
export class CopyRows {
  readonly #copyIn: CopyIn;
  readonly #text: string;
  #bytes = Buffer.allocUnsafeSlow(PIECE_BYTES);
  /** What is being sent. */
  #sent = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #end = 0;
  count = 0;

  /** `into`: table and columns. */
  constructor(copyIn: CopyIn, into: string) {
    this.#copyIn = copyIn;
    this.#text = `COPY ${into} FROM STDIN (FORMAT binary)`;
  }

  async add(values: readonly Value[]): Promise<void> {
    const size = values.reduce<number>((sum, each) => sum + 4 + sizeOf(each), 2);
    if (this.#end + size + END.length > this.#bytes.length) await this.end();
    if (this.#end === 0) {
      const room = HEAD.length + size + END.length;
      if (room > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(room);
      this.#end = HEAD.copy(this.#bytes);
    }
    this.#end = write(values, this.#bytes, this.#end);
    this.count += 1;
  }

  async end(): Promise<void> {
    if (this.#end === 0) return;
    const data = this.#bytes.subarray(0, this.#end + END.copy(this.#bytes, this.#end));
    [this.#bytes, this.#sent, this.#end] = [this.#sent, this.#bytes, 0];
    await this.#copyIn(this.#text, data);
  }
}

/** Answers where the row ends. */
function write(values: readonly Value[], bytes: Buffer, start: number): number {
  let at = bytes.writeInt16BE(values.length, start);
  for (const value of values) {
    at = bytes.writeInt32BE(value === null ? -1 : sizeOf(value), at);
    if (typeof value === 'number') at = bytes.writeBigInt64BE(BigInt(value), at);
    else if (typeof value === 'boolean') at = bytes.writeUInt8(Number(value), at);
    else if (typeof value === 'string') at += bytes.write(value, at);
    else at += value?.copy(bytes, at) ?? 0;
  }
  return at;
}

function sizeOf(value: Value): number {
  if (value === null) return 0;
  if (typeof value === 'number') return 8;
  return typeof value === 'boolean' ? 1 : Buffer.byteLength(value);
}

/** The driver refuses a COPY from the client; this one has the data at hand. */
export class CopyQuery extends PgQuery {
  readonly #data: Buffer;

  constructor(text: string, data: Buffer, done: (error: Error | undefined) => void) {
    super(text, done);
    this.#data = data;
  }

  handleCopyInResponse(wire: Wire): void {
    wire.sendCopyFromChunk(this.#data);
    wire.endCopyFrom();
  }
}

type Wire = { sendCopyFromChunk(data: Buffer): void; endCopyFrom(): void };
