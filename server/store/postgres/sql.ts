/** Which schema this program writes; see `upgradePostgres` for how a database comes to it. */
export const SCHEMA_VERSION = 1;

/**
 * The steps from nothing to SCHEMA_VERSION, in their order. `body` is JSON text, not `json`: it is
 * sent as it is, and U+0000 is only possible escaped. Deleted rows are gone: an id below `next_id`
 * without a row, and not in `never`, existed (410, decisions 7). What only files have (the line of a
 * deletion with its key, members of the file nobody knows) is kept for a copy back.
 */
export const steps: readonly { readonly readableFrom: number; readonly sql: string }[] = [
  {
    readableFrom: 1,
    sql: `
CREATE TABLE blogctl.blogs (
  id bigint PRIMARY KEY,
  title text NOT NULL, description text NOT NULL,
  tag text NOT NULL, locked boolean NOT NULL DEFAULT false,
  next_id bigint NOT NULL DEFAULT 1,
  total bigint NOT NULL DEFAULT 0,
  version bigint NOT NULL DEFAULT 1,
  holes_version bigint NOT NULL DEFAULT 0,
  changed_at bigint NOT NULL,
  private text
) WITH (fillfactor = 10);
CREATE TABLE blogctl.articles (
  blog_id bigint NOT NULL, id bigint NOT NULL,
  body text NOT NULL, tag text NOT NULL,
  updated_at bigint NOT NULL, locked boolean NOT NULL DEFAULT false, private text,
  PRIMARY KEY (blog_id, id)
);
CREATE TABLE blogctl.keys (
  blog_id bigint NOT NULL, key bytea NOT NULL, request bytea NOT NULL, article_id bigint NOT NULL,
  tombstone text,
  PRIMARY KEY (blog_id, key)
);
CREATE TABLE blogctl.holes (
  blog_id bigint NOT NULL, bucket bigint NOT NULL, holes int NOT NULL, since bigint NOT NULL,
  PRIMARY KEY (blog_id, bucket)
);
CREATE INDEX ON blogctl.holes (blog_id, since);
CREATE TABLE blogctl.never (
  blog_id bigint NOT NULL, first bigint NOT NULL, last bigint NOT NULL,
  PRIMARY KEY (blog_id, first)
);
CREATE TABLE blogctl.writers (
  id uuid PRIMARY KEY, seq bigint NOT NULL, at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE blogctl.tokens (
  id text PRIMARY KEY, name text NOT NULL, sha256 bytea NOT NULL UNIQUE,
  blogs bigint[], rights text[] NOT NULL, created_at bigint NOT NULL, expires_at bigint
);`,
  },
];

/** What a schema stands on: which version it is, and the oldest program that may use it. */
export const foundation = `
CREATE SCHEMA blogctl;
CREATE TABLE blogctl.format (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  version int NOT NULL,
  readable_from int NOT NULL,
  store uuid NOT NULL,
  private text
);`;

/** What a role that serves may do beside reading: it makes no token, no blog, and drops nothing. */
export const servingRights: readonly (readonly [
  rights: readonly string[],
  tables: readonly string[],
])[] = [
  [
    ['INSERT', 'UPDATE', 'DELETE'],
    ['articles', 'holes', 'writers'],
  ],
  [['INSERT'], ['keys']],
  [['UPDATE'], ['blogs']],
];

const needed = servingRights.flatMap(([rights, tables]) =>
  tables.flatMap((table) => rights.map((right) => `('${table}', '${right}')`)),
);

/** What keeps the role that asks from a table, in words; null where nothing does. */
export const lackedTable = `(SELECT min(what) FROM (
    SELECT CASE WHEN row_security_active(oid) THEN 'row-level security is on for table ' ELSE 'permission denied for table ' END || relname AS what
      FROM pg_class WHERE relnamespace = 'blogctl'::regnamespace AND relkind = 'r' AND (row_security_active(oid) OR NOT has_table_privilege(oid, 'SELECT'))
    UNION ALL SELECT 'permission denied for table ' || name FROM (VALUES ${needed.join(', ')}) AS needed (name, kind)
      WHERE NOT has_table_privilege('blogctl.' || name, kind)) AS lacked)`;

