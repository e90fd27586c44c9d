import type { FileSystem, OpenFile } from '../../../../server/store/file-system/file-system.ts';

/** A call of the store on its file system; sync and asynchronous writes are one. */
export type Call =
  | 'open'
  | 'write'
  | 'sync'
  | 'syncData'
  | 'truncate'
  | 'rename'
  | 'link'
  | 'remove'
  | 'syncFolder'
  | 'read';

export type Fault = {
  /** Any call that changes something where absent. */
  readonly call?: Call;
  readonly code: string;
  /** Of a write, so many bytes arrive before it fails. */
  readonly after?: number;
  /** How many calls of the kind go well first. */
  readonly skip?: number;
  readonly forever?: boolean;
};

export type Faults = {
  readonly fileSystem: FileSystem;
  failNext(fault: Fault): void;
  heal(): void;
  /** Whether the fault came to pass. */
  readonly struck: boolean;
};

const CHANGING: ReadonlySet<Call> = new Set<Call>([
  'open',
  'write',
  'sync',
  'syncData',
  'truncate',
  'rename',
  'link',
  'remove',
  'syncFolder',
]);

/** A file system whose calls fail when a test wants them to. */
export function withFaults(inner: FileSystem): Faults {
  let fault: Fault | undefined;
  let skipped = 0;
  let struck = false;

  function strikes(call: Call): Fault | undefined {
    const meant =
      fault !== undefined && (fault.call === undefined ? CHANGING.has(call) : fault.call === call);
    if (fault === undefined || !meant) return undefined;
    if (skipped++ < (fault.skip ?? 0)) return undefined;
    struck = true;
    const now = fault;
    if (now.forever !== true) fault = undefined;
    return now;
  }
  function check(call: Call): void {
    const now = strikes(call);
    if (now !== undefined) throw failure(now, call);
  }
  return {
    fileSystem: {
      ...inner,
      open: (path, mode) => {
        check('open');
        return faultyFile(inner.open(path, mode), { strikes, check });
      },
      rename: (from, to) => (check('rename'), inner.rename(from, to)),
      link: (from, to) => (check('link'), inner.link(from, to)),
      remove: (path) => (check('remove'), inner.remove(path)),
      syncFolder: async (path) => (check('syncFolder'), inner.syncFolder(path)),
    },
    failNext: (next) => {
      fault = next;
      skipped = 0;
      struck = false;
    },
    heal: () => {
      fault = undefined;
    },
    get struck() {
      return struck;
    },
  };
}

type Judge = {
  readonly strikes: (call: Call) => Fault | undefined;
  readonly check: (call: Call) => void;
};

function faultyFile(file: OpenFile, { strikes, check }: Judge): OpenFile {
  const write = (bytes: Uint8Array, position: number): number => {
    const fault = strikes('write');
    if (fault === undefined) return file.write(bytes, position);
    const arrived = Math.min(fault.after ?? 0, bytes.length);
    if (arrived > 0) file.write(bytes.subarray(0, arrived), position);
    if (fault.code === 'short') return arrived;
    throw failure(fault, 'write');
  };
  return {
    ...file,
    read: (target, position) => (check('read'), file.read(target, position)),
    write,
    writeLater: async (bytes, position) => write(bytes, position),
    truncate: (size) => (check('truncate'), file.truncate(size)),
    sync: async () => (check('sync'), file.sync()),
    syncData: async () => (check('syncData'), file.syncData()),
  };
}

function failure({ code }: Fault, call: Call): Error {
  return Object.assign(new Error(`${code}: ${call}`), { code });
}
