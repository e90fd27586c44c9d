import {
  firstReason,
  isPlainObject,
  isPublicState,
  momentsIn,
  plainOf,
  stateOf,
  type PublicityOptions,
  type PublicitySigns,
} from './publicity.ts';
import type { ReadingOptions, SkipEntry } from './source.ts';
import { abroad, called, meansNo, meansYes, plainWord, plainWords, textOf } from './words.ts';

/** A member of a record or of front matter. */
export type Member = {
  readonly key: string;
  readonly value: unknown;
  /** What it is called where `key` is only what it means. */
  readonly name?: string;
  readonly isDefault?: true;
};

type Sign = readonly [keyof PublicitySigns, unknown];

/** What a value says under a name that has it; undefined where it says nothing. */
type Meaning = (value: unknown) => Sign | undefined;

const as =
  (sign: keyof PublicitySigns): Meaning =>
  (value) => [sign, value];
const isDate = (value: unknown) => momentsIn(value).length > 0;
/** `0000-00-00 00:00:00`, as MySQL writes that there is none. */
const isZeroDate = (value: unknown) => /^0000-00-00[0:T. Z]*$/.test(textOf(value));
/** `private: true` is what `visibility: private` is. */
const ifYes =
  (sign: keyof PublicitySigns, word: string): Meaning =>
  (value) =>
    meansNo(value) || isZeroDate(value) ? undefined : [sign, word];
/** Where other values mean something else: MkDocs has `hide: [toc]`. */
const ifSaid =
  (sign: keyof PublicitySigns, word = 'limited'): Meaning =>
  (value) =>
    meansYes(value) ? [sign, word] : undefined;
const ifNot = ifYes('published', 'no');
const ifDeleted = ifYes('status', 'deleted');
const unlessNo: Meaning = (value) => (meansNo(value) ? ['published', false] : undefined);
/** Where most words are of something else: a garden has a stage `seedling`, a design one `concept`. */
const ifDraft: Meaning = (value) => {
  const word = plainWord(textOf(value));
  const isDraft =
    /^(?:draft|future|unpublished)$/.test(stateOf(word)) && !word.startsWith('concept');
  return isDraft ? ['status', value] : undefined;
};
const limited = new Set(
  plainWords(`private usemask friends custom ${called.hidden} ${abroad.private}`),
);
/** As LiveJournal writes who may read it; others have a flag or a level of that name. */
const ifLimited: Meaning = (value) =>
  limited.has(plainWord(textOf(value))) ? ['visibility', value] : undefined;
/** What is planned may be a bridge. */
const ifPlanned: Meaning = (value) => ifSaid('status', 'scheduled')(value) ?? ifDay(value);
const noOrDate: Meaning = (value) => unlessNo(value) ?? ifDate(value);
const publishedDate: Meaning = (value) => ['date', value];
const ifDate: Meaning = (value) => (isDate(value) ? ['date', value] : undefined);
/** Where most of what is called so is no date: `data` in Italian, and in English. */
const ifDay: Meaning = (value) => (aDay.test(textOf(value)) ? ifDate(value) : undefined);
/** `05/05/2031`, `lunedì 5 maggio 2031`; no series of numbers, no address. */
const aDay =
  /^(?:[\p{L}\p{M}-]+\.?,? )?(?:\d{1,4}([-/.]) ?(?:\d{1,2}|\p{L}+)\1 ?\d{2,4}(?!\.?\d)|\d{1,2}(?:º|er|\.)? (?:de |di )?[\p{L}\p{M}]+\.? (?:de |del )?[12]\d{3}(?!\d))/u;

