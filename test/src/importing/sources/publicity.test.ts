import { hash } from 'node:crypto';

import { TomlDate } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import {
  firstReason,
  reasonNotPublic,
  signsKnown,
  type PublicitySigns,
} from '../../../../src/importing/sources/publicity.ts';
import { readFeedItem } from '../../../../src/importing/sources/formats/feed-item.ts';
import { draftIn, pathSigns } from '../../../../src/importing/sources/formats/export-item.ts';
import { meanings, signsOf } from '../../../../src/importing/sources/publicity-signs.ts';
import {
  folderWithoutPages,
  settingsName,
  settingsPart,
  siteOf,
} from '../../../../src/importing/sources/signs-beside.ts';

const now = Date.UTC(2026, 4, 10, 12);

/** What a record says → why it is passed over. YAML gives texts, TOML and JSON give values. */
const table: readonly [PublicitySigns, reason: string | undefined][] = [
  [{}, undefined],
  [{ draft: null, published: null, status: null, date: null, password: null }, undefined],
  [{ draft: '', published: '~', status: 'null', visibility: ' ' }, undefined],
  [{ draft: 'true' }, 'draft'],
  [{ draft: 'Yes' }, 'draft'],
  [{ draft: 'on' }, 'draft'],
  [{ draft: '1' }, 'draft'],
  [{ draft: true }, 'draft'],
  [{ draft: 1 }, 'draft'],
  [{ draft: 'not yet' }, 'draft'],
  [{ draft: [true] }, 'draft'],
  [{ draft: 'no?' }, 'draft'],
  [{ status: 'Live?' }, 'status live?'],
  [{ visibility: '-' }, 'visibility -'],
  [{ visibility: 'public？' }, 'visibility public？'],
  [{ draft: 'False' }, undefined],
  [{ draft: 'no' }, undefined],
  [{ draft: 'off' }, undefined],
  [{ draft: 0 }, undefined],
  [{ draft: false }, undefined],
  [{ published: 'false' }, 'unpublished'],
  [{ published: 'No' }, 'unpublished'],
  [{ published: 'off' }, 'unpublished'],
  [{ published: '0' }, 'unpublished'],
  [{ published: false }, 'unpublished'],
  [{ published: 0 }, 'unpublished'],
  [{ published: true }, undefined],
  [{ published: '2024-01-01' }, undefined],
  [{ published: '2027-01-01' }, 'future'],
  [{ expires: '2026-05-10' }, 'status expired'],
  [{ expires: '2026-05-11' }, undefined],
  [{ expires: 'never' }, undefined],
  [{ status: 'Published' }, undefined],
  [{ status: 'publish' }, undefined],
  [{ status: 'PUBLIC' }, undefined],
  [{ status: ' live ' }, undefined],
  [{ status: 'draft' }, 'draft'],
  [{ status: 'DRAFT', draft: 'false' }, 'draft'],
  [{ status: 'future' }, 'future'],
  [{ status: 'Scheduled' }, 'future'],
  [{ status: 'Pending' }, 'status pending'],
  [{ status: 'private' }, 'status private'],
  [{ status: 0 }, 'status 0'],
  [{ status: ['published'] }, 'status ["published"]'],
  [{ status: `a\nb${'c'.repeat(99)}` }, `status a b${'c'.repeat(37)}`],
  [{ date: '2026-05-10' }, undefined],
  [{ date: '2026-05-11' }, 'future'],
  [{ date: '2026-05-10T12:00:00Z' }, undefined],
  [{ date: '2026-05-10T12:00:01Z' }, 'future'],
  [{ date: '2026-05-10 12:30:00 +0900' }, undefined],
  [{ date: '2026-05-10 11:30:00 -01:00' }, 'future'],
  [{ date: '2026-5-1 9:30' }, undefined],
  [{ date: '2026-05-10T21:00:00.5+09' }, undefined],
  [{ date: 'Mon, 11 May 2026 00:00:00 GMT' }, 'future'],
  [{ date: 'Sun, 10 May 2026 20:00:00 +0900' }, undefined],
  [{ date: 'May 11, 2026' }, 'future'],
  [{ date: '2026/06/01' }, 'future'],
  [{ date: '01/06/2026' }, 'future'],
  [{ date: '31.12.2035' }, 'future'],
  [{ date: '31.12.2025' }, undefined],
  [{ date: 'le 3 mars 2035' }, 'future'],
  [{ date: '2027' }, 'future'],
  [{ date: 20270101 }, 'future'],
  [{ date: 1_809_000_000 }, 'future'],
  [{ date: 1_709_000_000_000 }, undefined],
  [{ date: 'soon' }, 'date soon'],
  [{ date: 'Tomorrow' }, 'date Tomorrow'],
  [{ date: 'TBD' }, 'date TBD'],
  [{ date: 'Last Modified' }, undefined],
  [{ date: 'git Last Modified' }, undefined],
  [{ date: 'git Created' }, undefined],
  [{ date: 'Created' }, undefined],
  [{ date: '10:30' }, undefined],
  [{ date: 'two days ago' }, undefined],
  ...[
    'December 24th, 2026',
    'Dec 24th, 2026',
    '24th of December 2026',
    '24. Dezember 2026',
    '24 décembre 2026',
    '24 декабря 2026',
    '24 grudnia 2026',
    '24 de diciembre de 2026',
    '2026年12月24日',
    '24.12.26',
    '24/12/26',
    '05/12/26',
    '24-12-26',
    '27/01/01',
    '24 Dec 26',
    '2026-12-24 (planned)',
    '2026-W52',
    '2026-358',
    '@1798106400',
    '46380',
    '24.12.2026 18:00',
    'listopad 2026',
    '24. marraskuuta 2026',
    'Ende 2026',
    'Thursday, 24 December 2026 10:00 AM',
  ].map((date): [PublicitySigns, string] => [{ date }, 'future']),
  ...[
    'bald',
    'morgen',
    'demnächst',
    'Christmas',
    'December 24',
    'next March 5',
    '令和8年12月24日',
  ].map((date): [PublicitySigns, string] => [{ date }, `date ${date}`]),
  ...[
    'March 1st, 2026',
    '1. März 2026',
    '24 décembre 2025',
    '1 марта 2026',
    '2026年3月1日',
    '01.03.26',
    '01/02/99',
    '24 Dec 19',
    '2019-W52',
    'Spring 2019',
    '43000',
    'styczeń 2026',
    '2020.12.24 10:00 AM',
  ].map((date): [PublicitySigns, undefined] => [{ date }, undefined]),
  [{ date: new TomlDate('2027-01-01') }, 'future'],
  [{ date: new TomlDate('2026-05-10T13:00:00+02:00') }, undefined],
  [{ password: 'secret' }, 'password'],
  [{ password: 4711 }, 'password'],
  [{ password: '' }, undefined],
  [{ password: false }, undefined],
  [{ visibility: 'public' }, undefined],
  [{ visibility: 'Public' }, undefined],
  [{ visibility: 'members' }, 'visibility members'],
  [{ visibility: 'Paid', status: 'published' }, 'visibility paid'],
  [{ draft: true, password: 'x', status: 'trash' }, 'draft'],
];

