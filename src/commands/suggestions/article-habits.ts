import type { Hint } from '../../errors.ts';
import { inShell } from '../../terminal/text.ts';
import { ownName } from '../../terminal/view.ts';
import { textsIn } from '../arguments.ts';
import { noSuch } from './named-commands.ts';
import * as said from './no-counterpart.ts';
import type { Habits } from './synonyms.ts';

/** What is looked for is looked at before it is deleted. */
function deletingFound(typed: string): Hint {
  const [, title] = /^(?:--)?(?:title=|\w+=title=+)(.*)$/s.exec(typed) ?? [];
  const filter = `.[]|select(.title==${JSON.stringify(title)}).id`;
  const found = `--search ${inShell(typed.replace(/^-{0,2}\w+=/, ''))} --format ids`;
  const line = `articles list ${title === undefined ? found : `--all --jq ${inShell(filter)}`}`;
  return `Look first: \`blogctl ${line}\`; with \`| blogctl articles delete -\` and -y behind it, all of that is deleted.`;
}

/** A patch of an article, where it holds nothing but its texts. */
function patched(typed: string): string | readonly string[] {
  const texts = textsIn(typed);
  if (texts?.every(([name]) => /^(?:title|content)$/.test(name)) !== true) return readsJson;
  return ['', ...texts.flatMap(([name, text]) => [`--${name}`, text])];
}

/** `1-3` and `1..3` from the first to the last, and those between commas. */
export function ids(typed: string): string {
  const parts = typed.split(/[,\s]+/).flatMap((part) => {
    const [from = 0, to = from, ...others] = part.split(/-|:|\.+/).map(Number);
    // `2024-01` and `1-5-7` are no range; from the last to the first are as many.
    if (to < from - 100 || others.length > 0) return [part];
    const step = Math.sign(to - from) || 1;
    return Array.from({ length: Math.abs(to - from) + 1 }, (_, more) => String(from + step * more));
  });
  return parts.join(' ');
}

/** What stands in a file's name or an address is searched as words: `2024-01-01-my-post.md`. */
function searched(typed: string): readonly string[] {
  const name = typed.replace(/^(?:.*[\\/])?(?:\d{4}-\d\d-\d\d-)?([^\\/]+)\.\w+$/, '$1');
  return ['/articles list --search', /^[\w-]+$/.test(name) ? name.replaceAll(/[-_]+/g, ' ') : name];
}

/** No blank: a meaning is taken apart at them. */
function matching(typed: string): string {
  const pattern = JSON.stringify(typed.replace(/^[^=]*=/, '')).replaceAll(' ', String.raw`\u0020`);
  return `--jq .[]|select(.title|test(${pattern}))`;
}