/** With a name that is new `signsKnown` goes up. */
export const meanings = new Map<string, Meaning>([
  ...names(`draft saveasdraft istentwurf ${abroad.draft}`, as('draft')),
  ...names(abroad.unfinished, ifSaid('draft')),
  ...names(`unpublished unpublish notpublished nopublish ${abroad.unpublished}`, ifNot),
  ...names(`published publish public ${abroad.published}`, publishedSign),
  ...names('visible listed enabled live online approved publishable dgpublish render', unlessNo),
  ...names(`routable permalink ready ${abroad.public}`, unlessNo),
  ...names(called.publishing, noOrDate),
  ...names('freigabe freigegeben sichtbar fertig visibile visível zichtbaar synlig', unlessNo),
  ...names(called.statesOfPublication, as('status')),
  ...names(called.stages, ifDraft),
  ...names(called.deleted, ifSaid('status', 'deleted')),
  ...names(called.archived, ifSaid('status', 'archived')),
  ...names('deleted deletedat trash intrash trashed trashedat removed removedat', ifDeleted),
  ...names('archived archivedat', ifYes('status', 'archived')),
  ...names('disabled disabledat', ifYes('status', 'disabled')),
  ...names('scheduled', scheduledSign),
  ...names(abroad.scheduled, ifPlanned),
  ...names(called.publicationDates, as('date')),
  ...names(called.datesOfPast, publishedDate),
  ...names('effective postedat postedon entrydate liveat visibleat releasedon showfrom', ifDate),
  ...names('datum fecha erscheint erscheintam erscheinungsdatum дата 日付 日期', ifDate),
  ...names('data dato tarih dateparution datedeparution', ifDay),
  ...names(called.expiries, expiresSign),
  ...names('password passwort kennwort motdepasse contraseña senha wachtwoord', as('password')),
  ...names(called.protected, ifYes('password', 'yes')),
  ...names('visibility audience access privacy', as('visibility')),
  ...names('security sichtbarkeit visibilité visibilidad visibilità', ifLimited),
  ...names('build', buildSign),
  ...names('hide members internal premium paywall paywalled loginrequired', ifSaid('visibility')),
  ...names('secret encrypt eleventyexcludefromcollections intern geheim', ifSaid('visibility')),
  ...names(called.hidden, ifSaid('visibility')),
  ...plainWords(
    `private hidden unlisted delisted restricted headless emailonly membersonly subscribersonly paidonly ${abroad.private}`,
  ).map((name) => [name, ifYes('visibility', name)] as const),
]);

/** Whether a name is one of those that may keep a record from the public. */
export function isSignName(name: string): boolean {
  return meaningOf(name) !== undefined;
}

/**
 * The signs among these members. Several where a sign stands several times: any of them may say that
 * the record is not public; of dates all stand in each, and what is said again stands once. What is empty says nothing, but for when it was published.
 */
export function signsOf(
  members: readonly Member[],
  valueOf = (value: unknown): unknown => value,
): readonly PublicitySigns[] {
  const valuesOf: Partial<Record<keyof PublicitySigns, unknown[]>> = {};
  let times = 1;
  for (const { key, value } of members) {
    const meaning = meaningOf(key);
    const found = meaning && signIn(meaning, plainOf(valueOf(value)));
    if (found === undefined) continue;
    const { 0: sign, 1: said } = found;
    const words = sign === 'date' ? leavesOf(said) : [wordOf(said)];
    const values = (valuesOf[sign] ??= []);
    for (const word of words) if (textOf(word) !== '') values.push(word);
    if (sign !== 'date') times = Math.max(times, values.length);
  }
  const { date: dates = [] } = valuesOf;
  const said = (sign: keyof PublicitySigns, nth: number) =>
    valuesOf[sign]?.[nth] ?? valuesOf[sign]?.at(-1);
  const signs = new Map<string, PublicitySigns>();
  for (let nth = 0; nth < times; nth += 1) {
    const each = {
      draft: said('draft', nth),
      published: said('published', nth),
      status: said('status', nth),
      expires: said('expires', nth),
      password: said('password', nth),
      visibility: said('visibility', nth),
    };
    const key = times === 1 ? '' : Object.values(each).map(String).join('\0');
    const date = dates.length > 1 ? dates : dates[0];
    if (!signs.has(key)) signs.set(key, Object.assign(each, { date }));
  }
  return [...signs.values()];
}

