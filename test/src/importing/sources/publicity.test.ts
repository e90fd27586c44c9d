import { TomlDate } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import {
  firstReason,
  reasonNotPublic,
  type PublicitySigns,
} from '../../../../src/importing/sources/publicity.ts';
import { signsOf } from '../../../../src/importing/sources/publicity-signs.ts';

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
  [{ date: 'soon' }, 'future'],
  [{ date: 'Tomorrow' }, 'future'],
  [{ date: 'TBD' }, 'future'],
  [{ date: 'Last Modified' }, undefined],
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
    ['draft', { status: 'live' }, 'status live'],
    ['draft', { status: 'trash' }, 'status trash'],
    ['Pending,trash', { status: 'trash' }, undefined],
    ['pending', { status: 'pending', draft: true }, undefined],
    ['scheduled', { date: '2035-01-01' }, undefined],
    ['future', { status: 'scheduled' }, undefined],
    ['publish', { status: 'published' }, undefined],
    ['published', {}, undefined],
    ['published', { date: '2035-01-01' }, 'future'],
    ['published', { visibility: 'paid' }, 'visibility paid'],
  ])('with --status %s, %j is passed over as %s', (list, signs, reason) => {
    const statuses = list.split(',');
    expect(reasonNotPublic(signs, { drafts: false, statuses, now })).toBe(reason);
  });
});

type Members = readonly (readonly [name: string, value: unknown])[];

function reasonOf(members: Members, drafts = false): string | undefined {
  return firstReason(signsOf(members.map(([key, value]) => ({ key, value }))), { drafts, now });
}

/** One member → why its record is passed over. */
const members: readonly [name: string, value: unknown, reason: string][] = [
  ['isDraft', true, 'draft'],
  ['is_draft', 1, 'draft'],
  ['IS-DRAFT', 'yes', 'draft'],
  ['Draft', { $numberInt: '1' }, 'draft'],
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
  ['visibleFrom', '2099-01-01', 'future'],
  ['date', 'in 3 days', 'future'],
  ['date', '+2 weeks', 'future'],
  ['post_password', 'x', 'password'],
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
    '20990101T000000Z',
    '209901010000',
    '20990101000000',
    '/Date(4070908800000)/',
    '4070908800000000',
  ].map((value): [string, unknown, string] => ['date', value, 'future']),
];

/** Ordinary ways to say that a post is public, or nothing about it. */
const publicMembers: Members = [
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
