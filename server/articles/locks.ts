import { Refusal } from '../errors.ts';

/** A resource its operator locked is read, not changed (decisions 33). */
export function refuseLocked({ locked }: { readonly locked: boolean }, name: string): void {
  if (locked) throw new Refusal('locked', `${name} is locked by its operator.`);
}
