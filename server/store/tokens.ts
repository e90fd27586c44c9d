import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The right to change articles (interface, Authentication; decisions 27). */
export type Right = 'create' | 'update' | 'delete';

export type TokenGrant = {
  readonly name: string;
  /** Blogs the token is for; absent = every blog. */
  readonly blogs?: readonly number[];
  readonly rights: readonly Right[];
  /** Milliseconds since the epoch; absent = never. */
  readonly expiresAt?: number;
  /** By a clock that all instances share; absent = by that of the caller. */
  readonly isExpired?: boolean;
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

const PREFIX = 'bct_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^32 is a little more than 2^190. */
const RANDOM_DIGITS = 32;
const CHECK_DIGITS = 6;
const PATTERN = /^bct_[0-9A-Za-z]{38}$/;

/** A new token: prefix, 190 random bits, checksum, so that scanners can find leaked ones (decisions 27). */
export function newTokenText(): string {
  const secret = randomDigits(RANDOM_DIGITS);
  return PREFIX + secret + checkDigits(secret);
}

export function randomDigits(count: number): string {
  return Array.from({ length: count }, () => DIGITS.charAt(randomInt(DIGITS.length))).join('');
}

/** Whether the text can be a token; a slip of the pen is told without looking anything up. */
export function isTokenText(text: string): boolean {
  if (!PATTERN.test(text)) return false;
  const secret = text.slice(PREFIX.length, -CHECK_DIGITS);
  return text.endsWith(checkDigits(secret));
}

function checkDigits(secret: string): string {
  let rest = crc32(secret);
  let digits = '';
  for (let i = 0; i < CHECK_DIGITS; i += 1) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}

/** What is kept of a token. */
export function hashOfToken(token: string): string {
  return hash('sha256', token);
}
