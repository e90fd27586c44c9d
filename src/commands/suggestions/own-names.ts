import type { Command } from 'commander';
import type { Hint } from '../../errors.ts';
import { firstBlog } from '../../settings/values.ts';
import { inShell, withoutSecrets } from '../../terminal/text.ts';
import { ownName } from '../../terminal/view.ts';
import { withPort } from '../arguments.ts';
import { commandOf, fieldsShownBy, findCommand, scopeOf } from '../lazy-command.ts';
import { oursFor } from './named-commands.ts';
import { isHint, reads, type Words } from './rewording.ts';

type Renamed = {
  readonly words: Words;
  /** A field that is none was left out. */
  readonly isLess: boolean;
};

/** The line with the fields of its command, and a file that is a blog, as they are called here: `--fields=ID,post_title`, `--blog db.json`. */
export async function withOwnNames(line: Words, program: Command): Promise<Renamed> {
  const isNamed = /^(?:config set blog|profile add \S+)$/;
  const command = await commandOf(program, line);
  const isOfBlog = reads(command) && !scopeOf(command).startsWith('auth');
  const asOurs = (word: string, before: string) => {
    // Who reads begins at the first blog; what changes something is told which.
    if (before === '--blog' && isOfBlog && /^https?:/.test(word)) return firstBlog(word);
    return before === '--blog' || isNamed.test(before)
      ? word.replace(/^[\w./~-]+\.json$/, 'file:$&')
      : word;
  };
  const words =
    line[0] === 'help'
      ? line.map((word) => oursFor(word).find((each) => findCommand(program, each)) ?? word)
      : line.map((word, at) => {
          const before = line.slice(Math.max(0, at - 3), at).join(' ');
          return asOurs(word, line[at - 1] === '--blog' ? '--blog' : before);
        });
  const fields = fieldsShownBy(command);
  return fields === undefined ? { words, isLess: false } : withOwnFields(words, fields);
}

const split = (names: string) => names.split(',').map((name) => name.trim());

function withOwnFields(words: Words, known: readonly string[]): Renamed {
  let isLess = false;
  const kept: string[] = [];
  const asked: string[] = [];
  for (const word of words) {
    const isBehind = /^--fields?$/.test(kept.at(-1) ?? '');
    const [, flag = '', names = ''] = /^(--fields?=)?(.*)$/s.exec(word) ?? [];
    if (!isBehind && flag === '') {
      kept.push(word);
      continue;
    }
    asked.push(...split(names));
    // The one flag has one name.
    if (names.includes(',') && kept.at(-1) === '--field') kept.push(`${kept.pop()}s`);
    const all = [...new Set(split(names).map(ownName))];
    const ours = all.filter((name) => known.includes(name));
    isLess ||= ours.length < all.length;
    if (ours.length > 0)
      kept.push(flag.replace(/d(?==)/, ours.length > 1 ? 'ds' : 'd') + ours.join(','));
    else kept.push(...(isBehind ? [] : [flag.slice(0, -1)]), '<names>');
  }
  // A filter asks for the fields by the names that they were given: `-q .body`.
  const renamed = new Map(asked.map((name) => [name, ownName(name)]));
  const asOurs = (filter: string) =>
    filter.replaceAll(/\.(\w+)/g, (all, name: string) => `.${renamed.get(name) ?? all.slice(1)}`);
  const filtered = kept.map((word, at) => (kept[at - 1] === '--jq' ? asOurs(word) : word));
  return { words: filtered, isLess };
}

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
  const address = flag === 'host' ? firstBlog(value) : value;
  const blog = flag === 'store' ? `file:${value}` : address.replace(/^[\w./~-]+\.json$/, 'file:$&');
  const shown = `--${flag === 'profile' ? flag : 'blog'} ${inShell(blog)}`;
  const isDatabase = flag === 'store' && !value.endsWith('.json');
  // A service has its store elsewhere.
  const isElsewhere = flag === 'host' || (flag === 'blog' && !/^file:|\.json$/.test(value));
  const store = flag === 'store' ? `--store ${inShell(value)}` : shown;
  return [isDatabase ? '' : `${shown} `, isElsewhere ? '' : ` ${store}`];
}

const query =
  /^(?:.* )?(select\b.*\bfrom\b.*|(?:update [a-z]\w* set|delete from|insert into) .*)/is;
const database =
  /\n(?:-d\n?|--dbname[=\n])?(?:file:)?([\w./~-]+\.json|postgres(?:ql)?:\S+)(?=\n|$)/;

/** SQL that stands alone, and what psql asks of which store: it shows what is there. */
export function asQueried(words: Words): Words | undefined {
  const [first = ''] = words;
  const isOfTool = /^(?:psql|mysql|sqlite3)$/.test(first);
  const [, sql] = query.exec(words.join(' ')) ?? [];
  const isAlone = /^(?:-\w \S+ )*(?:-\w*c )?(?:select|update|delete|insert) /i.test(
    words.join(' '),
  );
  if (!isOfTool) return sql === undefined || !isAlone ? undefined : ['articles', 'list', sql];
  const [, script] = /\n(?:-f\n?|--file[=\n])([^\n]+)/.exec(words.join('\n')) ?? [];
  if (script !== undefined) return ['store', 'import', script];
  const [, store = ''] = database.exec(words.join('\n')) ?? [];
  if (store.startsWith('postgres')) return ['store', 'check', store];
  const blog = store === '' ? [] : ['--blog', `file:${store}`];
  return sql === undefined && store === ''
    ? undefined
    : ['articles', 'list', ...(sql === undefined ? [] : [sql]), ...blog];
}

