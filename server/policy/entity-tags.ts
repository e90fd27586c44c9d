export type EntityTag = { readonly weak: boolean; readonly opaque: string };

/** `*`, a list, or `unreadable` where the field is neither (RFC 9110, 13.1.1). */
export type TagCondition = '*' | 'unreadable' | readonly EntityTag[];

const element = /[ \t]*(?:(W\/)?"([\x21\x23-\x7e\x80-\xff]*)")?[ \t]*(,|$)/y;

export function parseTags(field: string): TagCondition {
  if (field.trim() === '*') return '*';
  const tags: EntityTag[] = [];
  let at = 0;
  while (at < field.length) {
    element.lastIndex = at;
    const found = element.exec(field);
    if (found === null) return 'unreadable';
    const [whole, weak, opaque] = found;
    if (opaque !== undefined) tags.push({ weak: weak !== undefined, opaque: `"${opaque}"` });
    at += whole.length;
  }
  return tags.length === 0 ? 'unreadable' : tags;
}

/** Whether the condition holds for a strong `etag`, compared strongly (for If-Match). */
export function matchesStrongly(condition: TagCondition, etag: string): boolean {
  if (condition === '*') return true;
  return listOf(condition).some((tag) => !tag.weak && tag.opaque === etag);
}

/** The same, compared weakly (for If-None-Match). */
export function matchesWeakly(condition: TagCondition, etag: string): boolean {
  return condition === '*' || listOf(condition).some((tag) => tag.opaque === etag);
}

function listOf(condition: 'unreadable' | readonly EntityTag[]): readonly EntityTag[] {
  return condition === 'unreadable' ? [] : condition;
}
