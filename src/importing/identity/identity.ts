/**
 * What makes a record the same one in every run, whatever it is called and wherever it stands.
 * `namespace` keeps equal names of different sources apart and is '' where a name is unique by
 * itself (decisions 47); `name` is absent where only title and content tell a record from others
 * (decisions 45).
 */
export type Identity = { readonly namespace: string; readonly name?: string };

/** Members that identify a record, the most trusted first (decisions 45 and 46). */
const identifying = {
  record: ['uuid', 'guid', 'id', '_id', 'slug', 'url', 'link'],
  wordpress: ['guid', 'post', 'link'],
  ghost: ['uuid', 'id'],
  feed: ['guid', 'id', 'link'],
} as const;

export type RecordKind = keyof typeof identifying;

/**
 * What a record is found in: its file, `stdin` for a stream, and the site where an export or a feed
 * names one.
 */
export type Origin = { readonly file: string; readonly site?: string | undefined };

/**
 * The identity of a record of its own: the first member that it has, else its text. Neither its
 * position nor any other record plays a part.
 */
export function identify(
  kind: RecordKind,
  members: Readonly<Record<string, unknown>>,
  origin: Origin,
): Identity {
  for (const name of identifying[kind]) {
    const value = valueOf(memberNamed(members, name));
    if (value !== '') return identityBy(name, value, origin);
  }
  return { namespace: namespaceOf(origin) };
}

/** The identity of a record by a member of the user's choice (`--key-field`). */
export function identityBy(name: string, value: string, origin: Origin): Identity {
  const isGlobal = name === 'uuid' || name === 'guid' || isUuid(value) || isAddress(value);
  return { namespace: isGlobal ? '' : namespaceOf(origin), name: `${name}:${value}` };
}

/** A post is known by its path from the root of its work tree (decisions 44). */
export function postIdentity(path: string): Identity {
  return { namespace: '', name: `path:${path.normalize('NFC')}` };
}

let last: { readonly origin: Origin; readonly namespace: string } | undefined;

/** The records of a source come one after the other: their namespace is made out once. */
function namespaceOf(origin: Origin): string {
  const { file, site } = origin;
  if (last?.origin.file !== file || last.origin.site !== site) {
    last = { origin: { file, site }, namespace: namespaceIn(origin) };
  }
  return last.namespace;
}

/**
 * The site, else the name of the file without what changes from one export to the next: extension,
 * dates and numbers.
 */
function namespaceIn({ file, site = '' }: Origin): string {
  if (site !== '') return site.replace(/\/+$/, '');
  if (file === 'stdin') return '-';
  return (file.split(/[\\/]/).at(-1) ?? '')
    .normalize('NFC')
    .replace(/(?<=.)\.[a-z][a-z0-9]*(?:\.gz)?$/i, '')
    .replaceAll(/\d{4}-?\d{2}-?\d{2}T[\d:.-]*Z?/gi, '')
    .replaceAll(/\d+/g, '')
    .replaceAll(/[\s()[\]]+|[._-]{2,}/g, '-')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '');
}

/** Exactly so, else the first that is written in another case. */
function memberNamed(members: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(members, name)) return members[name];
  for (const other in members) {
    if (other.length === name.length && other.toLowerCase() === name) return members[other];
  }
  return undefined;
}

function valueOf(member: unknown): string {
  if (typeof member === 'string') return member.trim();
  return typeof member === 'number' || typeof member === 'bigint' ? String(member) : '';
}

function isUuid(value: string): boolean {
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value);
}

/** An address that means the same everywhere; `file:` does not. */
function isAddress(value: string): boolean {
  return /^(?:https?:\/\/|urn:|tag:)\S+$/i.test(value);
}