/** Why any of these members keeps its record from the public, and the one that says so by itself. */
export function reasonIn(
  members: readonly Member[],
  options: PublicityOptions,
): Pick<SkipEntry, 'reason' | 'sign'> | undefined {
  const reason = firstReason(signsOf(members), options);
  if (reason === undefined) return undefined;
  const said = members.find(
    (each) => isSignName(each.key) && firstReason(signsOf([each]), options) === reason,
  );
  return { reason, sign: said && { name: said.name ?? said.key, value: textOf(said.value) } };
}

/** What `--map` says are signs: words of their own nobody else knows. */
export function namedSigns(
  { map, found }: ReadingOptions,
  valueOf: (name: string) => unknown,
): readonly Member[] {
  const { title: _title, content: _content, ...signs } = map;
  return Object.entries(signs).map(([key, name]) => {
    const value = valueOf(name);
    if (value !== undefined) found?.(name);
    // Others are left out where they would say no. In a table what is lacking is an empty cell.
    const isOfAll = ['status', 'visibility', 'date', 'published'].includes(key);
    const isLacking = value === undefined || (textOf(value) === '' && key !== 'published');
    return { key, name, value: isLacking && isOfAll ? `no "${name}"` : value };
  });
}

function names(list: string, meaning: Meaning): readonly (readonly [string, Meaning])[] {
  return plainWords(list).map((name) => [name, meaning]);
}

/** Each record of a table has the same names again; some have keys of their own. */
const known = new Map<string, Meaning | undefined>();

function meaningOf(name: string): Meaning | undefined {
  if (known.has(name)) return known.get(name);
  const plain = plainWord(name);
  // `is_draft`, `isPublished`; `post_status` in the tables of WordPress.
  const meaning = meanings.get(plain) ?? meanings.get(plain.replace(/^(?:is|post)/, ''));
  if (known.size < 10_000 && name.length < 100) known.set(name, meaning);
  return meaning;
}

/** Null and nothing are words for one who says whether or when it was published: never. */
function signIn(meaning: Meaning, value: unknown): Sign | undefined {
  if (value !== undefined && textOf(value) !== '') return meaning(value);
  const isPublished = meaning === publishedSign || meaning === publishedDate;
  return isPublished && value !== undefined ? ['published', false] : undefined;
}

/** A word, a date or a state. */
function publishedSign(value: unknown): Sign | undefined {
  const text = textOf(value);
  const isClear = meansNo(value) || meansYes(value) || isPublicState(text) || isDate(value);
  return [isClear ? 'published' : 'status', value];
}

/** `expires: 0` and a date of zeros say that it never does. */
function expiresSign(value: unknown): Sign | undefined {
  return meansNo(value) || isZeroDate(value) ? undefined : ['expires', value];
}

/** Hugo makes no page of it, or names it nowhere: `build: {render: never}`. */
function buildSign(value: unknown): Sign | undefined {
  const said = isPlainObject(value) ? [value['render'], value['list']] : [];
  const isNever = said.some((each) => textOf(each) === 'never' || meansNo(each));
  return isNever ? ['visibility', 'unlisted'] : undefined;
}

/** Of `scheduled: 2020-01-01` the date counts. */
function scheduledSign(value: unknown): Sign | undefined {
  if (meansNo(value)) return undefined;
  return !meansYes(value) && isDate(value) ? ['date', value] : ['status', 'scheduled'];
}

/** A list or mapping where a word should stand is not looked into: it may be endless. */
function wordOf(value: unknown): unknown {
  const isWord = value === null || typeof value !== 'object' || value instanceof Date;
  return isWord ? value : 'not a word';
}

/**
 * Dates may be several, or objects (`{"seconds": 1577836800}`), of which what is no date says nothing
 * beside one (`{"date": "2020-01-01", "timezone": "Europe/Berlin"}`).
 */
function leavesOf(value: unknown, depth = 0): readonly unknown[] {
  const isObject = isPlainObject(value);
  if ((!Array.isArray(value) && !isObject) || depth === 3) return [wordOf(value)];
  const leaves = Object.values(value)
    .slice(0, 20)
    .flatMap((inner) => leavesOf(inner, depth + 1));
  if (!isObject) return leaves;
  const dates = leaves.filter(isDate);
  return dates.length > 0 ? dates : leaves;
}