describe('50: what a record says of who may read it', () => {
  it.each(table)('%j is passed over as %s', (signs, reason) => {
    expect(reasonNotPublic(signs, { drafts: false, now })).toBe(reason);
  });

  it.each<[PublicitySigns, reason: string | undefined]>([
    [{ draft: true }, undefined],
    [{ published: 'no' }, undefined],
    [{ status: 'pending' }, undefined],
    [{ date: '2035-01-01' }, undefined],
    [{ password: 'x' }, undefined],
    [{ visibility: 'members' }, undefined],
    [{ status: 'trash' }, 'status trash'],
    [{ status: 'Auto-Draft', password: 'x' }, 'status auto-draft'],
  ])('%j with --drafts is passed over as %s', (signs, reason) => {
    expect(reasonNotPublic(signs, { drafts: true, now })).toBe(reason);
  });

  it.each<[string, PublicitySigns, reason: string | undefined]>([
    ['any', { status: 'trash', password: 'x', draft: true }, undefined],
    ['draft', { status: 'Draft', date: '2035-01-01' }, undefined],
    ['draft', { draft: 'yes', status: 'published' }, undefined],
    ['draft', { published: false }, undefined],
    ['draft', { status: 'draft', password: 'x' }, 'password'],
    ['draft', {}, 'status published'],
    ['draft', { status: 'live' }, 'status published'],
    ['draft', { status: 'trash' }, 'status trash'],
    ['draft', { status: 'trash', draft: true }, 'draft'],
    ['Pending,trash', { status: 'trash' }, undefined],
    ['pending', { status: 'pending', draft: true }, undefined],
    ['scheduled', { date: '2035-01-01' }, undefined],
    ['future', { status: 'scheduled' }, undefined],
    ['publish', { status: 'published' }, undefined],
    ['published', {}, undefined],
    ['published', { date: '2035-01-01' }, 'future'],
    ['published', { visibility: 'paid' }, 'visibility paid'],
    ['published', { draft: true, status: 'published' }, 'draft'],
    ['published', { expires: '2001-01-01' }, 'status expired'],
    ['expired', { expires: '2001-01-01' }, undefined],
    ['veröffentlicht', { status: 'Veröffentlicht', date: '2020-01-01' }, undefined],
    ['veröffentlicht', { status: 'veröffentlicht', date: '2035-01-01' }, 'future'],
    ['veröffentlicht', { status: 'veröffentlicht', date: 'bald' }, 'date bald'],
    ['veröffentlicht', { status: 'veröffentlicht', draft: true }, 'draft'],
    ['veröffentlicht,future', { status: 'veröffentlicht', date: '2035-01-01' }, undefined],
    ['future', { status: 'veröffentlicht', date: '2035-01-01' }, undefined],
    ['future', { status: 'abgenommen', date: '2035-01-01' }, 'status abgenommen'],
    ['Entwurf', { status: 'draft' }, undefined],
    ['draft', { status: 'Brouillon' }, undefined],
    ['private', { status: 'private', date: '2035-01-01' }, 'future'],
    ['pending', { status: 'pending', date: '2035-01-01' }, undefined],
  ])('with --status %s, %j is passed over as %s', (list, signs, reason) => {
    const statuses = list.split(',');
    expect(reasonNotPublic(signs, { drafts: false, statuses, now })).toBe(reason);
  });
});

