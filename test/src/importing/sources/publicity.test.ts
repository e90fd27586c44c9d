import { TomlDate } from 'smol-toml';
import { describe, expect, it } from 'vitest';

import {
  publicitySigns,
  reasonNotPublic,
  type PublicitySigns,
} from '../../../../src/importing/sources/publicity.ts';

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
  [{ date: 'soon' }, undefined],
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

describe('what a record says of who may read it', () => {
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

  it('stands in members of several names', () => {
    const members = new Map<string, unknown>([
      ['date', ''],
      ['published_at', '2035-01-01'],
      ['audience', 'only_paid'],
    ]);
    const signs = publicitySigns((name) => members.get(name));
    expect(signs).toMatchObject({ date: '2035-01-01', visibility: 'only_paid' });
    expect(reasonNotPublic(signs, { drafts: false, now })).toBe('future');
  });
});
