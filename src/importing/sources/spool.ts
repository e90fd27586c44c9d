import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, open, rm, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, dirname } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { MessageChannel } from 'node:worker_threads';
import type * as yauzl from 'yauzl';
import type { Entry, ZipFile } from 'yauzl';

import { PRIVATE_FILE } from '../../files.ts';
import { BlogctlError } from '../../errors.ts';
import { fileKind } from './file-kind.ts';
import { mostUnpacked } from './chunks.ts';
import { lastingName } from './identity.ts';

export type SpooledFile = { readonly path: string; remove(): Promise<void> };

/** Keeps a stream in a private temporary file, because an import reads its source twice. */
export async function spool(stream: Readable, signal?: AbortSignal): Promise<SpooledFile> {
  const folder = await temporaryFolder();
  const path = join(folder.path, 'stdin');
  try {
    await keep(stream, path, signal);
    return { ...folder, path };
  } catch (error) {
    await folder.remove();
    throw signal?.aborted === true ? signal.reason : error;
  }
}

/** A folder that nobody else may look into. */
export async function temporaryFolder(): Promise<SpooledFile> {
  const path = await mkdtemp(join(tmpdir(), 'blogctl-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

async function keep(stream: Readable, path: string, signal?: AbortSignal): Promise<void> {
  const file = await open(path, 'wx', PRIVATE_FILE);
  const release = createRelease();
  try {
    // Not before: what is aborted while nobody reads it ends the process.
    for await (const chunk of signal ? addAbortSignal(signal, stream) : stream) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      await file.appendFile(bytes);
      release(bytes);
    }
  } finally {
    await file.close();
  }
}

/**
 * Gives back the memory of chunks that were written. Their collector sees small objects only and
 * would let 32 MB of them pile up: sent to a closed port they are gone at once.
 */
function createRelease(): (bytes: Uint8Array) => void {
  const { port1, port2 } = new MessageChannel();
  port2.close();
  return ({ buffer, byteLength }) => {
    // What shares its memory with others is a part of it.
    const isWhole = byteLength === buffer.byteLength && byteLength > Buffer.poolSize;
    if (isWhole && buffer instanceof ArrayBuffer) port1.postMessage(undefined, [buffer]);
  };
}

const mostEntries = 200_000;
/** It says of a name that it is UTF-8 (APPNOTE.TXT, 4.4.4, bit 11). */
const languageEncodingFlag = 0x800;

type Archive = { readonly path: string; readonly name: string };

/**
 * Unpacks an archive into a folder of our own, entry by entry, as far as a folder's files are read.
 * What is no plain file, leads out of the folder, stands there twice, is encrypted or damaged, or holds
 * far more than its size refuses the whole archive.
 */
export async function unzip({ path, name }: Archive, folder: string): Promise<void> {
  const library = await import('yauzl');
  const zip = await openZip(library, path, name);
  let entries = 0;
  let unpacked = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      entries += 1;
      unpacked += entry.uncompressedSize;
      if (entries > mostEntries) throw new Unusable(`it holds more than ${mostEntries} files`);
      if (unpacked > mostUnpacked(zip.fileSize)) {
        throw new Unusable('it unpacks to more than 200 times its size, as what fills a disk does');
      }
      const fileName = nameOf(entry, library);
      checkEntry(entry, fileName);
      if (!isHidden(fileName)) await extract(zip, entry, join(folder, fileName));
    }
  } catch (error) {
    throw orUnusable(error, name);
  } finally {
    zip.close();
  }
}

type Library = typeof yauzl;

async function openZip({ openPromise }: Library, path: string, name: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { lazyEntries: true, autoClose: false });
  } catch (error) {
    throw orUnusable(error, name);
  }
}

/** Many programs write UTF-8 without saying so: what is UTF-8 is hardly ever meant to be something else. */
function nameOf(
  { generalPurposeBitFlag, fileNameRaw, extraFields }: Entry,
  { getFileNameLowLevel }: Library,
): string {
  const flags = isUtf8(fileNameRaw)
    ? generalPurposeBitFlag | languageEncodingFlag
    : generalPurposeBitFlag;
  return getFileNameLowLevel(flags, fileNameRaw, extraFields, false);
}