/** What stands around a day → when it is; the clock stands at 21:30 of that day, a Thursday. */
describe('50: a time of day or a zone makes no date earlier than it may be', () => {
  const evening = Date.UTC(2026, 10, 26, 21, 30);
  const reasonAt = (date: string, sign: 'date' | 'published' = 'date') =>
    reasonNotPublic({ [sign]: date }, { drafts: false, now: evening });

  it.each([
    '11/26/2026 11:45 PM',
    '2026-11-26 11:45 pm',
    '26.11.2026 23:30 Uhr',
    '26.11.2026, 23.30 Uhr',
    '26.11.2026 23 Uhr',
    '26/11/2026 23h30',
    '26/11/2026 11:45 p. m.',
    '26. November 2026 um 23:45',
    '26 novembre 2026 à 23h45',
    '26 ноября 2026, 23:45',
    '2026年11月26日 23時45分',
    '2026年11月26日23時',
    '2026/11/26 下午11:45',
    '2026年11月26日 下午11點45分',
    '2026년 11월 26일 오후 11:45',
    '２０２６－１１－２６　２３：４５',
    '2026-11-26 19:00:00 PST',
    '2026-11-26 19:00:00 EST',
    '2026-11-26 19:00 GMT-8',
    '2026-11-26 19:00 (UTC-08:00)',
    '2026-11-26 19:00 GMT\u22128',
    '2026-11-26 19:00 GMT-0800 (PST)',
    'Thu Nov 26 2026 19:00:00 GMT-0800 (Pacific Standard Time)',
    'Thu Nov 26 19:00:00 PST 2026',
    '2026-11-26 19:00:00 -0800 PST',
    '2026-11-26T20:00:00-05:00[America/New_York]',
    'November 26, 2026 5:45 PM (PST)',
    'Thursday, November 26, 2026 at 5:45:00 PM PST',
    'Thu, 26 Nov 2026 19:00:00 PST',
    '2026-11-01 → 2027-01-05',
    'November 1, 2026 → January 5, 2027',
    '2026-11-01/2026-11-27',
    '1–27 November 2026',
    '28 October 2026 to 27 November 2026',
    // What is not understood may be any time of that day in any zone.
    '2026-11-26 T.B.A.',
    '2026-11-26 evening',
    '2026-11-26 10:00 America/Los_Angeles',
    '2026-11-26 11:45 de la noche',
    '26.11.2026 kl. 23.45',
    '26 Nov 2026 2345',
    '26 tháng 11, 2026 lúc 23:45',
    '2026-11-26 25:00',
  ])('%s is ahead', (date) => {
    expect(reasonAt(date)).toBe('future');
    expect(reasonAt(date, 'published')).toBe('future');
  });

  it.each([
    '11/26/2026 09:15 PM',
    '2026-11-26 12:15 am',
    '26.11.2026 21:15 Uhr',
    '26. November 2026 um 21:15',
    '26 novembre 2026 à 21h15',
    '26 de noviembre de 2026',
    '2026年11月26日 21時15分',
    '2026/11/26 下午9:15',
    '2026년 11월 26일 오후 9:15',
    '2026-11-26 13:15:00 PST',
    '2026-11-26 13:15 GMT-8',
    '2026-11-27 06:15 GMT+0900 (JST)',
    '2026-11-26T16:15:00-05:00[America/New_York]',
    'Thursday, November 26, 2026 at 1:15:00 PM PST',
    'Thu, 26 Nov 2026 21:15:00 +0000',
    'November 26th, 2026',
    '2026-11-01 → 2026-11-26',
    'December 28, 2025 → January 5, 2026',
    '2026-11-25 07:00 somewhere',
    '24.11.2026 kl. 23.45',
  ])('%s is past', (date) => {
    expect(reasonAt(date)).toBeUndefined();
  });

  it('is not known where a range ends in figures that are no date', () => {
    expect(reasonAt('2026-11-01 → 28')).toBe('date 2026-11-01 → 28');
  });

  it('is early enough for what expires', () => {
    const expires = '2026-11-26 some time';
    expect(reasonNotPublic({ expires }, { drafts: false, now: evening })).toBe('status expired');
  });
});

