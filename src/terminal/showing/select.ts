import { BlogctlError } from '../../errors.ts';
import type { Fields, View } from './view.ts';

/**
 * The view with only these fields, in this order, in every format. A field is known by the view's
 * own list or by being there; another is `usage`, with those there are.
 */
export function selectFields(view: View, names: readonly string[]): View {
  const known = view.fields ?? view.columns;
  const unknown = names.find(
    (name) => !known.includes(name) && !('one' in view && name in view.one),
  );
  if (unknown !== undefined) throw unknownField(unknown, known);
  const pick = (thing: Fields): Fields =>
    Object.fromEntries(names.flatMap((name) => (name in thing ? [[name, thing[name]]] : [])));
  if ('one' in view) return { one: pick(view.one), columns: names };
  return { many: pickEach(view.many, pick), columns: names, id: names[0] ?? 'id' };
}

async function* pickEach(
  things: AsyncIterable<Fields> | Iterable<Fields>,
  pick: (thing: Fields) => Fields,
): AsyncGenerator<Fields, void, void> {
  for await (const thing of things) yield pick(thing);
}

function unknownField(name: string, known: readonly string[]): BlogctlError {
  return new BlogctlError('usage', `There is no field "${name}".`, {
    hint: `the fields are ${known.join(', ')}`,
  });
}
