import { crc32 } from 'node:zlib';
import type { TraceEntry } from '../../../../server/store/file-system/memory-file-system.ts';
import type { Random } from '../../../support/random.ts';

/** The files a power cut may leave, by name. */
export type Image = ReadonlyMap<string, Buffer>;

export type Sampling = {
  readonly random: Random;
  /** Data goes to the disk in pieces of so many bytes. */
  readonly block: number;
  /** Random subsets of the pieces, beside all in order, each one missing and each one alone. */
  readonly samples: number;
};

type Piece = { readonly entry: TraceEntry; readonly from: number; readonly to: number };
type Disk = {
  readonly names: Map<string, number>;
  readonly contents: Contents;
  /** What no sync made lasting: any part of it may be on the disk or not. */
  readonly pieces: readonly Piece[];
  readonly unsyncedNames: readonly TraceEntry[];
};

/** Every different state of the disk a crash after the first `length` calls may leave. */
export function* crashImages(
  base: Image,
  calls: readonly TraceEntry[],
  sampling: Sampling,
): Iterable<Image> {
  const disk = lasting(base, calls, sampling.block);
  const seen = new Set<string>();
  for (const names of nameChoices(disk)) {
    for (const pieces of pieceChoices(disk.pieces, sampling)) {
      for (const grown of [false, true]) {
        const image = build(disk, names, { pieces, grown });
        const print = fingerprint(image);
        if (seen.has(print)) continue;
        seen.add(print);
        yield image;
      }
    }
  }
}

function lasting(base: Image, calls: readonly TraceEntry[], block: number): Disk {
  const names = new Map<string, number>();
  const contents = new Contents();
  for (const [path, bytes] of base) names.set(path, contents.add(bytes));
  const synced = lastSyncs(calls);
  const pieces: Piece[] = [];
  const unsyncedNames: TraceEntry[] = [];
  for (const [at, call] of calls.entries()) {
    if (call.kind === 'create') contents.add(Buffer.alloc(0), call.ino);
    if (call.kind === 'write' || call.kind === 'truncate') {
      if (at <= (synced.files.get(call.ino) ?? -1)) contents.apply(wholePiece(call));
      else pieces.push(...split(call, block));
    } else if (at <= synced.folder) applyName(names, call);
    else if (['create', 'rename', 'link', 'remove'].includes(call.kind)) unsyncedNames.push(call);
  }
  return { names, contents, pieces, unsyncedNames };
}

function lastSyncs(calls: readonly TraceEntry[]): { files: Map<number, number>; folder: number } {
  const files = new Map<number, number>();
  let folder = -1;
  for (const [at, call] of calls.entries()) {
    if (call.kind === 'sync') files.set(call.ino, at);
    if (call.kind === 'sync-folder') folder = at;
  }
  return { files, folder };
}

function wholePiece(entry: TraceEntry): Piece {
  return { entry, from: 0, to: entry.kind === 'write' ? entry.bytes.length : 0 };
}

/** What is long would be in so many small pieces that nothing else of a story were looked at. */
const MOST_PIECES = 128;

function split(entry: TraceEntry, atLeast: number): Piece[] {
  if (entry.kind !== 'write') return [wholePiece(entry)];
  const { length } = entry.bytes;
  const pieces: Piece[] = [];
  let block = atLeast;
  while (length / block > MOST_PIECES) block *= 8;
  for (let from = 0; from < length;) {
    const to = Math.min(length, from + block - ((entry.at + from) % block));
    pieces.push({ entry, from, to });
    from = to;
  }
  return pieces;
}

/** Files by inode, written in place: a copy for each piece would cost more than all the rest. */
class Contents {
  readonly #files: Map<number, { bytes: Buffer; size: number }>;

  constructor(like?: Contents) {
    const files = like === undefined ? [] : [...like.#files];
    this.#files = new Map(
      files.map(([ino, { bytes, size }]) => [ino, { bytes: Buffer.from(bytes), size }]),
    );
  }

  add(bytes: Buffer, ino = this.#files.size + 1): number {
    this.#files.set(ino, { bytes: Buffer.from(bytes), size: bytes.length });
    return ino;
  }

  of(ino: number): Buffer {
    const file = this.#files.get(ino);
    return file === undefined ? Buffer.alloc(0) : file.bytes.subarray(0, file.size);
  }

  apply({ entry, from, to }: Piece): void {
    if (entry.kind === 'truncate') this.#resize(entry.ino, entry.size);
    if (entry.kind !== 'write') return;
    const file = this.growTo(entry.ino, entry.at + to);
    entry.bytes.copy(file.bytes, entry.at + from, from, to);
  }

  growTo(ino: number, size: number): { bytes: Buffer; size: number } {
    return this.#resize(ino, Math.max(size, this.#files.get(ino)?.size ?? 0));
  }

  #resize(ino: number, size: number): { bytes: Buffer; size: number } {
    const file = this.#files.get(ino) ?? { bytes: Buffer.alloc(0), size: 0 };
    this.#files.set(ino, file);
    if (size < file.size) file.bytes.fill(0, size, file.size);
    if (size > file.bytes.length) {
      const { bytes } = file;
      file.bytes = Buffer.alloc(2 * size);
      bytes.copy(file.bytes);
    }
    file.size = size;
    return file;
  }
}

function applyName(names: Map<string, number>, call: TraceEntry): void {
  if (call.kind === 'create') names.set(call.path, call.ino);
  if (call.kind === 'link') names.set(call.to, call.ino);
  if (call.kind === 'remove') names.delete(call.path);
  if (call.kind !== 'rename') return;
  names.delete(call.from);
  names.set(call.to, call.ino);
}

/** Every subset of the changes of names, in order; with many of them the beginnings alone. */
function* nameChoices({ unsyncedNames: calls }: Disk): Iterable<readonly TraceEntry[]> {
  if (calls.length > 5) {
    for (let count = 0; count <= calls.length; count += 1) yield calls.slice(0, count);
    return;
  }
  for (let mask = 0; mask < 2 ** calls.length; mask += 1) {
    yield calls.filter((_, at) => (mask >> at) % 2 === 1);
  }
}

function* pieceChoices(
  pieces: readonly Piece[],
  { random, samples }: Sampling,
): Iterable<readonly Piece[]> {
  for (let count = 0; count <= pieces.length; count += 1) yield pieces.slice(0, count);
  for (const one of pieces) {
    yield pieces.filter((piece) => piece !== one);
    yield [one];
  }
  for (let sample = 0; sample < samples && pieces.length > 1; sample += 1) {
    const share = random.next();
    yield pieces.filter(() => random.next() < share);
  }
}

type Choice = { readonly pieces: readonly Piece[]; readonly grown: boolean };

function build(disk: Disk, names: readonly TraceEntry[], { pieces, grown }: Choice): Image {
  const contents = new Contents(disk.contents);
  const chosen = new Set(pieces);
  for (const piece of disk.pieces) {
    if (chosen.has(piece)) contents.apply(piece);
    // The size of a file may be on the disk before its data.
    else if (grown && piece.entry.kind === 'write')
      contents.growTo(piece.entry.ino, piece.entry.at + piece.to);
  }
  const named = new Map(disk.names);
  for (const call of names) applyName(named, call);
  return new Map([...named].map(([path, ino]) => [path, contents.of(ino)]));
}

function fingerprint(image: Image): string {
  return [...image].map(([path, bytes]) => `${path} ${bytes.length} ${crc32(bytes)}`).join('\n');
}
