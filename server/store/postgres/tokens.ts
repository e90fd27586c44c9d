import {
  hashOfToken,
  isTokenText,
  newTokenText,
  randomDigits,
  type Right,
  type TokenEntry,
  type Tokens,
} from '../tokens.ts';
import type { Connector } from './connections.ts';
import { meaningOf } from './failures.ts';
import type { Owning } from './owner-work.ts';
import { type Ask, reads } from './sql.ts';

export type TokenRow = {
  readonly id: string;
  readonly name: string;
  readonly blogs: readonly number[] | null;
  readonly rights: readonly Right[];
  readonly created_at: number;
  readonly expires_at: number | null;
};

/** Null where it never expires. */
type Presented = TokenRow & { readonly expired: boolean | null };

/** A token as `insertedToken` gives its values. */
export const insertToken = `INSERT INTO blogctl.tokens (id, name, sha256, blogs, rights, created_at, expires_at)
  VALUES ($1, $2, decode($3, 'hex'), $4::bigint[], $5::text[], $6, $7)`;

export function insertedToken(token: TokenEntry & { readonly sha256: string }): readonly unknown[] {
  const { id, name, sha256, blogs = null, rights, createdAt, expiresAt = null } = token;
  return [id, name, sha256, blogs, rights, createdAt, expiresAt];
}

const columns = 'id, name, blogs, rights, created_at, expires_at';

/** Tokens of a database: one that is revoked is dead on every instance at once. */
export function openTokens(connector: Connector, owning: Owning): Tokens {
  const ask = async <Answer>(name: string, text: string, values: readonly unknown[]) => {
    try {
      return await connector.read<Answer>({ name, text }, values);
    } catch (error) {
      throw meaningOf(error);
    }
  };
  return {
    create: async (grant) => {
      const token = newTokenText();
      const entry = { ...grant, id: randomDigits(8), createdAt: Date.now() };
      const { id } = entry;
      const values = insertedToken({ ...entry, sha256: hashOfToken(token) });
      await owning((insert) => insert(insertToken, values), {
        doubt: (store) => ({
          what: `Token ${id} may have been made, and nobody has it`,
          look: `See \`blogctl token list --store ${store}\`; \`blogctl token revoke ${id} --store ${store}\` takes it back.`,
        }),
      });
      return { id, token };
    },
    list: async () => {
      const text = `SELECT ${columns} FROM blogctl.tokens ORDER BY created_at, id`;
      return (await ask<TokenRow>('list-tokens', text, [])).map((row) => entryOf(row));
    },
    revoke: async (idOrName) => {
      const text = `DELETE FROM blogctl.tokens WHERE id = $1 OR (name = $1 AND NOT EXISTS
        (SELECT FROM blogctl.tokens WHERE id = $1)) RETURNING id`;
      const revoke = (take: Ask) => take<{ readonly id: string }>(text, [idOrName]);
      const revoked = await owning(revoke, {
        isBeside: true,
        doubt: (store) => ({
          what: 'The token may have been revoked',
          look: `See \`blogctl token list --store ${store}\` whether it is still there.`,
        }),
      });
      return revoked.map(({ id }) => id);
    },
    lookup: async (token) => {
      if (!isTokenText(token)) return undefined;
      const [row] = await ask<Presented>('token', reads.token, [hashOfToken(token)]);
      return row && { ...entryOf(row), isExpired: row.expired === true };
    },
  };
}

export function entryOf(row: TokenRow): TokenEntry {
  const { id, name, blogs, rights, created_at: createdAt, expires_at: expiresAt } = row;
  return {
    id,
    name,
    rights,
    createdAt,
    ...(blogs !== null && { blogs }),
    ...(expiresAt !== null && { expiresAt }),
  };
}
