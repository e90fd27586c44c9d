import type { Hint } from '../../errors.ts';
import { firstBlog } from '../../settings/values.ts';
import { inShell, withoutSecrets } from '../../terminal/text.ts';
import { withPort } from '../arguments.ts';
import { isHint, type Words } from './rewording.ts';

/** A flag that says which blog or store is meant, and what it says. */
export const placed = /^--(blog|profile|store|host)(?:=|\n)(.+)$/gm;

const ofBlog = String.raw`(?:articles|blog|links|sync|api|auth status)\b`;
/** What is about a store: a copy names two, and a store that stands in the line is meant. */
const ofStore = String.raw`(?:token|store(?! copy)) [a-z-]+|serve`;
const named = ' --(?:blog|profile|store|host|seed|ephemeral|help)\\b';
const storeNamed = new RegExp(
  String.raw`\bblogctl (?:${ofStore}).*(?: \S+\.json\b| \S*postgres(?:ql)?:| <(?:file|store)>)`,
);

/** The lines that are offered, with the blog or the store that was typed where they name none. */
export function atItsPlace(hint: Hint, typed: Words): Hint {
  const isOfStore = /^(?:store|db|token)$/.test(typed[0] ?? '');
  const isStore = (word: string) => /^[\w./~-]+\.json$/.test(word) && !hint.includes(word);
  const files = isOfStore ? typed.filter(isStore) : [];
  const flags = [...withPort(typed).join('\n').matchAll(placed)].flatMap(
    ([, flag = '', value = '']) =>
      // A service listens on its own; a number is that of a blog in its store.
      (flag === 'host' && typed[0] === 'serve') || /^\d+$/.test(value)
        ? []
        : [[flag, value] as const],
  );
  const places = flags.length > 0 ? flags : files.map((file) => ['store', file] as const);
  const [place, ...others] = places;
  if (place === undefined || others.length > 0) return hint;
  const [toBlog, toStore] = flagsOf(place);
  // A line in prose ends at a comma or a full stop.
  const parts = hint.split(/(`[^`]*`|[,;:.](?: |$)| \| )/);
  const shown = parts.map((part) => {
    if (new RegExp(`\\bblogctl .*${named}`).test(part) || storeNamed.test(part)) return part;
    const own = part.replaceAll(new RegExp(`\\bblogctl (?=${ofBlog})`, 'g'), (all) => all + toBlog);
    return own.replaceAll(new RegExp(`\\bblogctl (?:${ofStore})`, 'g'), (all) => all + toStore);
  });
  const whole = shown.join('');
  return isHint(whole) && withoutSecrets(whole) === whole ? whole : hint;
}

function flagsOf([flag, value]: readonly [string, string]): readonly [string, string] {
  const blog = flag === 'store' ? `file:${value}` : flag === 'host' ? firstBlog(value) : value;
  const shown = `--${flag === 'profile' ? flag : 'blog'} ${inShell(blog)}`;
  const isDatabase = flag === 'store' && !value.endsWith('.json');
  // A service has its store elsewhere.
  const isElsewhere = flag === 'host' || (flag === 'blog' && !/^file:|\.json$/.test(value));
  const store = flag === 'store' ? `--store ${inShell(value)}` : shown;
  return [isDatabase ? '' : `${shown} `, isElsewhere ? '' : ` ${store}`];
}
