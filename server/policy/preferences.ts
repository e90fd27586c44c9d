export type Return = 'representation' | 'minimal';

/** What a client prefers to get back from a change (RFC 7240, 4.2; decisions 1, 39). */
export function preferredReturn(prefer: string | undefined): Return | undefined {
  const found = /(?:^|[,;\s])return\s*=\s*"?(representation|minimal)"?\s*(?:[,;]|$)/i.exec(
    prefer ?? '',
  );
  const value = found?.[1]?.toLowerCase();
  return value === 'representation' || value === 'minimal' ? value : undefined;
}
