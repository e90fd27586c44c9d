/** The right to change articles (api.md, Authentication; decisions 27). */
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
export type TokenLookup = (token: string) => TokenGrant | undefined;