/** A template that shows nothing but fields: `{{.title}}`, `jsonpath={.items[*].title}`, `%(title)`. */
function asFields(typed: string): string {
  const fieldName = /(?<=[.(])(?:id|number|title|name|content|body|text|url)\b/g;
  const fields = [...new Set(typed.toLowerCase().match(fieldName)?.map(ownName))];
  if (fields.length === 0) return said.noTemplate;
  return `--field${fields.length > 1 ? 's' : ''} ${fields.join(',')}`;
}

/** Articles get their ids as they are created; names are written small. */
function sorted(typed: string): string {
  const by = typed.toLowerCase().replace(/^--sort=\+?(?:post_)?|[:,._-]asc$|_(?:at|on|date)$/g, '');
  if (/^(?:modified|changed|updated)/.test(by)) return '--sort updated';
  if (/^(?:name|subject|slug)$/.test(by)) return '--sort title';
  return `--sort ${by.replace(/^(?:date|creat\w*|publish\w*|posted|number)$/, 'id')}`;
}

const readsJson = 'JSON is read by --from-file <file>, - for stdin.';
const named = 'articles get, articles update, articles edit, articles delete';
const written = 'articles create, articles update';
const noun = /^(?:article|post|issue|pr)s?$/;
/** A title or a text, and no id, file or JSON. */
const text =
  /^(?!help$|#?[\d,.:*\s-]+$|[^=\s]+=|\S+\.\w+$|.+\.(?:md|markdown|html|txt|json)$|[-{]|https?:|file:).+$/s;
export const severalIds = /^\d+(?:(?:,\s*|\s+|-|:|\.\.)\d{1,5})+,?$/;

/** What is typed for the commands of articles. */
export const ofArticles: Habits = {
  articles: [
    [/^(?:backup|snapshot) (\S+\.(?:ndjson|jsonl|csv))$/, 'export $1'],
    [/^(?:last|latest|newest|tail|bottom|recent) -?(\d+)$/, 'list --reverse --limit $1'],
    [/^(?:head|top|first) -?(\d+)$/, 'list --limit $1'],
    ['head', 'list --limit 10', 'list'],
    ['tail', 'list --reverse --limit 10', 'list --reverse'],
    [/^(?:sort|order) by$/, 'list --sort'],
    [/^find \.$/, 'list'],
    [/^\w+ select\b.*\bfrom\b/is, said.conditions],
    [/^publish (\S+\.\w+)$/, 'create --from-file $1'],
    [/^(?:validate|lint|verify|check) (\S+)$/, 'import $1 --dry-run'],
    [/^(?:https?|file):.+$/, 'list --blog $0'],
    ['open browse', 'get --web', said.pages],
    ['sort', 'list --sort'],
    ['all', 'list --all'],
    [/^[^-].*\.(?:md|html)$/, 'create --from-file $0'],
    [/^(?:search|find|grep) (?:article|post|issue|pr)s?$/, 'list --search'],
    [/^(?:-[fFd]|--(?:set|data|(?:raw-)?field))=(title|content)=(.*)$/s, '--$1 $2'],
    [
      /^--(?:post-name|post-type|(?:post-)?(?:author|date|category)s?|(?:add-|remove-)?(?:label|assignee|reviewer|milestone|project|topic)s?|slug|tags?|excerpt|cover|image|lang|(?:meta|tags|tax)-input)$/,
      said.noMeta,
    ],
    [/^--(?:with-|show-)?comments?$/, said.noComments],
  ],
  'articles list, articles get': [
    [/^(?:-[ot]|--(?:output|format|template))=.*(?:\{[.{]|%\(|custom-columns)/, asFields],
    [/^--(?:slug|permalink)=/, (typed) => searched(typed.replace(/^[^=]*=/, ''))],
    [/^--field-selector=title=(.+)$/, '--search $1'],
    [
      /^(?:users?|authors?|comments?|tags?|categor(?:y|ies)|labels?|drafts?|published|future|expired)$/,
      noSuch,
    ],
    { 'blog blogs': '/blog', 'link links': '/links' },
    [/^(?:\*|--show-labels)$/, ''],
    [/^--only=(\w+,\S+)$/, '--fields $1'],
    ['--only', '--field'],
    [/^--(id|title|content)-only$/, '--field $1'],
  ],
  'articles list': [
    [noun, ''],
    [/^(?:list|ls|asc|-l=?a|-al|-1|-i|--ignore-case|--depth=\d+)$/i, ''],
    [/^(?:sort|order) by$/, '--sort'],
    [/^--query=.*[[\]{}|]/, said.noTemplate],
    [/^--(?:from|to|range)=\d{4}-/, said.noDates],
    ['--name-only --titles', '--field title'],
    ['--content --long', '--fields id,title,content'],
    ['-lt --last-modified --updated', '--sort updated --reverse'],
    [/^--sort=[.{]+(?:\w+\.)*(\w+)}?$/, '--sort $1'],
    [/^--page=last$/, '--reverse --limit 20'],
    [/^(?:last|latest|newest) (\d+)$/, '--reverse --limit $1'],
    [/^(?:last|latest|newest|desc|--sort=(?:newest|latest|recent))$/i, '--reverse'],
    [/^by (\w+)$/, '--sort $1'],
    [severalIds, (typed) => `/articles get ${ids(typed)}`],
    [
      /^(?:-s|--(?:state|status|post-status))=(?:all|any|open|public|live|publish(?:ed)?)$|^--publish(?:ed)?$/,
      '',
    ],
    [/^--(?:regexp?|match|pattern)=/, matching],
    [/^(?:#|--(?:post__in|include|ids?)=)?([\d,]+)$/, '/articles get $1'],
    [/^(?:-f=)?([\w./~-]+\.json)$/, '--blog file:$1'],
    [/^--sort=(?:-(\w+)|(\w+?)[:,._\s-]desc)$/i, '--sort $1$2 --reverse'],
    [/^--sort=\+?(\w+?)(?:[:,._-]asc)?$/i, sorted],
    [
      /^-f=(?!\w+\.\w+$|(?:json|jsonl|ndjson|[ct]sv|ids?|md|table|text|ya?ml)$)(.+)$/s,
      '--search $1',
    ],
    [/^(?:-|--count=)(\d+)$/, '--limit $1'],
    [/^-[Alm]=(?!\d+$)/, said.noMeta],
    [/^--(?:limit|per.page|posts.per.page|numberposts|page-size)=(?:-1|0|all)$|^all$/, '--all'],
    [/^select\b.*\bfrom\b/is, said.conditions],
    // The blog knows how many it has; those that match are counted.
    ['--format=count --count --total', '/blog --field articles', '--jq length'],
    ['-l', '--limit', ''],
    ['--last --latest --newest --recent --tail', '--reverse --limit', '--reverse'],
    [/^-s=(?:open|closed|all|merged)$/, said.noStates],
    [/^--(?:title|content|filter|where|name|find)=(?:title[=~:])?\**(.+?)\**$/s, '--search $1'],
    [
      /^(?!file:|https?:|-|@|_\w+=|\w+==|help$|\/?\?$)(?:\??q=|search=|title[=:])?\**(.*\p{L}.*?)\**$/su,
      '--search $1',
    ],
    ['--limit --per-page --posts-per-page --size', '--limit', '--page-size'],
  ],
  [`${named}, ${written}, articles list, articles links, articles export, articles import`]: [
    [/^(?:-b|-B)=((?:https?|file):.+)$/, '--blog $1'],
    [/^(?:-n|--namespace)=default$/, ''],
    [/^-n=([a-zA-Z][\w-]*)$/, '--profile $1', said.noProfile],
  ],
  [named]: [
    [noun, ''],
    [/^(?:-i|--?ids?)=#?([\d,]+)$|^(?:id|article|post)[=:]+#?([1-9]\d*)$/, '$1$2'],
    [/^\s*#?0*([1-9]\d*)[/,.;:\s]*$/, '$1'],
    [/^--(?:where|filter)=id=+(\d+)$/, '$1'],
    [/^(?:\/?blogs\/1)?\/?(?:article|post|issue)s?\/([1-9]\d*)\/?$/, '$1'],
    [/^[\w./~-]+\.json#\d+$/, 'file:$0'],
  ],
  'articles get': [
    [/^(?:article|post|issue|pr)s?(\?.*)?$/, '/articles list $1'],
    [/^(?:--)?(?:title|name)=(.+)$/s, '/articles list --search $1'],
    [/^#?(\d+):(id|title|content|url)$/, '$1 --field $2'],
    [/^(?:last|latest|newest) (\d+)$/, '/articles list --reverse --limit $1'],
    [/^(?:--raw=)?(\/\S*)$/, '/api $1'],
    [/^(#?\d+) ([^-].*\.md)$/, '$1 -o $2'],
    [/^(?:-f=|--|\.)?(id|title|content|url)$/, '--field $1'],
    {
      'get show view browser': '',
      '--search': '/articles list --search',
      'latest last newest --latest --last --newest': '/articles list --reverse --limit 1',
      'first oldest': '/articles list --limit 1',
      'all --all *': '/articles list --all',
      '--links': '/articles links',
      '-i --include --headers --etag': '/api -i',
      '--open --browser': '--web',
      '--raw -p --body': '--field content',
    },
    [/^(?:timeout|retries|max-wait|profile)$/, '/config get $0'],
    [/^--(?:url|link|permalink)$/, '--field url'],
    [/^(?=.*\d)(?=.*[a-f])[\da-f]{6,10}$/, '/runs show $0'],
    [text, searched],
    [/^[^-].*\.(?:md|markdown|html)$/, searched],
  ],
  'articles get, articles delete': [[severalIds, ids]],
  'articles update': [
    [/^--(?:(?:post-)?(?:status|state)=|publish(?:ed)?$)/, said.noStates],
    [/^(?:timeout|retries|max-wait|profile|blog)$/, '/config set $0'],
    [/^(timeout|retries|max-wait|profile|blog)=(.+)$/, '/config set $1 $2'],
    ['--edit --editor -e', '/articles edit'],
    [/^(?:to|as|into|set|=)$/, ''],
    [/^[^-].*\.(?:html|txt)$/, '--content-file $0'],
    [/^--replace=|^(?!title=|content=)[^-\s=][^\s=]*=/, said.asAWhole],
    [text, '--title $0'],
    [severalIds, said.oneAtATime],
    [/^#?\d+ #?\d+$/, said.oneAtATime],
  ],
  'articles create': [
    [/^(?:posts|content|_posts)$/, '/articles import $0'],
    [noun, ''],
    [/^(\S+\.(?:md|html|json)) (\S+\.(?:md|html|json))$/, '/articles import $1 $2'],
    [/^(?!-)(?:\.+|\S*\/[^\s.]*|\S+\.(?:[ct]sv|ndjson|jsonl|xml|zip))$/, '/articles import $0'],
    [text, '--title $0'],
    [new RegExp(String.raw`^(?=.*\s)${text.source}`, 's'), '--content $0'],
    {
      '--edit -e --interactive -i': '--editor',
      '--description': '--content',
      '--fill --fill-first --publish --published --public': '',
      '--all -A': said.noStage,
      '--web -w': 'The pages of `blogctl serve` write too, in a browser; --editor opens an editor.',
    },
    [/^-$/, '--content-file -'],
  ],
  [written]: [
    { '--force': '', '-m': '--content', '--stdin': '--content-file -' },
    [/^(?:-d=@|--data=@|--cli-input-json=(?:file:\/\/)?)(.+)$/, '--from-file $1'],
    [/^(?:-[bc]|--(?:body|content|text))=(?:@(\S+\.(?:md|txt|html?))|(-))$/, '--content-file $1$2'],
    [/^(?:(?:-[dp]|--(?:data|json|patch|body|input))=)?\{.*\}$/s, patched],
    [/^\{|^(?:--data|--json|--patch|-p)$/, readsJson],
    [/^--(?:field-manager=|type=(?:merge|json|strategic|posts?|articles?)$)/, ''],
    [/^-d$/, 'There are no drafts: --editor writes one, JSON is read by --from-file <file>.'],
    [/^@?([^-@].*\.(?:md|json|html))$/, '--from-file $1'],
    [/^@?([^-@]\S*\.txt)$/, '--content-file $1'],
    [/^-$/, 'Stdin is read by --content-file -, or as JSON by --from-file -.'],
  ],
  'articles delete': [
    [/^(?:-f|--filename)=(?!#?\d+$)(.+)$/, '/runs undo --source $1'],
    [/^(?:--)?all$|^everything$|^\*$/, said.deleteAll],
    [/^--(?:where|filter)=.*(?:[<>%]|[!=]=|\s=|\blike\b|\bid=.*,)/, said.whichOnes],
    [
      /^(?:-[qsS]|(?:--)?(?:title|name|search|where|filter|query|match|find|grep))=(?:\w+=)?/,
      deletingFound,
    ],
    [
      /^--(?:cascade|grace-period|wait)=|^(?:-[rR]|--(?:permanent(?:ly)?|hard|now|purge|wait|cascade|recursive))$/,
      '',
    ],
  ],
};
