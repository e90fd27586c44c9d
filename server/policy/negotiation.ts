import Negotiator from 'negotiator';
import { Refusal } from '../errors.ts';

/**
 * The one of `offered` the client likes best, the earlier one where it does not care
 * (decisions 19). Refuses before anything is done: a client that cannot read the answer never
 * causes a change.
 */
export function negotiate<Type extends string>(
  accept: string | undefined,
  offered: readonly [Type, ...Type[]],
): Type {
  const [favourite] = offered;
  if (accept === undefined || accept === favourite || accept === '*/*') return favourite;
  const withCharset = offered.flatMap((type) => [type, `${type};charset=utf-8`]);
  const [best] = new Negotiator({ headers: { accept } }).mediaTypes(withCharset);
  const found = offered.find((type) => best?.startsWith(type));
  if (found !== undefined) return found;
  throw new Refusal('not-acceptable', `This can be answered as ${offered.join(' or ')} only.`);
}