type Members = readonly (readonly [name: string, value: unknown])[];

function reasonOf(members: Members, drafts = false): string | undefined {
  return firstReason(signsOf(members.map(([key, value]) => ({ key, value }))), { drafts, now });
}

/** One member → why its record is passed over. */
const members: readonly [name: string, value: unknown, reason: string][] = [
  ['isDraft', true, 'draft'],
  ['saveAsDraft', true, 'draft'],
  ['dg-publish', false, 'unpublished'],
  ['render', false, 'unpublished'],
  ['pubDatetime', '2999-01-01', 'future'],
  ['workflow_state', 'draft', 'draft'],
  ['moderation_state', 'draft', 'draft'],
  ['is_draft', 1, 'draft'],
  ['IS-DRAFT', 'yes', 'draft'],
  ['Draft', { $numberInt: '1' }, 'draft'],
  ['draft?', true, 'draft'],
  ['Published?', 'No', 'unpublished'],
  ['Is public ?', 'no', 'unpublished'],
  ['Draft？', 'yes', 'draft'],
  ['unpublish', true, 'unpublished'],
  ['trash', true, 'status deleted'],
  ['in_trash', 'yes', 'status deleted'],
  ['hide', true, 'visibility limited'],
  ['members', 'yes', 'visibility limited'],
  ['internal', 1, 'visibility limited'],
  ['unpublished', true, 'unpublished'],
  ['is_published', false, 'unpublished'],
  ['isPublished', '0', 'unpublished'],
  ['publish', false, 'unpublished'],
  ['public', 'no', 'unpublished'],
  ['isPublic', false, 'unpublished'],
  ['visible', false, 'unpublished'],
  ['published', 'draft', 'draft'],
  ['published', 'Pending', 'status pending'],
  ['published', 'soon', 'status soon'],
  ['published', -1, 'status -1'],
  ['Veröffentlicht', '-1', 'status -1'],
  ['published', 'yes?', 'status yes?'],
  ['published', null, 'unpublished'],
  ['published_at', null, 'unpublished'],
  ['publishedAt', null, 'unpublished'],
  ['published_at', '', 'unpublished'],
  ['published', ' NULL ', 'unpublished'],
  ['published', '~', 'unpublished'],
  ['datePublished', String.raw`\N`, 'unpublished'],
  ['state', 'draft', 'draft'],
  ['_status', 'draft', 'draft'],
  ['post_status', 'private', 'status private'],
  ['publish_status', 'scheduled', 'future'],
  ['deleted', true, 'status deleted'],
  ['isTrashed', 1, 'status deleted'],
  ['deleted_at', '2020-01-01', 'status deleted'],
  ['scheduled', true, 'future'],
  ['scheduled', '2027-01-01', 'future'],
  ['private', true, 'visibility private'],
  ['isHidden', 'on', 'visibility hidden'],
  ['unlisted', 'true', 'visibility unlisted'],
  ['email_only', true, 'visibility emailonly'],
  ['access', 'members', 'visibility members'],
  ['protected', true, 'password'],
  ['archived', true, 'status archived'],
  ['removedAt', '2020-01-01', 'status deleted'],
  ['disabled', 1, 'status disabled'],
  ['enabled', false, 'unpublished'],
  ['live', 'no', 'unpublished'],
  ['notPublished', true, 'unpublished'],
  ['privacy', 'private', 'visibility private'],
  ['subscribersOnly', true, 'visibility subscribersonly'],
  ['restricted', 'yes', 'visibility restricted'],
  ['build', { render: 'never' }, 'visibility unlisted'],
  ['_build', { list: false, render: true }, 'visibility unlisted'],
  ['valid_until', '2020-01-01', 'status expired'],
  ['publish_down', '2020-01-01 00:00:00', 'status expired'],
  ['publish_up', '2099-01-01', 'future'],
  // Grav, Eleventy, Plone, Hygraph, Hashnode, LiveJournal.
  ['routable', false, 'unpublished'],
  ['permalink', false, 'unpublished'],
  ['eleventyExcludeFromCollections', true, 'visibility limited'],
  ['review_state', 'private', 'status private'],
  ['effective', '2099-01-01T00:00:00', 'future'],
  ['posted_at', '2099-01-01', 'future'],
  ['liveAt', '2099-01-01', 'future'],
  ['scheduled_time', '2099-01-01', 'future'],
  ['expire_date', '2001-01-01', 'status expired'],
  ['validTo', '2001-01-01', 'status expired'],
  ['approved', 'no', 'unpublished'],
  ['paywall', true, 'visibility limited'],
  ['premium', 'yes', 'visibility limited'],
  ['encrypt', true, 'visibility limited'],
  ['stage', 'DRAFT', 'draft'],
  ['isDelisted', true, 'visibility delisted'],
  ['security', 'usemask', 'visibility usemask'],
  ['security', 'Private', 'visibility private'],
  ['visibleFrom', '2099-01-01', 'future'],
  ['date', 'in 3 days', 'date in 3 days'],
  ['date', '+2 weeks', 'date +2 weeks'],
  ['post_password', 'x', 'password'],
  // In other languages, with accents in one sign or two, and without.
  ['Entwurf', true, 'draft'],
  ['ENTWURF', 'ja', 'draft'],
  ['entwurf', 'noch nicht', 'draft'],
  ['ist_entwurf', 'wahr', 'draft'],
  ['brouillon', 'oui', 'draft'],
  ['borrador', 'sí', 'draft'],
  ['rascunho', 'sim', 'draft'],
  ['bozza', 'VERO', 'draft'],
  ['concept', 'ja', 'draft'],
  ['Черновик', 'да', 'draft'],
  ['下書き', 'はい', 'draft'],
  ['veröffentlicht', 'nein', 'unpublished'],
  ['vero\u0308ffentlicht', 'Nein', 'unpublished'],
  ['VEROEFFENTLICHT', 'FALSCH', 'unpublished'],
  ['veröffentlicht', 'Entwurf', 'draft'],
  ['veröffentlicht', '2031-05-05', 'future'],
  ['Veröffentlicht am', '', 'unpublished'],
  ['publiziert', false, 'unpublished'],
  ['publié', 'non', 'unpublished'],
  ['publicado', 'não', 'unpublished'],
  ['pubblicato', 'FALSO', 'unpublished'],
  ['gepubliceerd', 'nee', 'unpublished'],
  ['öffentlich', false, 'unpublished'],
  ['freigabe', 'nein', 'unpublished'],
  ['fertig', 'nein', 'unpublished'],
  ['ready', false, 'unpublished'],
  ['unveröffentlicht', 'ja', 'unpublished'],
  ['published', 'nein', 'unpublished'],
  ['status', 'Entwurf', 'draft'],
  ['status', 'borrador', 'draft'],
  ['status', 'geplant', 'future'],
  ['stand', 'in Arbeit', 'draft'],
  ['estado', 'Borrador', 'draft'],
  ['statut', 'brouillon', 'draft'],
  ['datum', '2031-05-05', 'future'],
  ['Fecha', '5 de mayo de 2031', 'future'],
  ['data', '05/05/2031', 'future'],
  ['data', '5 maggio 2031', 'future'],
  ['data', 'lunedì 5 maggio 2031', 'future'],
  ['data', 'domingo, 5 de maio de 2031', 'future'],
  ['data', '2031-05-05T10:00:00Z', 'future'],
  ['dato', '5. 5. 2031', 'future'],
  ['erscheint', '2031-05-05', 'future'],
  ['Veröffentlichen', 'nein', 'unpublished'],
  ['publier', 'non', 'unpublished'],
  ['geplant', 'ja', 'future'],
  ['programado', '2031-05-05', 'future'],
  ['koncept', 'ano', 'draft'],
  ['Intern', 'checked', 'visibility limited'],
  ['nicht veröffentlichen', 'ja', 'unpublished'],
  ['Veröffentlichung', '2031-05-05', 'future'],
  ['Veröffentlichen am', 'bald', 'date bald'],
  ['公開', '2031-05-05', 'future'],
  ['公開', 'いいえ', 'unpublished'],
  ['非公開', 'はい', 'visibility 非公開'],
  ['Veröffentlichungsstatus', 'in Prüfung', 'status in prüfung'],
  ['statut de publication', 'Brouillon', 'draft'],
  ['stand', 'unveröffentlicht', 'status unpublished'],
  ['statut', 'non publié', 'status unpublished'],
  ['stage', 'unpublished', 'status unpublished'],
  ['ステータス', '下書き', 'draft'],
  ['gelöscht', 'ja', 'status deleted'],
  ['archivé', 'oui', 'status archived'],
  ['Passwortgeschützt', 'ja', 'password'],
  ['Sichtbarkeit', 'versteckt', 'visibility versteckt'],
  ['veröffentlichungsdatum', 'bald', 'date bald'],
  ['date_de_publication', '2031-05-05', 'future'],
  ['privat', 'ja', 'visibility privat'],
  ['privé', true, 'visibility prive'],
  ['intern', 'ja', 'visibility limited'],
  ['Sichtbarkeit', 'privat', 'visibility privat'],
  ['Passwort', 'nein', 'password'],
  ...[
    'date',
    'publish_date',
    'datePublished',
    'post_date',
    'post_date_gmt',
    'scheduled_at',
    'publish_at',
    'published-on',
    'publication_date',
    'pubDate',
  ].map((name): [string, unknown, string] => [name, '2099-01-01 10:00:00', 'future']),
  ...[
    { $date: '2099-01-01T00:00:00Z' },
    { $date: { $numberLong: '4070908800000' } },
    { seconds: 4_070_908_800, nanoseconds: 0 },
    ['2020-01-01', '2099-01-01'],
    { date: '2099-01-01 00:00:00.000000', timezone_type: 3, timezone: 'Europe/Berlin' },
    '20990101T000000Z',
    '209901010000',
    '20990101000000',
    '/Date(4070908800000)/',
    '4070908800000000',
  ].map((value): [string, unknown, string] => ['date', value, 'future']),
];

