import { Query as PgQuery, types as pgTypes } from 'pg';
import type { BlogRow } from './rows.ts';
import type { Ask } from './sql.ts';

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

/** By column; what a blog has never goes back, which an instance may know it by. */
const blogColumns: readonly (readonly [name: string, from: keyof BlogRow, next?: string])[] = [
  ['id', 'blog'],
  ['title', 'title'],
  ['description', 'description'],
  ['tag', 'blog_tag'],
  ['locked', 'blog_locked'],
  ['next_id', 'next_id'],
  ['total', 'total'],
  ['version', 'version', 'greatest(b.version + 1, excluded.version)'],
  ['holes_version', 'holes_version'],
  ['changed_at', 'changed_at'],
  ['private', 'blog_private'],
];

const putBlog = `INSERT INTO blogctl.blogs AS b (${blogColumns.map(([name]) => name).join(', ')})
  VALUES (${blogColumns.map((_, at) => `$${at + 1}`).join(', ')}) ON CONFLICT (id) DO UPDATE
  SET ${blogColumns.map(([name, , next = `excluded.${name}`]) => `${name} = ${next}`).join(', ')}`;

/** Of a store without articles: whoever waits for a blog that was there finds the one in its place. */
export async function putBlogs(ask: Ask, blogs: readonly BlogRow[]): Promise<void> {
  for (const row of blogs)
    await ask(
      putBlog,
      blogColumns.map(([, from]) => row[from]),
    );
  const kept = blogs.map(({ blog }) => blog);
  await ask('DELETE FROM blogctl.blogs WHERE id <> ALL($1::bigint[])', [kept]);
}

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

const INT8 = 20;
const INT8_ARRAY = 1016;

/** Every bigint of ours is an exact number. */
export const columnTypes = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return Number;
    const parse = pgTypes.getTypeParser(oid, format ?? 'text');
    if (oid !== INT8_ARRAY) return parse;
    return (text: string) => text.slice(1, -1).split(',').map(Number);
  },
};