/** Of what asks for an address by hand, the host and the path. */
const asked =
  /^((?:https?:\/\/|(?=localhost|(?!.*\.(?:json|md|txt)$)[\w-]+\.|[\w-]+:))[\w-]+(?:\.[\w-]+)*(?::\d+)?)(\/(?!(?:api|blogs)\/)[^\s.]*)?$/;
/** Behind these stands a value. */
const isOfRequest =
  /^-(?:[XdHoOFuAem]|-(?:request|data\S*|json|header|output|form|user|max-time))$/;

/** A host that is asked by hand as `api` asks its first blog, or as `blog` shows it. */
export function asAsked([first = '', ...typed]: Words): Words | undefined {
  const words = typed.map((word) => word.replace(/^:(?=\d)/, 'localhost:'));
  const isHost = (word: string, at: number) =>
    asked.test(word) && !isOfRequest.test(words[at - 1] ?? '');
  const at = /^(?:curl|wget|https?)$/.test(first) ? words.findIndex(isHost) : -1;
  const [, origin, path = ''] = asked.exec(words[at] ?? '') ?? [];
  if (origin === undefined) return undefined;
  const own = path.replace(/^\/(?:articles|posts|issues)(?=[/?]|$)/, 'articles').replace(/\/$/, '');
  const hasBody = words.some((word) => /^-(?:d|F|-data|-json)/.test(word));
  const line = words.toSpliced(at, 1, ...[own || (hasBody ? 'articles' : [])].flat());
  return [line.length === 0 ? 'blog' : 'api', ...line, '--blog', firstBlog(origin)];
}

const ofJsonServer: Readonly<Record<string, string>> = {
  '-c': '--config',
  '-r': '--routes',
  '-m': '--middlewares',
  '-s': '--static',
  '-S': '--snapshots',
  '-i': '--id',
  '-fks': '--foreignKeySuffix',
};
const besides = /^-(?:[pHd]|-port|-host|-delay)$/;
const alone = /^-(?:w|q|ro|nc|ng|-watch|-quiet|-read-?only|-no-cors|-no-gzip)$/;

/** As json-server takes its flags and one file: what is behind one of them is no command. */
export function asServed(words: Words): Words {
  const line = /^(?:serve|json-server)$/.test(words[0] ?? '') ? words.slice(1) : words;
  const own = Object.values(ofJsonServer);
  const long = line.map((word) => ofJsonServer[word] ?? word);
  const isValued = (word = '') => own.includes(word) || besides.test(word);
  const [file = '', ...others] = long.filter(
    (word, at) => !isValued(word) && !isValued(long[at - 1]) && !alone.test(word),
  );
  const isTheirs = others.length === 0 && /^[^-].*\.json$/.test(file);
  return isTheirs && long.some((word) => own.includes(word)) ? ['serve', ...long] : words;
}

const ofArticle =
  /^(?:(?:\/?api\/v[\d.]+)?\/?(?:blogs\/1\/)?articles(?:\/([1-9]\d*))?|(https?:\S+\/articles(?:\/[1-9]\d*)?))$/;

/** An article takes no PATCH, and of a PUT what is not named is gone: what is sent by one is an update. What a POST lacks is asked for. */
export function asUpdate(line: Words): Words {
  let article: string | undefined;
  let [method, isOther] = ['', false];
  const given: string[] = [];
  const isImplied = (word = '') => /^(?:-i|--include)$|^(?:content-type|accept):/i.test(word);
  const isNeeded = (word: string, at: number) =>
    !isImplied(word) && (word !== '-H' || !isImplied(line[at + 1]));
  const [first, ...words] = line.filter(isNeeded);
  for (let at = 0; at < words.length; at += 1) {
    const [word = '', next = ''] = words.slice(at);
    const [, typed = '', value = ''] = /^(\w+)=((?!@).*)$/s.exec(next) ?? [];
    const name = ownName(typed);
    isOther ||= name !== typed;
    const [place, id, url = id ?? '<article>'] = ofArticle.exec(word) ?? [];
    if (place !== undefined && article === undefined) article = url;
    else if (/^(?:-X|--method)$/.test(word) && /^(?:patch|put|post)$/i.test(next)) method = next;
    else if (/^-(?:F|-value)$/.test(word) && /^(?:title|content)$/.test(name))
      given.unshift(`--${name}`, value);
    else if (/^--(?:blog|profile|format|timeout|retries)$|^-o$/.test(word)) given.push(word, next);
    else if (/^(?:-v+|-q|--verbose|--quiet|--json)$/.test(word)) {
      given.push(word);
      at -= 1;
    } else return line;
    if (place === undefined) at += 1;
  }
  if (first !== 'api' || !article || !/^--(?:title|content)$/.test(given[0] ?? '')) return line;
  const isUrl = article.endsWith('/articles');
  if (/^p(?:ut|atch)$/i.test(method) && !isUrl) return ['articles', 'update', article, ...given];
  const lacking = ['--title', '--content'].filter((flag) => !given.includes(flag));
  if (article !== '<article>' && !isUrl) return line;
  if (isUrl || lacking.length + Number(isOther) === 0)
    return method === '' ? [...line, '-X', 'POST'] : line;
  return ['articles', 'create', ...given, ...lacking.flatMap((flag) => [flag, '<text>'])];
}

/** What an address names is of the blog that it begins with, whichever is chosen. */
export function withBlog(line: Words): Words {
  const isNamed = /^(?:api|articles (?!import)\w+ http)(?!.* --(?:blog|profile)\b)/s;
  const [blog] = line.flatMap((word) => /^https?:[^?#]+?\/blogs\/\d+(?=[/?]|$)/.exec(word) ?? []);
  return blog === undefined || !isNamed.test(line.join(' ')) ? line : [...line, '--blog', blog];
}