/** Ordinary ways to say that a post is public, or nothing about it. */
const publicMembers: Members = [
  ['date', { date: '2020-01-01 00:00:00.000000', timezone_type: 3, timezone: 'Europe/Berlin' }],
  ['hide', ['toc']],
  ['members', ['Ada', 'Zoë']],
  ['internal', 'no'],
  ['draft', false],
  ['draft', 'no'],
  ['draft', null],
  ['isDraft', 0],
  ['is_draft', 'False'],
  ['draft', { $numberInt: '0' }],
  ['archived', false],
  ['enabled', true],
  ['active', 'no'],
  ['publish_down', '0000-00-00 00:00:00'],
  ['publish_up', '2020-01-01 00:00:00'],
  ['permalink', '/no/'],
  ['eleventyExcludeFromCollections', ['notes']],
  ['review_state', 'published'],
  ['effective', '2020-01-01T00:00:00'],
  ['effective', 'at once'],
  ['effectiveDate', '2099-01-01'],
  ['live_at', 'Studio 54'],
  ['premium', 'a word'],
  ['secret', 'of tea'],
  ['approved', 'by Ann'],
  ['stage', 'PUBLISHED'],
  ['stage', 'seedling'],
  ['isDelisted', false],
  ['security', 'public'],
  ['security', false],
  ['security', 'high'],
  ['build', { render: 'always', list: true }],
  ['build', 'never'],
  ['removed', null],
  ['expires', 0],
  ['expires_at', '0000-00-00 00:00:00'],
  ['expiry', 'no'],
  ['published', true],
  ['published', 'yes'],
  ['published', 1],
  ['published', 'public'],
  ['published', '2020-01-01'],
  ['published', 'May 1, 2020'],
  ['publish', 'true'],
  ['public', true],
  ['isPublic', 'on'],
  ['is_published', '1'],
  ['visible', 'desktop'],
  ['unpublished', false],
  ['state', 'published'],
  ['state', 'LIVE'],
  ['post_status', 'publish'],
  ['status', null],
  ['private', false],
  ['private', ''],
  ['hidden', 0],
  ['hidden', 'no'],
  ['unlisted', null],
  ['protected', 'false'],
  ['scheduled', false],
  ['scheduled', '2020-01-01'],
  ['deleted', 0],
  ['deleted_at', null],
  ['deleted_at', '0000-00-00 00:00:00'],
  ['email_only', false],
  ['password', false],
  ['password', 'false'],
  ['password', ''],
  ['post_password', null],
  ['visibility', 'public'],
  ['access', 'Public'],
  ['audience', 'everyone'],
  ['scheduled_at', null],
  ['publish_date', null],
  ['date', null],
  ['date', '2020-01-01T10:00:00Z'],
  ['date', { $date: '2020-01-01T00:00:00Z' }],
  ['date', { $date: { $numberLong: '1577836800000' } }],
  ['date', { seconds: 1_577_836_800, nanoseconds: 999_999_999 }],
  ['date', '20200101123000'],
  ['date', '20200101T123000Z'],
  ['date', '1577836800000000'],
  ['date', '1577836800000000000'],
  ['post_date_gmt', '0000-00-00 00:00:00'],
  ['publishedAt', '2020-01-01'],
  ['entwurf', 'nein'],
  ['brouillon', 'non'],
  ['entwurf', 'FALSCH'],
  ['concept', 'Zen gardens'],
  ['veröffentlicht', 'ja'],
  ['veröffentlicht', '2020-01-01'],
  ['status', 'Veröffentlicht'],
  ['status', 'publié'],
  ['visibility', 'öffentlich'],
  ['público', 'adultos'],
  ['freigabe', 'Meyer'],
  ['geplant', 'Baubeginn 2031'],
  ['luonnos', 'ei'],
  ['piszkozat', 'nem'],
  ['ciornă', 'nu'],
  ['чернетка', 'ні'],
  ['초안', '아니요'],
  ['udkast', 'FALSK'],
  ['Veröffentlicht', 'checked'],
  ['Veröffentlichung', 'Zeitschrift für Gärten'],
  ['publier', 'oui'],
  ['公開', '全体'],
  ['eliminado', 'en octavos'],
  ['estado', 'CA'],
  ['fertig', 'ja'],
  ['stand', '2020-01-01'],
  ['stand', 'Halle 4'],
  ['estado', 'Jalisco'],
  ['statut', 'étudiant'],
  ['datum', '2020-01-01'],
  ['datum', 'im Sommer'],
  ['datum', null],
  ['data', [2030, 2040]],
  ['data', 'Census of 2030'],
  ['data', '2030 2031 2032'],
  ['data', '10 20 2050'],
  ['data', '100 apples 2040'],
  ['data', '10.10.40.1'],
  ['stage', 'Concept'],
  ['statut', 'concept'],
  ['data', { a: '2031-05-05' }],
  ['privat', 'nein'],
  ['intern', 'Ann Other'],
  ['cache', true],
  ['issue', true],
  ['post', 'draft'],
  ['publisher', 'no'],
];

