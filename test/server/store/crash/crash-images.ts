import { crc32 } from 'node:zlib';
import type { TraceEntry } from '../../../../server/store/json-file/memory-file-system.ts';
import type { Random } from '../support/random.ts';

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
  readonly nodes: Map<number, Buffer>;
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
  const nodes = new Map<number, Buffer>();
  for (const [path, bytes] of base) {
    nodes.set(nodes.size + 1, bytes);
    names.set(path, nodes.size);
  }
  const synced = lastSyncs(calls);
  const pieces: Piece[] = [];
  const unsyncedNames: TraceEntry[] = [];
  for (const [at, call] of calls.entries()) {
    if (call.kind === 'create') nodes.set(call.ino, Buffer.alloc(0));
    if (call.kind === 'write' || call.kind === 'truncate') {
      if (at <= (synced.files.get(call.ino) ?? -1)) applyPiece(nodes, wholePiece(call));
      else pieces.push(...split(call, block));
    } else if (at <= synced.folder) applyName(names, call);
    else if (['create', 'rename', 'link', 'remove'].includes(call.kind)) unsyncedNames.push(call);
  }
  return { names, nodes, pieces, unsyncedNames };
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

function split(entry: TraceEntry, block: number): Piece[] {
  if (entry.kind !== 'write') return [wholePiece(entry)];
  const pieces: Piece[] = [];
  for (let from = 0; from < entry.bytes.length;) {
    const to = Math.min(entry.bytes.length, from + block - ((entry.at + from) % block));
    pieces.push({ entry, from, to });
    from = to;
  }
  return pieces;
}

function applyPiece(nodes: Map<number, Buffer>, { entry, from, to }: Piece): void {
  if (entry.kind === 'truncate') nodes.set(entry.ino, resized(nodes.get(entry.ino), entry.size));
  if (entry.kind !== 'write') return;
  const before = nodes.get(entry.ino) ?? Buffer.alloc(0);
  const after = resized(before, Math.max(before.length, entry.at + to));
  entry.bytes.copy(after, entry.at + from, from, to);
  nodes.set(entry.ino, after);
}

function resized(bytes: Buffer | undefined, size: number): Buffer {
  const copy = Buffer.alloc(size);
  bytes?.copy(copy, 0, 0, Math.min(size, bytes.length));
  return copy;
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
  const nodes = new Map(disk.nodes);
  const chosen = new Set(pieces);
  for (const piece of disk.pieces) {
    if (chosen.has(piece)) applyPiece(nodes, piece);
    else if (grown) grow(nodes, piece);
  }
  const named = new Map(disk.names);
  for (const call of names) applyName(named, call);
  return new Map([...named].map(([path, ino]) => [path, nodes.get(ino) ?? Buffer.alloc(0)]));
}

/** The size of a file may be on the disk before its data. */
function grow(nodes: Map<number, Buffer>, { entry, to }: Piece): void {
  if (entry.kind !== 'write') return;
  const bytes = nodes.get(entry.ino) ?? Buffer.alloc(0);
  if (bytes.length < entry.at + to) nodes.set(entry.ino, resized(bytes, entry.at + to));
}

function fingerprint(image: Image): string {
  return [...image].map(([path, bytes]) => `${path} ${bytes.length} ${crc32(bytes)}`).join('\n');
}
