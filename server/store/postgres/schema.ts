/** Which schema this program writes; see `upgrade` in open.ts for how a database comes to it. */
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
  body text NOT NULL,
  tag text NOT NULL,
  updated_at bigint NOT NULL, locked boolean NOT NULL DEFAULT false,
  private text,
  PRIMARY KEY (blog_id, id)
);
CREATE TABLE blogctl.keys (
  blog_id bigint NOT NULL, key bytea NOT NULL, request bytea NOT NULL, article_id bigint NOT NULL,
  tombstone text,
  PRIMARY KEY (blog_id, key)
);
CREATE TABLE blogctl.holes (
  blog_id bigint NOT NULL, bucket bigint NOT NULL,
  holes int NOT NULL, since bigint NOT NULL,
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

/** Rights of a role that serves: it makes no token, no blog, and drops nothing. */
export const grants: readonly string[] = [
  'GRANT USAGE ON SCHEMA blogctl TO blogctl_serve;',
  'GRANT SELECT ON ALL TABLES IN SCHEMA blogctl TO blogctl_serve;',
  'GRANT INSERT, UPDATE, DELETE ON blogctl.articles, blogctl.holes, blogctl.writers TO blogctl_serve;',
  'GRANT INSERT ON blogctl.keys TO blogctl_serve;',
  'GRANT UPDATE ON blogctl.blogs TO blogctl_serve;',
];