describe('the members of a record or of front matter', () => {
  it.each(members)('%s: %j is passed over as %s', (name, value, reason) => {
    expect(reasonOf([[name, value]])).toBe(reason);
    const isDiscarded = reason === 'status deleted';
    expect(reasonOf([[name, value]], true)).toBe(isDiscarded ? reason : undefined);
  });

  it.each(publicMembers)('%s: %j keeps no post from the public', (name, value) => {
    expect(reasonOf([[name, value]])).toBeUndefined();
  });

  it.each<[Members, reason: string]>([
    [
      [
        ['date', ''],
        ['published_at', '2035-01-01'],
        ['audience', 'only_paid'],
      ],
      'future',
    ],
    [
      [
        ['draft', false],
        ['Draft', true],
        ['is_draft', false],
      ],
      'draft',
    ],
    [
      [
        ['published', true],
        ['published', false],
      ],
      'unpublished',
    ],
    [
      [
        ['status', 'published'],
        ['state', 'review'],
      ],
      'status review',
    ],
    [
      [
        ['date', '2035-01-01'],
        ['date', '2020-01-01'],
      ],
      'future',
    ],
    [
      [
        ['visibility', 'public'],
        ['private', true],
      ],
      'visibility private',
    ],
  ])('may say it in any place: %j is passed over as %s', (all, reason) => {
    expect(reasonOf(all)).toBe(reason);
    expect(reasonOf(all.toReversed())).toBe(reason);
  });
});

