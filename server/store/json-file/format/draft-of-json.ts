import type { Draft } from '../../store.ts';

/** Title and content of the public JSON of an article, which the store wrote itself. */
export function draftOfJson(json: Buffer): Draft {
  const { title, content }: Readonly<Record<string, unknown>> = JSON.parse(json.toString('utf8'));
  const named = { title: String(title) };
  return typeof content === 'string' ? { ...named, content } : named;
}
