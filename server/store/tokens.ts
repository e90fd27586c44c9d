/** The right to change articles (interface, Authentication; decisions 27). */
export type Right = 'create' | 'update' | 'delete';

export type TokenGrant = {
  readonly name: string;
  /** Blogs the token is for; absent = every blog. */
  readonly blogs?: readonly number[];
  readonly rights: readonly Right[];
  /** Milliseconds since the epoch; absent = never. */
  readonly expiresAt?: number;
};

/** Looks a presented token up; undefined where it is unknown or malformed. */
export type TokenLookup = (
  token: string,
) => TokenGrant | undefined | Promise<TokenGrant | undefined>;

/** The access tokens of a store. */
export type Tokens = {
  /** The token itself is told once and not kept. Durable when it resolves. */
  create(grant: TokenGrant): Promise<{ readonly id: string; readonly token: string }>;
  list(): Promise<readonly TokenEntry[]>;
  /** By id, else by name; answers the ids taken away. */
  revoke(idOrName: string): Promise<readonly string[]>;
  /** Sees what other processes write; expiry is for the caller to judge. */
  readonly lookup: TokenLookup;
};

export type TokenEntry = TokenGrant & {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
};