it.each([
  ['posts/नमस्ते/Entwürfe/a.md', 'Entwürfe'],
  ['posts/Entwu\u0308rfe/a.md', 'Entwu\u0308rfe'],
  ['drafts/a.md', 'drafts'],
  ['posts/ते/entwurf_a.md', 'entwurf_a.md'],
  ['posts/a.draft.md', 'a.draft.md'],
])('what a path says is told as it is written: %s', (path, name) => {
  expect(draftIn(path)).toBe(name);
});

it('what is said again, with a thousand dates, is judged once', () => {
  const said = Array.from({ length: 1000 }, (_, at) => [
    { key: 'draft', value: at % 2 === 0 ? 'no' : false },
    { key: 'date', value: `2020-01-${1 + (at % 28)}` },
  ]).flat();
  expect(signsOf(said)).toHaveLength(2);
  expect(signsOf([...said, { key: 'draft', value: 'yes' }])).toHaveLength(3);
  const states = Array.from({ length: 1000 }, (_, at) => ({
    name: 'wp:status',
    attributes: {},
    text: at % 2 === 0 ? 'publish' : 'draft',
  }));
  const item = { name: 'item', members: states, base: '' } as const;
  expect(readFeedItem(item, undefined).signs).toHaveLength(2);
});

/**
 * An article stays where only a newer version sees that its post is not public: a state keeps by which signs that
 * was told. So where a post that was public is so no more, `signsKnown` goes up, and the digest here with it; where
 * the signs only say it in another way, the digest alone.
 */
