/** How many records may be wrong before nothing (more) is written. */
export type Tolerance =
  | { readonly kind: 'none' }
  | { readonly kind: 'any' }
  | { readonly kind: 'count'; readonly most: number }
  | { readonly kind: 'share'; readonly most: number };

export function tolerates(tolerance: Tolerance, rejected: number, records: number): boolean {
  if (rejected === 0 || tolerance.kind === 'any') return true;
  if (tolerance.kind === 'none') return false;
  return rejected <= (tolerance.kind === 'count' ? tolerance.most : tolerance.most * records);
}
