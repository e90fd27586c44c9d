import { crc32, deflateRawSync } from 'node:zlib';

export type ZipEntry = {
  readonly name: string | Buffer;
  readonly data?: string | Buffer;
  /** File type and permissions, as Unix has them. */
  readonly mode?: number;
  readonly flags?: number;
  readonly method?: number;
  /** What the archive says, where that is not so. */
  readonly claimed?: { readonly crc?: number; readonly size?: number };
};

/** An archive as zip writes it, or as nobody should. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const local: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { header, bytes } = written(entry);
    const name = Buffer.from(entry.name);
    const record = Buffer.concat([Buffer.from('PK\x03\x04'), header, name, bytes]);
    central.push(centralRecord(entry, header, offset));
    local.push(record);
    offset += record.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...local, directory, end]);
}

function written(entry: ZipEntry): { header: Buffer; bytes: Buffer } {
  const data = Buffer.from(entry.data ?? '');
  const { method = 8, flags = 0x0800, claimed = {} } = entry;
  const bytes = method === 8 ? deflateRawSync(data) : data;
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE(flags, 2);
  header.writeUInt16LE(method, 4);
  header.writeUInt32LE(claimed.crc ?? crc32(data), 10);
  header.writeUInt32LE(bytes.length, 14);
  header.writeUInt32LE(claimed.size ?? data.length, 18);
  header.writeUInt16LE(Buffer.byteLength(entry.name), 22);
  return { header, bytes };
}

function centralRecord(
  { name, mode = 0o100644 }: ZipEntry,
  header: Buffer,
  offset: number,
): Buffer {
  const record = Buffer.alloc(46);
  record.write('PK\x01\x02');
  record.writeUInt16LE(0x0314, 4);
  header.copy(record, 6, 0, 24);
  record.writeUInt32LE((mode << 16) >>> 0, 38);
  record.writeUInt32LE(offset, 42);
  return Buffer.concat([record, Buffer.from(name)]);
}
