import { readFileSync, readSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';

import { BlogctlError } from '../../errors.ts';
import { openRegularFile } from '../../files.ts';

const chunkBytes = 1 << 17;

/**
 * The bytes of a file, always in the same buffer: a gigabyte read so leaves nothing behind for the
 * garbage collector. A chunk is only good until the next one is asked for. Signals and timers have
 * their turn between chunks. What is compressed by gzip comes unpacked, also in several members.
 */
export async function* readChunks(path: string): AsyncGenerator<Buffer, void, void> {
  const file = await openRegularFile(path);
  try {
    const buffer = Buffer.allocUnsafeSlow(chunkBytes);
    for (let isFirst = true; ; isFirst = false) {
      const bytesRead = readSync(file.fd, buffer, 0, chunkBytes, null);
      if (bytesRead === 0) return;
      const chunk = buffer.subarray(0, bytesRead);
      if (isFirst && isGzip(chunk)) {
        yield* unpacked(file, path);
        return;
      }
      yield chunk;
      await setImmediate();
    }
  } finally {
    await file.close();
  }
}

/** All the bytes of a file, unpacked. */
export function readWhole(path: string): Promise<Buffer> {
  return readStart(path, Number.POSITIVE_INFINITY);
}

/** The first bytes of a file, unpacked. */
export async function readStart(path: string, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of readChunks(path)) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length >= bytes) break;
  }
  return Buffer.concat(chunks).subarray(0, bytes);
}

/** The same at once, for files of which many are read. */
export function readWholeSync(path: string): Buffer {
  const bytes = readFileSync(path);
  if (!isGzip(bytes)) return bytes;
  const { gunzipSync } = process.getBuiltinModule('node:zlib');
  return gunzipSync(bytes, { maxOutputLength: mostUnpacked(bytes.length) });
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 0x08;
}

async function* unpacked(file: FileHandle, path: string): AsyncGenerator<Buffer, void, void> {
  const { createGunzip } = await import('node:zlib');
  const packed = file.createReadStream({ start: 0, autoClose: false });
  const gunzip = createGunzip({ chunkSize: chunkBytes });
  packed.on('error', (error) => gunzip.destroy(error));
  const most = mostUnpacked((await file.stat()).size);
  let length = 0;
  try {
    for await (const chunk of packed.pipe(gunzip) as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > most) throw tooLarge(path);
      yield chunk;
    }
  } catch (error) {
    throw isDamage(error) ? damaged(path, error) : error;
  } finally {
    packed.destroy();
    gunzip.destroy();
  }
}

function isDamage(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

function tooLarge(path: string): BlogctlError {
  return new BlogctlError(
    'unusable-input',
    `"${basename(path)}" unpacks to more than 200 times its size, as what is made to fill a disk does.`,
    { hint: 'Where that is right, unpack it with gunzip and name the result.' },
  );
}

function damaged(path: string, cause: Error): BlogctlError {
  return new BlogctlError(
    'unusable-input',
    `"${basename(path)}" is not whole: gzip says "${cause.message}".`,
    { hint: 'Nothing of it was imported. Fetch or export it again.', cause },
  );
}

const always = 1 << 28;
const times = 200;

/** How many bytes an archive may hold, by its own size: texts are seldom packed better than 50 to 1. */
export function mostUnpacked(bytes: number): number {
  return Math.max(always, bytes * times);
}

export type Line = {
  readonly bytes: Buffer;
  /** From 1. */
  readonly number: number;
  /** Of the first byte, in the whole stream. */
  readonly offset: number;
};

const newline = 0x0a;

/** The lines of a stream of bytes, without their newline: those that end in one chunk together. */
export async function* readLines(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<Iterable<Line>, void, void> {
  let pieces: Buffer[] = [];
  let number = 1;
  let offset = 0;

  function* linesIn(chunk: Buffer): Generator<Line, void, void> {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const bytes = whole(pieces, chunk.subarray(start, end));
      yield { bytes, number, offset };
      pieces = [];
      number += 1;
      offset += bytes.length + 1;
      start = end + 1;
    }
    // The chunk's own bytes are overwritten by the next one.
    if (start < chunk.length) pieces.push(Buffer.from(chunk.subarray(start)));
  }

  for await (const chunk of chunks) yield linesIn(chunk);
  if (pieces.length > 0) yield [{ bytes: Buffer.concat(pieces), number, offset }];
}

function whole(pieces: readonly Buffer[], last: Buffer): Buffer {
  return pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
}

/** Whether a byte begins a character of two, where the second one may be an ASCII sign. */
const leads: Readonly<Record<string, (byte: number) => boolean>> = {
  shift_jis: (byte) => (byte > 0x80 && byte < 0xa0) || (byte > 0xdf && byte < 0xfd),
  gbk: (byte) => byte > 0x80 && byte < 0xff,
  gb18030: (byte) => byte > 0x80 && byte < 0xff,
  big5: (byte) => byte > 0x80 && byte < 0xff,
};

const backslash = 0x5c;
const bar = 0x7c;
/** Stand for a backslash and a bar; neither is ever the second byte of a character. */
const forBackslash = 0x01;
const forBar = 0x02;

/**
 * In these encodings a backslash or a bar may be half of a character (0x83 0x5C is one of
 * katakana). It is replaced in its place until its record is decoded, so that whoever looks for
 * signs finds none there. What follows well-formed UTF-8 is a sign by itself.
 */
export function protectSigns(label: string | undefined): (chunk: Buffer) => Buffer {
  const isLead = leads[label ?? ''];
  if (isLead === undefined) return (chunk) => chunk;
  let awaitsSecond = false;
  const run = createUtf8Run();
  return (chunk) => {
    for (const [at, byte] of chunk.entries()) {
      if (byte > 0x7f) {
        awaitsSecond = !awaitsSecond && isLead(byte);
        run.add(byte);
        continue;
      }
      if (awaitsSecond && !run.isWhole()) {
        if (byte === backslash) chunk[at] = forBackslash;
        else if (byte === bar) chunk[at] = forBar;
      }
      awaitsSecond = false;
      run.begin();
    }
    return chunk;
  };
}

/** The bytes as they stand in the file. */
export function bareSigns(bytes: Buffer, label: string | undefined): Buffer {
  if (leads[label ?? ''] === undefined) return bytes;
  const bare = Buffer.from(bytes);
  for (let at = 1; at < bare.length; at += 1) {
    if ((bytes[at - 1] ?? 0) < 0x80) continue;
    if (bytes[at] === forBackslash) bare[at] = backslash;
    else if (bytes[at] === forBar) bare[at] = bar;
  }
  return bare;
}

/** Whether the bytes since the last ASCII sign are whole characters of UTF-8, as far as they show. */
function createUtf8Run() {
  let missing = 0;
  let isWrong = false;
  return {
    begin(): void {
      missing = 0;
      isWrong = false;
    },
    add(byte: number): void {
      if (missing > 0) {
        if (byte > 0xbf) isWrong = true;
        missing -= 1;
      } else if (byte > 0xf4 || byte < 0xc2) isWrong = true;
      else missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    },
    isWhole: () => !isWrong && missing === 0,
  };
}