/** The library has refused absolute names, and such as lead out of the folder by `..`. */
function checkEntry(entry: Entry, fileName: string): void {
  const { externalFileAttributes } = entry;
  const kind = (externalFileAttributes >>> 16) & 0o170000;
  if (fileName.includes('\0')) throw new Unusable(`"${fileName}" in it is no name of a file`);
  if (kind === 0o120000) throw new Unusable(`"${fileName}" in it is a symbolic link`);
  if (kind !== 0 && kind !== 0o100000 && kind !== 0o040000) {
    throw new Unusable(`"${fileName}" in it is no plain file`);
  }
  if (entry.isEncrypted()) throw new Unusable(`"${fileName}" in it is encrypted`);
}

/** What no folder is read for, and what macOS adds. */
function isHidden(path: string): boolean {
  const names = path.split('/').filter((name) => name !== '.');
  return names.some((name) => name.startsWith('.') || /^(?:node_modules|__MACOSX)$/.test(name));
}

async function extract(zip: ZipFile, entry: Entry, path: string): Promise<void> {
  if (path.endsWith('/')) {
    await mkdir(path, { recursive: true, mode: 0o700 });
    return;
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'wx', 0o600);
  try {
    // What is not read is only counted.
    if (['image', 'markup', 'other'].includes(fileKind(path))) return;
    await copy(zip, entry, (chunk) => file.appendFile(chunk));
  } finally {
    await file.close();
  }
}

async function copy(
  zip: ZipFile,
  entry: Entry,
  write: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const { crc32 } = await import('node:zlib');
  const stream: AsyncIterable<Buffer> = await zip.openReadStreamPromise(entry);
  let checksum = 0;
  for await (const chunk of stream) {
    checksum = crc32(chunk, checksum);
    await write(chunk);
  }
  if (checksum !== entry.crc32) throw new Unusable(`"${entry.fileName}" in it is damaged`);
}

class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** What the library says of an archive has no code; what the system says of our folder has. */
function orUnusable(error: unknown, name: string): unknown {
  if (!(error instanceof Error)) return error;
  const code = 'code' in error ? String(error.code) : '';
  if (code !== '' && !code.startsWith('Z_') && !nameCodes.has(code)) return error;
  const reason = nameCodes.get(code) ?? error.message;
  return new BlogctlError('unusable-input', `"${name}" is not unpacked: ${reason}.`, {
    hint: 'Nothing of it was imported. Look at it with unzip -l, unpack it yourself and name the folder.',
    ...(!(error instanceof Unusable) && { cause: error }),
  });
}

/** Two entries that cannot both be there. */
const nameCodes: ReadonlyMap<string, string> = new Map([
  ['EEXIST', 'a name stands in it twice'],
  ['EISDIR', 'a name stands in it twice, for a file and a folder'],
  ['ENOTDIR', 'a name stands in it twice, for a file and a folder'],
  ['ENAMETOOLONG', 'a name in it is too long'],
]);

/** What the posts of an archive of this name are called; where two would be called alike, one keeps its whole path. */
export function archivePaths(folder: string, name: string): (path: string) => string {
  const lasting = (top: string) => lastingName(top) || top;
  const tops = new Map<string, string | undefined>();
  for (const each of readdirSync(folder, { withFileTypes: true })) {
    const called = lasting(each.name);
    if (each.isDirectory()) tops.set(called, tops.has(called) ? undefined : each.name);
  }
  const own = tops.get(name);
  return (path) => {
    const [top = '', ...rest] = path.split('/');
    if (top === own) return [name, ...rest].join('/');
    const called = [tops.get(lasting(top)) === top ? lasting(top) : top, ...rest].join('/');
    const isTaken = own !== undefined && existsSync(join(folder, own, called));
    return isTaken ? `${name}.zip/${path}` : `${name}/${called}`;
  };
}
