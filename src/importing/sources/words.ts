import { withoutAccents } from './dates.ts';

/** As YAML, JSON and the dumps of MySQL and PostgreSQL (`\N`) write it. */
const nothing = new Set(['', '~', 'null', '\\n']);
export const no = new Set(['false', 'no', 'off', '0', 'n', 'f']);

/**
 * What the signs are in other languages, where a word can hardly mean anything else: members, values, folders and names of
 * files are known by them. With one that is new `signsKnown` goes up.
 */
export const abroad = {
  draft: `entwurf entwürfe entwuerfe brouillon brouillons borrador borradores rascunho rascunhos bozza bozze conceptversie utkast
    udkast kladde luonnos wersjarobocza ciorna piszkozat taslak черновик черновики чернетка чернетки 下書き 草稿 초안`,
  /** There are other concepts and sketches: drafts where a yes or a state says so. */
  unfinished: `concept concepten koncept koncepty szkic szkice inarbeit inbearbeitung`,
  published: `veröffentlicht veroeffentlicht publiziert publié publiée publicado publicada pubblicato pubblicata gepubliceerd
    publicerad publicerat publisert publiceret julkaistu opublikowany opublikowano publikováno опубликовано 已发布 已發佈`,
  public: `öffentlich oeffentlich público pública pubblico pubblica openbaar offentlig julkinen publiczny 公開 公开 공개`,
  unpublished: `unveröffentlicht unveroeffentlicht nichtveröffentlicht nichtpubliziert nonpublié nonpubliée despublicado
    nopublicado nãopublicado nonpubblicato ongepubliceerd nietgepubliceerd opublicerad`,
  scheduled: `geplant planifié programmé programado agendado programmato gepland ingepland`,
  private: `privat privé privée privado privada privato privata prywatny prywatne yksityinen nichtöffentlich`,
  yes: `ja oui sí sim kyllä tak evet да はい 是 wahr vrai verdadero verdadeiro vero waar sant sann prawda`,
  no: `nein non não nee nej nei nie hayır hayir нет いいえ 否 falsch faux falso onwaar falskt usann fałsz`,
};
const yes = new Set(plainWords(`true yes on 1 y t ${abroad.yes}`));
const noAnywhere = new Set([...no, ...plainWords(abroad.no)]);

/** Whether a word is how somebody says no; what is empty says nothing. */
export function meansNo(value: unknown): boolean {
  return noAnywhere.has(plainValue(textOf(value)));
}

export function meansYes(value: unknown): boolean {
  return yes.has(plainValue(textOf(value)));
}

/** One word for `publish_date`, `publish-date`, `publishDate`, `PublishDate` and `Publish date?`. */
export function plainWord(text: string): string {
  return withoutAccents(text.replaceAll(/[\s_?？-]/g, '')).toLowerCase();
}

export function plainWords(list: string): readonly string[] {
  return list.split(/\s+/).map(plainWord);
}

/** Of a value a sign in front and a question mark say something: `-1` is no 1, `live?` is not live. */
export function plainValue(text: string): string {
  return /^[_-]|[?？]/.test(text) ? text.toLowerCase() : plainWord(text);
}

/** One line of at most 40 characters, because it becomes part of a reason. */
export function textOf(value: unknown): string {
  return lineOf(value).slice(0, 40);
}

export function lineOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  const line = plainText(value).replaceAll(/\s+/g, ' ').trim();
  return nothing.has(line.toLowerCase()) ? '' : line;
}

function plainText(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? value : JSON.stringify(value);
}
