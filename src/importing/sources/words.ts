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
  unpublished: `unveröffentlicht unveroeffentlicht nichtveröffentlicht nichtveroeffentlicht nichtpubliziert nonpublié nonpubliée
    despublicado nopublicado nãopublicado nonpubblicato ongepubliceerd nietgepubliceerd opublicerad
    nichtveröffentlichen nichtveroeffentlichen nepaspublier nopublicar nãopublicar nonpubblicare nietpubliceren`,
  scheduled: `geplant planifié programmé programado agendado programmato gepland ingepland`,
  private: `privat privé privée privado privada privato privata prywatny prywatne yksityinen nichtöffentlich nichtoeffentlich 非公開 非公开 비공개`,
  yes: `ja oui sí sim kyllä tak evet ano igen да так はい 是 예 네 wahr vrai verdadero verdadeiro vero waar sant sann sand prawda pravda
    tosi igaz doğru истина`,
  no: `nein non não nee nej nei nie ei ne nem nu hayır hayir нет ні いいえ 否 아니요 아니오 falsch faux falso onwaar falskt falsk usann fałsz
    nepravda epätosi hamis yanlış ложь`,
};
/** Names of members, English ones among them. */
export const called = {
  /** When it is, was or will be published, in words that say so. */
  publicationDates: `date dategmt datetime pubdate pubdatetime publicationdate publishdate publishat publishon publishtime publishedtime
    scheduledat scheduledfor scheduledon scheduleddate scheduledtime releasedate releaseat embargo embargountil golive goliveat
    golivedate firstpublishedat availablefrom availableat visiblefrom validfrom publicfrom publishup publishfrom publishstart
    veröffentlichungsdatum veroeffentlichungsdatum publikationsdatum datedepublication datepublication fechadepublicación
    fechapublicación datadepublicação datapublicação datadipubblicazione datapubblicazione publicatiedatum publiceringsdatum
    publiseringsdato udgivelsesdato julkaisupäivä datapublikacji датапубликации 公開日 发布日期 게시일
    datumderveröffentlichung veröffentlichenam veroeffentlichenam publierle publicarel publicarem pubblicareil datedemiseenligne`,
  datesOfPast: `publishedat publishedon publisheddate datepublished firstpublicationdate veröffentlichtam veroeffentlichtam
    publiéle publicadoel publicadoem pubblicatoil gepubliceerdop`,
  expiries: `expirydate expirationdate unpublishdate unpublishon unpublishat expires expiresat expireson expiry expiration
    expireat expiredate validuntil validto availableuntil visibleuntil publicuntil publishdown publishend publishuntil`,
  /** The verb, and the noun that may be of a journal too. */
  publishing: `veröffentlichen veroeffentlichen publizieren publier publicar pubblicare publiceren
    veröffentlichung veroeffentlichung miseenligne 公開 公开 공개`,
  statesOfPublication: `status state reviewstate publishstatus publishstate publicationstatus publicationstate workflowstate moderationstate
    veröffentlichungsstatus veroeffentlichungsstatus publikationsstatus statutdepublication étatdepublication
    estadodepublicación estadodepublicação estadopublicación statodipubblicazione statopubblicazione publicatiestatus publiceringsstatus`,
  stages:
    'stage stand zustand bearbeitungsstand statut état estado situação stato stav статус ステータス 状態 状态 상태',
  deleted: 'gelöscht geloescht supprimé eliminado eliminato verwijderd',
  archived: 'archiviert archivé archivado archiviato',
  protected: 'protected passwordprotected passwortgeschützt passwortgeschuetzt',
  hidden: 'versteckt unsichtbar verborgen oculto nascosto masqué',
};
/** Airtable writes `checked`. */
const yes = new Set(plainWords(`true yes on 1 y t checked ${abroad.yes}`));
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

/** What `--map` and `--types` name, each with what is said where nothing in a source has it. */
export function unseenNames({ map = {}, types = [] }: Named): Map<string, string> {
  const { title: _title, content: _content, ...signs } = map;
  return new Map([
    ...Object.values(signs).map((name) => [name, missingMember(name)] as const),
    ...types.map((type) => [`type ${type}`, missingType(type)] as const),
  ]);
}

type Named = {
  readonly map?: Readonly<Record<string, string>> | undefined;
  readonly types?: readonly string[] | undefined;
};

function missingMember(name: string): string {
  return `No record has "${name}", which --map names: correct it where it is misspelt, it says nothing of what is public.`;
}

function missingType(type: string): string {
  return `No item of an export is of the type "${type}", which --types names.`;
}