it('the signs have another number where they are others', () => {
  const words =
    'true yes false no off 0 ja nein oui non entwurf publicado privat draft published publish public live everyone anyone private friends scheduled spam never TBD 2999-01-01 1999-01-01';
  const values = [...words.split(' '), null, {}, { render: 'never' }, { list: 'never' }];
  const said = [...meanings.keys()].map((key) => {
    const reasons = values.map((value) =>
      firstReason(signsOf([{ key, value }]), { drafts: false, now }),
    );
    return [key, ...reasons];
  });
  const folders = ['_posts/a', '_x/a', 'a/_x/_posts/b', '_y/a', 'x/a'];
  const cascade = { draft: true, target: { path: '/x/**' } };
  const globs = ['exclude', 'ignore', 'ignored_content', '.eleventyignore'];
  const sites = [
    siteOf('_config.yml', {
      ...Object.fromEntries(globs.map((name) => [name, ['x/*']])),
      defaults: [{ scope: { path: '_x', type: 'x' }, values: { published: false } }],
    }),
    siteOf('hugo.toml', { cascade, ignoreFiles: 'a$' }),
  ];
  const scopes = sites.flatMap((site) => site.scopes);
  const excluded = sites.flatMap((site) => site.excluded);
  const shown = [
    said,
    [...Object.values(pathSigns), settingsName, settingsPart].map(String),
    folders.map((folder) => folderWithoutPages(folder, ['_y'])),
    scopes.map(({ said: signs, holds }) => [signs, folders.map(holds)]),
    excluded.map(({ setting, value, holds }) => [setting, value, folders.map(holds)]),
  ];
  const digest = hash('sha256', JSON.stringify(shown)).slice(0, 16);
  expect([signsKnown, digest]).toEqual([5, '13f7ab2ac56a18fe']);
});
