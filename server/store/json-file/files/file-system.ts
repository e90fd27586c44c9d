/** The calls the store makes of a file system. Every byte it reads or writes goes through here. */
export type FileSystem = {
  /** Throws the platform's error (`code` ENOENT, EACCES …). */
  open(path: string, mode: OpenMode): OpenFile;
  /** Undefined where nothing has that name. */
  stat(path: string): FileStat | undefined;
  rename(from: string, to: string): void;
  /** Gives the file a second name; EEXIST where the name is taken. */
  link(from: string, to: string): void;
  /** Takes the name away; no error where there is none. */
  remove(path: string): void;
  /** Makes the names in a folder durable. */
  syncFolder(path: string): Promise<void>;
  /** The path with every symbolic link followed. */
  realPath(path: string): string;
  /** A claim on a name that ends with this process at the latest; undefined where another holds it. */
  claim(path: string): Promise<Claim | undefined>;
};

/** `create` empties a file that is there; `create-new` refuses it (EEXIST). */
export type OpenMode = 'read' | 'update' | 'create' | 'create-new';

export type OpenFile = {
  /** Bytes read into `target` from `position`; fewer than asked for at the end of the file. */
  read(target: Uint8Array, position: number): number;
  /** Bytes written, which may be fewer than given. */
  write(bytes: Uint8Array, position: number): number;
  writeLater(bytes: Uint8Array, position: number): Promise<number>;
  truncate(size: number): void;
  /** Data, size and attributes are on the disk. */
  sync(): Promise<void>;
  /** Data, and what is needed to read it again, are on the disk. */
  syncData(): Promise<void>;
  stat(): FileStat;
  /** Takes over permissions and, as far as allowed, the owner. */
  adopt(stat: FileStat): void;
  close(): void;
  /** Without waiting: to free a large file that has lost its name takes long. */
  closeLater(): void;
};

export type FileStat = {
  readonly size: number;
  readonly dev: number;
  readonly ino: number;
  readonly modifiedMs: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
};

export type Claim = { release(): Promise<void> };
