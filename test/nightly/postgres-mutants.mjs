// Mistakes in the database as a store, and the tests that must catch them.
const store = 'server/store/postgres/';
const tests = 'test/server/store/postgres/';
const conformance = 'test/server/store/conformance/store.test.ts';
const cuts = `${tests}lost-answers.test.ts`;

export const mutants = [
  {
    name: 'nobody locks the blog',
    file: `${store}sql.ts`,
    from: 'ORDER BY b.id FOR UPDATE',
    to: 'ORDER BY b.id',
    test: [conformance, '-t', 'PostgreSQL'],
  },
  {
    name: 'what changes are judged by is read before the lock',
    file: `${store}transaction.ts`,
    from: `    ask('lock', [blogIds]),
    marked && ask('marker', [marked.id]),
    targets.length > 0 ? ask('targets', pairs(targets)) : undefined,`,
    to: `    (early = targets.length > 0 ? ask('targets', pairs(targets)) : undefined, ask('lock', [blogIds])),
    marked && ask('marker', [marked.id]),
    early,`,
    also: ['const guarded = changes.find', 'let early: any; const guarded = changes.find'],
    test: [conformance, '-t', 'PostgreSQL'],
  },
  {
    name: 'no marker is written',
    file: `${store}sql.ts`,
    from: `INSERT INTO blogctl.writers AS w (id, seq) VALUES ($18, $19)
    ON CONFLICT (id) DO UPDATE SET seq = greatest(w.seq, excluded.seq), at = now()`,
    to: 'SELECT $18::uuid, $19::bigint',
    test: [cuts],
  },
  {
    name: 'who repeats a batch does not ask whether it was committed',
    file: `${store}write-batches.ts`,
    from: 'before === undefined ? undefined : this.#mark',
    to: 'undefined',
    test: [cuts],
  },
  {
    name: 'the marker is read before the lock',
    file: `${store}transaction.ts`,
    from: `    ask('lock', [blogIds]),
    marked && ask('marker', [marked.id]),`,
    to: `    (early = marked && ask('marker', [marked.id]), ask('lock', [blogIds])),
    early,`,
    also: ['const guarded = changes.find', 'let early: any; const guarded = changes.find'],
    test: [cuts, '-t', 'the client alone'],
  },
  {
    name: 'a lost connection counts as one that changed nothing',
    file: `${store}write-batches.ts`,
    from: 'if (before !== undefined && seq >= this.#mark.seq) {',
    to: 'if (seq > this.#mark.seq && before !== undefined) {',
    test: [cuts],
  },
  {
    name: 'the tag of COMMIT is not read',
    file: `${store}write-batches.ts`,
    from: "if (committed.value.command !== 'COMMIT') this.#undone(refusal);",
    to: '',
    test: [`${tests}provoked.test.ts`, '-t', 'whatever COMMIT is answered'],
  },
  {
    name: 'a wait for a standby that was cancelled counts as a commit',
    file: `${store}write-batches.ts`,
    from: "if (connection.noticed() === '01000')",
    to: "if (connection.noticed() === 'none')",
    test: [`${tests}provoked.test.ts`, '-t', 'somebody cancels'],
  },
  {
    name: 'a question under way answers who asks after it was sent',
    file: `${store}gathered-reads.ts`,
    from: 'readonly version = gathered(',
    to: `#asked: Promise<number> | undefined;
  readonly version = (blogId?: number) =>
    (this.#asked ??= this.#now(blogId).finally(() => (this.#asked = undefined)));
  readonly #now = gathered(`,
    test: [`${tests}seen.test.ts`, '-t', 'under way'],
  },
  {
    name: 'a count of holes is replaced by an older one',
    file: `${store}page-places.ts`,
    from: 'if ((this.#known.get(row.bucket)?.since ?? -1) < row.since)',
    to: 'if (true)',
    test: [`${tests}seen.test.ts`, '-t', 'count of holes'],
  },
  {
    name: 'a new article counts as a hole',
    file: `${store}changes.ts`,
    from: 'blog.total += 1;',
    to: 'blog.total += 1; blog.holes.set(bucketOf(id), (blog.holes.get(bucketOf(id)) ?? 0) + 1);',
    test: [conformance, '-t', 'PostgreSQL'],
  },
  {
    name: 'dates go back with the clock',
    file: `${store}changes.ts`,
    from: 'return Math.max(blog.now, blog.changed_at);',
    to: 'return blog.now;',
    test: [`${tests}seen.test.ts`, '-t', 'clock of the database'],
  },
  {
    name: 'a batch in doubt is not asked about when its patience is over',
    file: `${store}write-batches.ts`,
    from: '(doubts += 1) === 1)',
    to: '(doubts += 1) === 0)',
    test: [`${tests}outages.test.ts`, '-t', 'is asked about once more'],
  },
  {
    name: 'who is stuck in the middle of a statement keeps the lock',
    file: `${store}write-batches.ts`,
    from: 'const why = isHeld ? await this.#endStuck(error) : error;',
    to: 'const why = isHeld ? error : error;',
    test: [`${tests}outages.test.ts`, '-t', 'nothing passes', '--testTimeout', '40000'],
  },
];