/** Asks in a transaction of an owner. */
export type Ask = <Row = Readonly<Record<string, unknown>>>(
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Row[]>;

/** Every statement of a store that serves; each read one has a name, to be prepared once. */
const blogColumns = `b.id AS blog, b.title, b.description, b.tag AS blog_tag, b.locked AS blog_locked,
  b.next_id, b.total, b.version, b.holes_version, b.changed_at, b.private AS blog_private`;
const now = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now';
const articleColumns = 'a.id, a.body, a.tag, a.updated_at, a.locked, a.private';
const asked = 'unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS t (blog_id, id, n)';
/** Ranges are apart: of all only the last that begins there or before can hold the id. */
export const neverOf = (id: string) => `LATERAL (SELECT first, last FROM blogctl.never
    WHERE blog_id = t.blog_id AND first <= ${id} ORDER BY first DESC LIMIT 1) v ON ${id} <= v.last`;

/** The blogs of an answer in one snapshot with the rest of it: the rows without a number. */
const blogsAsked = `SELECT NULL::int AS n, row_to_json(r)::text AS text
    FROM (SELECT ${blogColumns} FROM blogctl.blogs b WHERE b.id = ANY($1::bigint[])) r`;

/** Articles as text: columns cost more. Between members U+0001, behind U+0002 the bodies: JSON escapes both. */
const members = `concat_ws(E'\\x01', x.id, x.tag, x.updated_at, x.locked, coalesce(x.private, ''),
    octet_length(x.body), coalesce(octet_length(x.given), 0))`;

export const reads = {
  blogs: `SELECT ${blogColumns} FROM blogctl.blogs b WHERE b.id = ANY($1::bigint[])`,
  allBlogs: `SELECT ${blogColumns} FROM blogctl.blogs b ORDER BY b.id`,
  versions: 'SELECT id, version FROM blogctl.blogs',
  /** In one snapshot: their blogs, which are the rows without a number, articles, and ids never used. */
  articles: `${blogsAsked}
    UNION ALL SELECT t.n::int, ${members} || E'\\x02' || x.given
    FROM ${asked} JOIN (SELECT *, body AS given FROM blogctl.articles) x
      ON x.blog_id = t.blog_id AND x.id = t.id
    UNION ALL SELECT t.n::int, NULL
    FROM ${asked} JOIN ${neverOf('t.id')} WHERE EXISTS (SELECT FROM blogctl.never)`,
  byKey: `SELECT b.id AS blog_id, ${blogColumns}, ${articleColumns},
    encode(k.request, 'hex') AS request, k.article_id
    FROM blogctl.blogs b
    LEFT JOIN blogctl.keys k ON k.blog_id = b.id AND k.key = decode($2, 'hex')
    LEFT JOIN blogctl.articles a ON a.blog_id = b.id AND a.id = k.article_id
    WHERE b.id = $1`,
  /** The last row is no bucket: it says of which version all the rows are. */
  holes: `SELECT bucket, holes, since FROM blogctl.holes WHERE blog_id = $1 AND since > $2
    UNION ALL SELECT -1, 0, holes_version FROM blogctl.blogs WHERE id = $1`,
  health: `SELECT version, readable_from, pg_is_in_recovery() AS standby,
    current_setting('transaction_read_only') = 'on' AS read_only, ${lackedTable} AS lacked FROM blogctl.format`,
  token: `SELECT id, name, blogs, rights, created_at, expires_at, expires_at <= extract(epoch FROM now()) * 1000 AS expired FROM blogctl.tokens WHERE sha256 = decode($1, 'hex')`,
} as const;

/**
 * Pages, each a row with its number. $1 their blogs, $2 what a page may hold of bodies: the whole is
 * only counted where an article has more than its share.
 */
function pagesOf(places: string, where: string, count: string): string {
  const articles = `SELECT * FROM blogctl.articles WHERE blog_id = t.blog_id AND ${where} LIMIT ${count}`;
  const text = `CASE WHEN octet_length(x.body) <= $2::bigint / ${count} THEN x.body
    WHEN (SELECT sum(octet_length(y.body)) FROM (${articles}) y) <= $2 THEN x.body END`;
  return `${blogsAsked}
    UNION ALL SELECT t.n::int, (SELECT string_agg(${members}, E'\\x01') || E'\\x02' || coalesce(string_agg(x.given, ''), '')
      FROM (SELECT x.*, ${text} AS given FROM (${articles}) x) x
    ) FROM ${places}`;
}

/**
 * The pages from ids $3 on by counts of versions $5, without the first $4 articles of the 256 ids
 * there; none where its blog has other counts. With a number in its text the database plans it once;
 * with a parameter, of which it expects a tenth of all rows, each time.
 */
export function pagesFrom(count: number): string {
  const first = `SELECT id FROM blogctl.articles WHERE blog_id = t.blog_id
    AND id BETWEEN t.start AND t.start + 255 ORDER BY id OFFSET t.skip LIMIT 1`;
  const places = `unnest($1::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
      WITH ORDINALITY AS t (blog_id, start, skip, version, n)
    JOIN blogctl.blogs b ON b.id = t.blog_id AND b.holes_version = t.version`;
  return pagesOf(places, `id >= (${first}) ORDER BY id`, String(count));
}

/** The page of one blog from rank $3 on, of $4, by the counts of the same snapshot: for storms of deletions. */
export const pageOfRank = `WITH h AS (
      SELECT bucket, holes,
        (256 * bucket - sum(holes) OVER (ORDER BY bucket) + holes)::bigint AS live_before
      FROM blogctl.holes WHERE blog_id = ANY($1::bigint[])
    ), l AS (
      SELECT * FROM h WHERE live_before <= $3::bigint ORDER BY bucket DESC LIMIT 1
    ), p AS (
      SELECT CASE WHEN l.bucket IS NULL THEN $3::bigint / 256
          WHEN $3::bigint - l.live_before < 256 - l.holes THEN l.bucket
          ELSE l.bucket + 1 + ($3::bigint - l.live_before - 256 + l.holes) / 256 END AS bucket,
        CASE WHEN l.bucket IS NULL THEN $3::bigint % 256
          WHEN $3::bigint - l.live_before < 256 - l.holes THEN $3::bigint - l.live_before
          ELSE ($3::bigint - l.live_before - 256 + l.holes) % 256 END AS skip
      FROM (SELECT 1) one LEFT JOIN l ON true
    ) ${pagesOf(
      'unnest($1::bigint[]) WITH ORDINALITY AS t (blog_id, n)',
      'id >= (SELECT bucket * 256 + 1 FROM p) ORDER BY id OFFSET (SELECT skip FROM p)',
      '$4',
    )}`;

export const writes = {
  /** What is frozen while it holds the lock loses it after three seconds; a warning is all that tells of a commit without its standby. */
  begin: (lockMs: number) => `BEGIN ISOLATION LEVEL READ COMMITTED;
    SET LOCAL idle_in_transaction_session_timeout = '3s';
    SET LOCAL lock_timeout = ${lockMs}; SET LOCAL statement_timeout = 0; SET LOCAL client_min_messages = warning`,
  /**
   * Ends those of ours who hold a lock and wait in the middle of a statement for the rest of it, which
   * may never come: the server itself counts no time there; but who copies waits for what is read.
   * Names those who wait for a standby.
   */
  endStuck: `SELECT CASE wait_event WHEN 'ClientRead' THEN pg_terminate_backend(pid) END, wait_event
    FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user
      AND application_name = 'blogctl' AND state = 'active' AND wait_event IN ('ClientRead', 'SyncRep')
      AND query NOT LIKE 'COPY %' AND xact_start < now() - $1::int * interval '1 millisecond'`,
  /** Also where another server, or a change of its settings, came since the start. */
  durably: `SELECT set_config('synchronous_commit', 'on', true) WHERE current_setting('synchronous_commit') = 'off'`,
  undurably: 'SET LOCAL synchronous_commit = off',
  format: 'SELECT version, readable_from FROM blogctl.format',
  lock: `SELECT ${blogColumns}, ${now}
    FROM blogctl.blogs b WHERE b.id = ANY($1::bigint[]) ORDER BY b.id FOR UPDATE`,
  marker: 'SELECT seq FROM blogctl.writers WHERE id = $1',
  targets: `SELECT t.blog_id, t.article_id, ${articleColumns}, v.first IS NOT NULL AS never
    FROM unnest($1::bigint[], $2::bigint[]) AS t (blog_id, article_id)
    LEFT JOIN blogctl.articles a ON a.blog_id = t.blog_id AND a.id = t.article_id
    LEFT JOIN ${neverOf('t.article_id')}`,
  keys: `SELECT t.blog_id, t.key AS name, encode(k.request, 'hex') AS request, k.article_id,
    ${articleColumns}
    FROM unnest($1::bigint[], $2::text[]) AS t (blog_id, key)
    JOIN blogctl.keys k ON k.blog_id = t.blog_id AND k.key = decode(t.key, 'hex')
    LEFT JOIN blogctl.articles a ON a.blog_id = t.blog_id AND a.id = k.article_id`,
  firstArticles: `SELECT a.blog_id, ${articleColumns} FROM blogctl.articles a
    WHERE a.blog_id = $1 ORDER BY a.id LIMIT $2`,
  remove: `DELETE FROM blogctl.articles a USING unnest($1::bigint[], $2::bigint[]) AS t (blog_id, id)
    WHERE a.blog_id = t.blog_id AND a.id = t.id`,
  addKeys: `INSERT INTO blogctl.keys (blog_id, key, request, article_id)
    SELECT blog_id, decode(key, 'hex'), decode(request, 'hex'), id
    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[]) AS t (blog_id, key, request, id)`,
  addHoles: `INSERT INTO blogctl.holes AS h (blog_id, bucket, holes, since)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::int[], $4::bigint[])
    ON CONFLICT (blog_id, bucket) DO UPDATE SET holes = h.holes + excluded.holes,
      since = excluded.since`,
  /** Articles, blogs, and who wrote them: others wait. What is new takes no other's place: a body is not null. */
  save: `WITH put AS (
      INSERT INTO blogctl.articles (blog_id, id, body, tag, updated_at, locked, private)
      SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[],
        $6::boolean[], array_replace($7::text[], '', NULL))
      ON CONFLICT (blog_id, id) DO UPDATE SET tag = excluded.tag, updated_at = excluded.updated_at,
        body = CASE WHEN excluded.tag NOT LIKE '1-%' THEN excluded.body END, locked = excluded.locked, private = excluded.private
    ), changed AS (
      UPDATE blogctl.blogs b SET next_id = t.next_id, total = t.total, version = t.version,
        holes_version = t.holes_version, changed_at = t.changed_at, tag = t.tag, locked = t.locked,
        title = t.title, description = t.description
      FROM unnest($8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[],
        $13::bigint[], $14::text[], $15::boolean[], $16::text[], $17::text[])
        AS t (id, next_id, total, version, holes_version, changed_at, tag, locked, title, description)
      WHERE b.id = t.id
    ) INSERT INTO blogctl.writers AS w (id, seq) VALUES ($18, $19)
    ON CONFLICT (id) DO UPDATE SET seq = greatest(w.seq, excluded.seq), at = now()`,
  /** Of instances that are long gone. */
  forgetWriters: `DELETE FROM blogctl.writers WHERE at < now() - interval '1 day'`,
  newBlog: `INSERT INTO blogctl.blogs (id, title, description, tag, changed_at, version) VALUES ($1, $2, $3, $4, $5, $6)`,
  lastBlog: `SELECT coalesce(max(id), 0)::bigint AS last, ${now} FROM blogctl.blogs`,
} as const;
