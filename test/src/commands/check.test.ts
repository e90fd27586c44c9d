import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unlikelyIds } from '../../../src/checking/addresses.ts';
import { serveFile } from '../../../src/local.ts';
import { main } from '../../../src/main.ts';
import { foreignServices } from '../../support/foreign-services.ts';
import { givenHost } from '../../support/host.ts';
import { type Manners, startOtherService } from '../../support/other-service.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'blogctl-check-'));
});
afterEach(() => rm(folder, { recursive: true }));

const token = 'right-token';
const titles = ['One', 'Two', 'Three', 'Four'];

function hostOf(words: readonly string[], terminal?: number) {
  const env = { BLOGCTL_TOKEN: token, BLOGCTL_CONFIG_DIR: folder, BLOGCTL_DATA_DIR: folder };
  return givenHost(words, { folder, env, ...(terminal && { terminal }) });
}

async function check(words: readonly string[], terminal?: number) {
  const host = hostOf(['check', ...words], terminal);
  return { status: await main(host), out: host.out(), err: host.err() };
}

async function withOther<T>(
  manners: Manners,
  act: (service: Awaited<ReturnType<typeof startOtherService>>) => Promise<T>,
): Promise<T> {
  const service = await startOtherService(titles, manners);
  try {
    return await act(service);
  } finally {
    await service.stop();
  }
}

type Named = (service: { origin: string; blogUrl: string }) => string;
type Line = { number: string; outcome: string; what?: string };

describe('another implementation', () => {
  it.each([
    ...foreignServices,
    ['announces more articles than it has', { announced: 99 }, ['2.18']],
    ['gets articles while it is read', { insertsWhileRead: true }, []],
    ['loses articles while it is read', { deletesWhileRead: true }, []],
    [
      'loses the answers to two creations',
      { first: { POST: ['answer', 'drop-after-commit', 'answer', 'drop-after-commit'] } },
      [],
    ],
  ] satisfies typeof foreignServices)('that %s', async (_name, manners, breaks) => {
    for (const more of [[], ['--write']]) {
      await withOther(manners, async ({ blogUrl, articles, requests }) => {
        const { status, out } = await check([blogUrl, ...more, '--json', '-q']);
        const { results, left } = JSON.parse(out);
        const broken = results.filter(({ outcome }: Line) => outcome === 'broken');
        expect(broken.map(({ number }: Line) => number)).toEqual(breaks);
        expect({ status, left }).toEqual({ status: breaks.length === 0 ? 0 : 11, left: [] });
        const ours = [...articles.values()].filter(({ title }) => title.startsWith('blogctl'));
        expect(ours).toEqual([]);
        expect(requests.length).toBeLessThan(410);
      });
    }
  });

  it.each([1, 2, 3, 4])('that counts pages from 0 is told by 4.2 alone where it has %i', (count) =>
    withOther({ pagesFromZero: true }, async ({ blogUrl, articles }) => {
      for (const id of [...articles.keys()].slice(count)) articles.delete(id);
      const { status, err } = await check([blogUrl]);
      expect(err).toContain('error: 1 rule of the interface is broken: 4.2.\n');
      expect(status).toBe(11);
    }),
  );

  it('whose choices are told', () =>
    withOther({ pageCap: 2, noValidators: true }, async ({ blogUrl }) => {
      const { out } = await check([blogUrl, '--json', '-q']);
      const told = JSON.parse(out).results.map(({ number, what }: Line) => [number, what]);
      expect(Object.fromEntries(told)).toMatchObject({
        '4.8': 'no Last-Modified is given, and none has to be',
        '4.9': 'no ETag is given, and none has to be',
        '4.18': expect.stringContaining('pageSize=100000: 200 (as 2)'),
      });
    }));
});

describe('Ctrl-C', () => {
  it.each([2, 6, 9, 15, 30, 45, 60, 75, 90])('after %i requests leaves nothing behind', (count) =>
    withOther({}, async ({ blogUrl, articles, requests }) => {
      const host = hostOf(['check', blogUrl, '--write']);
      const ended = main(host);
      while (requests.length < count) await turn();
      host.signal('SIGINT');
      expect(await ended).toBe(130);
      expect([...articles.values()].map(({ title }) => title)).toEqual(titles);
      expect(host.err()).not.toContain('Not deleted');
      expect(host.err()).toMatch(
        /^Deleting the articles of this run, "blogctl check [0-9a-f]{8}"/m,
      );
    }),
  );

  it('is what a closed terminal is, too: nothing is left behind, and the report is shown', () =>
    withOther({}, async ({ blogUrl, articles, requests }) => {
      const host = hostOf(['check', blogUrl, '--write', '--json']);
      const ended = main(host);
      while (requests.length < 30) await turn();
      host.signal('SIGHUP');
      expect(await ended).toBe(143);
      expect([...articles.values()].map(({ title }) => title)).toEqual(titles);
      expect(JSON.parse(host.out())).toMatchObject({ left: [], unknown: [] });
    }));

  it('shows what was found until then', () =>
    withOther({}, async ({ blogUrl, requests }) => {
      const host = hostOf(['check', blogUrl, '--json']);
      const ended = main(host);
      while (requests.length < 20) await turn();
      host.signal('SIGINT');
      expect(await ended).toBe(130);
      const { results, summary } = JSON.parse(host.out());
      const told = results.map(({ outcome, what }: Line) => what ?? outcome);
      expect(told).toContain('held');
      expect(told).toContain('stopped before it');
      const rules = results.filter(({ kind }: { kind: string }) => kind === 'rule').length;
      expect(summary.held).toBeLessThan(rules);
      expect(host.err()).toContain(`${summary.held} of ${rules} rules hold`);
    }));

  it('names what the service does not let it delete', () =>
    withOther(
      { first: { DELETE: Array.from({ length: 60 }, () => ({ status: 500 })) } },
      async ({ blogUrl }) => {
        const { status, err } = await check([blogUrl, '--write', '--only', '4.12']);
        expect(status).toBe(0);
        expect(err).toMatch(/^warning: Not deleted: http:\S+\/articles\/5, .*\(DELETE: 500\)$/m);
        expect(err).toMatch(
          /^warning: Look for "blogctl check [0-9a-f]{8}" in titles and contents: what has it may be deleted, but for what was there before\.$/m,
        );
      },
    ));
});

describe('a service that dies in the middle', () => {
  it('is told with what was found until then, the request and the rule', async () => {
    const service = await startOtherService(titles);
    const { origin, blogUrl, requests } = service;
    const host = hostOf(['check', blogUrl, '--write']);
    const ended = main(host);
    while (requests.length < 80) await turn();
    await service.stop();
    expect(await ended).toBe(9);
    const { results, left, error } = JSON.parse(host.out());
    const told = results.map(({ outcome, what }: Line) => what ?? outcome);
    expect(told).toContain('held');
    expect(told).toContain('stopped before it');
    const warnings = host.err().match(/^warning: Not deleted: .*/gm) ?? [];
    expect(warnings).toHaveLength(1);
    expect(host.err()).toMatch(
      /^warning: Not known whether articles of this run are left: .*\/articles \(Nothing listens at /m,
    );
    for (const { url } of left) expect(warnings[0]).toContain(url);
    const [, number, curl] =
      /^ {2}not answered since ([\d.]+): (curl -i .*)$/m.exec(host.err()) ?? [];
    expect(host.err()).toContain(`error: Nothing listens at ${new URL(origin).host}.\n`);
    expect(curl).toContain(blogUrl);
    expect(host.err()).toMatch(/^hint: It answered until then: /m);
    expect(host.err()).not.toContain('check the address');
    expect(error.detail).toContain(`not answered since ${number}: curl -i `);
    const there = { number, outcome: 'skipped', what: 'stopped before it' };
    expect(results).toContainEqual(expect.objectContaining(there));
  }, 30_000);
});

it.each([
  ['tap', /^# not answered since [\d.]+: curl -i .*\nBail out! Nothing listens at .*\n$/m],
  ['md', /^Stopped: `Nothing listens at .*`\n\n`+ ?not answered since [\d.]+: curl -i .*`$/m],
])('a service that dies is told as %s with the rule and the request', async (format, wanted) => {
  const { blogUrl, requests, stop } = await startOtherService(titles);
  const host = hostOf(['check', blogUrl, '--format', format]);
  const ended = main(host);
  while (requests.length < 20) await turn();
  await stop();
  expect(await ended).toBe(9);
  expect(host.out()).toMatch(wanted);
});

describe('a first creation that is not answered', () => {
  const drops = { first: { POST: Array.from({ length: 9 }, () => 'drop-before' as const) } };

  it('is told by 4.12, is not sent again, and hides nothing that is read', () =>
    withOther(drops, async ({ blogUrl, requests }) => {
      const line = [blogUrl, '--write', '--format', 'junit', '-o', 'l.xml'];
      const { status, err } = await check(line);
      expect(status).toBe(11);
      expect(err).toContain('error: 1 rule of the interface is broken: 4.12.\n');
      const report = await readFile(join(folder, 'l.xml'), 'utf8');
      expect(report).toMatch(
        / name="4\.12 .*<failure message="expected an answer, got .*>curl .*POST/,
      );
      expect(report).toMatch(/ name="2\.17 [^>]*\/>/);
      expect(report).toMatch(
        / name="4\.15 .*<skipped message="4\.12 is broken, and it needs that"/,
      );
      expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    }));

  it('as the service died is told with the rule and the request; the file of -o is written', async () => {
    const service = await startOtherService(titles, drops);
    const host = hostOf(['check', service.blogUrl, '--write', '--format', 'junit', '-o', 'l.xml']);
    const ended = main(host);
    while (!service.requests.some(({ method }) => method === 'POST')) await turn();
    await service.stop();
    expect(await ended).toBe(9);
    expect(host.err()).toMatch(/^ {2}not answered since 4\.12: curl -i -X POST /m);
    const report = await readFile(join(folder, 'l.xml'), 'utf8');
    expect(report).toMatch(/ name="4\.11 [^>]*\/>/);
    expect(report).toMatch(
      /<testcase name="the whole run" .*<error message=".*">not answered since 4\.12: curl -i -X POST .*<\/error>/,
    );
  }, 30_000);
});

describe('a report of an earlier run', () => {
  const nobody = 'http://127.0.0.1:1/b';

  it.each([
    [[nobody, '--retries', '0'], 9, 'Nothing listens at 127.0.0.1:1.'],
    [[nobody, '--write'], 3, 'There is no token for http://127.0.0.1:1/b.'],
  ])('does not outlast one that failed: %j', async (line, wanted, message) => {
    await writeFile(join(folder, 'report.xml'), '<testsuites/>');
    const words = ['check', ...line, '--format', 'junit', '-o', 'report.xml', '--overwrite'];
    const env = { BLOGCTL_CONFIG_DIR: folder, BLOGCTL_DATA_DIR: folder };
    const host = givenHost(words, { folder, env });
    expect(await main(host)).toBe(wanted);
    expect(host.err()).toMatch(/^error: /);
    const report = await readFile(join(folder, 'report.xml'), 'utf8');
    expect(report).toContain(`<error message="${message}"/>`);
    expect(report).toMatch(/<testsuites tests="\d+" failures="0" errors="1" /);
  });

  it.each([
    [
      'json',
      /"error": \{\n {4}"code": "unreachable",\n {4}"message": "Nothing listens at 127\.0\.0\.1:1\."/,
    ],
    ['json', /"skipped": 66,\n {4}"notes": 23,/],
    ['json', /"outcome": "note",\n {6}"what": "cannot be seen from outside"/],
    ['tap', /^Bail out! Nothing listens at 127\.0\.0\.1:1\.$/m],
    ['md', /^Stopped: `Nothing listens at 127\.0\.0\.1:1\.`$/m],
  ])('as %s says what ended the run', async (format, wanted) => {
    const { status, out } = await check([nobody, '--retries', '0', '--format', format]);
    expect(status).toBe(9);
    expect(out).toMatch(wanted);
  });

  it('is gone as soon as anything is sent, so that a run that is killed leaves none', () =>
    withOther({}, async ({ blogUrl, requests }) => {
      const path = join(folder, 'report.json');
      await writeFile(path, 'earlier');
      const host = hostOf(['check', blogUrl, '-o', 'report.json', '--overwrite']);
      const ended = main(host);
      while (requests.length < 1) await turn();
      expect(existsSync(path)).toBe(false);
      expect(await ended).toBe(0);
      expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ blog: blogUrl });
    }));

  it('stays where a line is refused', async () => {
    const path = join(folder, 'report.json');
    await writeFile(path, 'earlier');
    const line = [nobody, '-o', 'report.json'];
    for (const words of [line, [...line, '--overwrite', '--only', '4.99']]) await check(words);
    expect(await readFile(path, 'utf8')).toBe('earlier');
  });

  it('is called .xml with --format junit', async () => {
    const { status, err } = await check([nobody, '-o', 'report.xml']);
    expect([status, err]).toEqual([
      2,
      expect.stringContaining('hint: Add --format junit to this line.'),
    ]);
  });

  it('is not shown on a terminal where nothing was looked at', async () => {
    const { out } = await check([nobody, '--retries', '0'], 80);
    expect(out).toBe('');
  });
});

it.each(['dies', 'is stopped by Ctrl-C'])(
  'a run that %s leaves what was judged in the file of -o',
  async (how) => {
    const service = await startOtherService(titles);
    const host = hostOf(['check', service.blogUrl, '--format', 'junit', '-o', 'die.xml']);
    const ended = main(host);
    while (service.requests.length < 20) await turn();
    if (how === 'dies') await service.stop();
    else host.signal('SIGINT');
    expect(await ended).toBe(how === 'dies' ? 9 : 130);
    if (how !== 'dies') await service.stop();
    const report = await readFile(join(folder, 'die.xml'), 'utf8');
    expect(report).toMatch(/<testcase name="2\.1 [^>]+\/>/);
    expect(report).toContain('<skipped message="stopped before it"/>');
    expect(await readdir(folder)).toEqual(['die.xml']);
  },
);

describe('a service of our own', () => {
  it.each([
    ['as it comes', {}],
    ['of a few requests a second', { rateLimit: '40/s' }],
    ['that only reads', { readOnly: true, ephemeral: false }],
    ['of small pages', { maxPageSize: 5 }],
  ])('%s keeps every rule', async (_name, options) => {
    const file = join(folder, 'blog.json');
    const common = { file, port: 0, host: '127.0.0.1', token, graceMs: 100 };
    if ('readOnly' in options) await (await serveFile(common)).stop();
    const server = await serveFile({ ...common, ...options });
    try {
      const { status, out, err } = await check([
        `${server.url}/api/v1.2/blogs/1`,
        '--write',
        '--json',
      ]);
      expect({ status, err }).toMatchObject({ status: 0 });
      expect(JSON.parse(out)).toMatchObject({ summary: { broken: 0 }, left: [] });
      expect(JSON.parse(out).summary.requests).toBeLessThan(410);
    } finally {
      await server.stop();
    }
  });
});

describe('a service whose links lead to another origin', () => {
  it('is broken, and the rules that need what is there are not checked', () =>
    withOther({ blogOrigin: 'http://elsewhere.invalid' }, async ({ blogUrl, articles }) => {
      for (const more of [[], ['--write']]) {
        const { status, out } = await check([blogUrl, ...more, '--format', 'md', '-q']);
        expect(status).toBe(11);
        expect(out.match(/^- \*\*[\d.]+/gm)).toEqual(['- **2.5', '- **2.6']);
        expect(out).toMatch(
          /Expected `a link to http:\/\/127\.0\.0\.1:\d+`, got `http:\/\/elsewhere\.invalid\S+, where --allow-origin http:\/\/elsewhere\.invalid goes`/,
        );
        expect(out).toMatch(/^- 1\.3 .*: `2\.6 is broken, and it needs that`$/m);
      }
      expect(articles.size).toBe(titles.length);
    }));

  it('is read there with --allow-origin; the token does not go there', () =>
    withOther({}, async (there) => {
      await withOther({ blogOrigin: there.origin }, async ({ blogUrl }) => {
        const line = [blogUrl, '--write', '--allow-origin', there.origin, '--json', '-q'];
        const { out } = await check([...line, '--only', '2.5,2.18,4.12']);
        expect(JSON.parse(out).results.map(({ outcome }: Line) => outcome)).toEqual([
          'held',
          'held',
          'skipped',
        ]);
      });
      expect(there.requests.filter(({ headers }) => 'x-access-token' in headers)).toEqual([]);
    }));
});

describe('--write', () => {
  it('touches no article that it did not make, whatever ids there are', () =>
    withOther({}, async ({ blogUrl, articles, requests }) => {
      for (const id of unlikelyIds.slice(0, 2)) articles.set(id, { title: 'Theirs', revision: 1 });
      const before = new Set(articles.keys());
      const { status } = await check([blogUrl, '--write', '--only', '4.16,7.6']);
      expect({ status, articles: new Set(articles.keys()) }).toEqual({
        status: 0,
        articles: before,
      });
      const changed = requests.filter(({ method }) => method === 'PUT' || method === 'DELETE');
      const ids = changed.map(({ path }) => Number(path.split('/').at(-1)));
      expect(ids.filter((id) => before.has(id))).toEqual([]);
    }));

  it('names no article that is deleted at the end in a line to be run again', () =>
    withOther({ first: { PUT: ['answer', { status: 202 }] } }, async ({ blogUrl }) => {
      const { out } = await check([blogUrl, '--write', '--only', '4.15', '--format', 'tap']);
      expect(out).toMatch(/^ {2}request: "curl -i -X PUT .*\/articles\/<id>'"$/m);
    }));

  it('says of a token that it was refused, and how to give another', () =>
    withOther({ token: 'another' }, async ({ blogUrl }) => {
      const { status, err } = await check([blogUrl, '--write']);
      expect(status).toBe(3);
      expect(err).toMatch(
        /^error: The token was refused \(HTTP 401\)\nhint: .*BLOGCTL_TOKEN or --token-file/m,
      );
    }));
});

describe('a run in which nothing was checked', () => {
  it.each([
    [['--only', '4.12'], 'needs --write', 'Add --write to this line'],
    [['--only', '3.1'], 'cannot be seen from outside', 'See to that first, or choose other'],
  ])('%j is no success', (line, reason, hint) =>
    withOther({}, async ({ blogUrl }) => {
      const { status, err } = await check([blogUrl, ...line]);
      expect(status).toBe(2);
      expect(err).toContain(`error: Nothing was checked: ${reason}.\nhint: ${hint}`);
    }),
  );
});

describe('what is told', () => {
  const left = { first: { DELETE: Array.from({ length: 60 }, () => ({ status: 500 })) } };

  it.each([
    ['md', /^Not deleted:\n\n- `http:\S+\/articles\/5`: `DELETE: 500`$/m],
    ['tap', /^# Not deleted: http:\S+\/articles\/5 \(DELETE: 500\)$/m],
    ['junit', /<system-err>Not deleted: http:\S+\/articles\/5 \(DELETE: 500\)<\/system-err>/],
    ['json', /"left": \[\n {4}\{\n {6}"url": "http:\S+\/articles\/5"/],
  ])('as %s has what is still there', (format, wanted) =>
    withOther(left, async ({ blogUrl }) => {
      const { out } = await check([blogUrl, '--write', '--only', '4.12', '--format', format]);
      expect(out).toMatch(wanted);
    }),
  );

  it('as JSON is counted by the outcomes of its results, and says what told it and when', () =>
    withOther({ announced: 99 }, async ({ blogUrl }) => {
      const { summary, results, at, version } = JSON.parse((await check([blogUrl])).out);
      const count = (outcome: string) =>
        results.filter((line: Line) => line.outcome === outcome).length;
      expect(summary).toMatchObject({
        rules: results.filter(({ kind }: { kind: string }) => kind === 'rule').length,
        held: count('held'),
        broken: 1,
        choices: count('choice'),
        skipped: count('skipped'),
        notes: count('note'),
      });
      expect(Date.parse(at)).toBeGreaterThan(0);
      const { out } = await check([blogUrl, '--format', 'md']);
      expect(out).toContain(`without writing; blogctl ${version}, ${at.slice(0, 10)})`);
      expect(out).toMatch(
        /^Not checked:\n\n(?:- .*\n)*- 7\.5: `takes a token of fewer rights: run blogctl check \S+ --write --only 7\.5 with one in BLOGCTL_TOKEN`$/m,
      );
      expect(out).toMatch(/^Checked in part:\n\n- .*: `only reads were tried`$/m);
    }));

  it('has what was checked in part under another heading than what was not', () =>
    withOther({}, async ({ blogUrl }) => {
      const { out } = await check([blogUrl, '--only', '2.1,4.10,4.12', '--format', 'table']);
      expect(out).toContain(
        'Checked in part\n  4.10: only reads were tried\n\nNot checked\n  4.12: needs --write\n\n',
      );
    }));

  it('names what an earlier run left that was killed, and the line that deletes it, and leaves it', () =>
    withOther({}, async ({ blogUrl, articles, requests }) => {
      const killed = { title: 'blogctl check 01234567, replaced', content: 'Left', revision: 1 };
      const quoting = { title: 'How to', content: 'Run blogctl check 01234567.', revision: 1 };
      for (const [at, article] of [killed, quoting].entries()) articles.set(91 + at, article);
      const { status, out, err } = await check([blogUrl, '--write', '--only', '4.16']);
      expect(status).toBe(0);
      const url = `${blogUrl}/articles/91`;
      const line = `blogctl articles delete 91 --blog ${blogUrl}`;
      expect(err).toContain(
        `warning: Of another run: ${url} (where that was killed, ${line} deletes what it left)\n`,
      );
      expect(JSON.parse(out).earlier).toMatchObject([{ url }]);
      expect(err.match(/Of another run/g)).toHaveLength(1);
      expect([...articles.values()]).toEqual(expect.arrayContaining([killed, quoting]));
      expect(requests.filter(({ path }) => path === new URL(url).pathname)).toEqual([]);
    }));

  it.each([
    ['csv', '2.18,rule,broken,'],
    ['tsv', '2.18\trule\tbroken\t'],
    ['ndjson', '{"number":"2.18",'],
    ['ids', '2.18'],
  ])('as %s has a line for each rule', (format, start) =>
    withOther({ announced: 99 }, async ({ blogUrl }) => {
      const { out } = await check([blogUrl, '--only', '2.1,2.18', '--format', format]);
      expect(out.split(/\r?\n/).filter((line) => /2\.1\b|2\.18/.test(line))).toEqual([
        expect.stringContaining('2.1'),
        expect.stringMatching(new RegExp(`^${start.replace(/[{.]/g, String.raw`\$&`)}`)),
      ]);
    }),
  );

  it('leads on by the flags of the line itself', () =>
    withOther({ announced: 99 }, async ({ blogUrl }) => {
      const [all, one] = [await check([blogUrl]), await check([blogUrl, '--only', '2.18'])];
      expect(all.err).toContain('hint: Add --only 2.18 -vvv to this line to see');
      expect(one.err).toContain('hint: Add -vvv to this line to see');
    }));

  it('leads on by all that are broken', () =>
    withOther({ plainHal: true, announced: 99 }, async ({ blogUrl }) => {
      expect((await check([blogUrl])).err).toContain('hint: Add --only 2.18,2.19,2.20 -vvv to');
    }));

  it('leads on by the sentence whose request broke the rule, too', () =>
    withOther({ noPatch: true }, async ({ blogUrl }) => {
      const all = await check([blogUrl, '--write']);
      expect(all.err).toContain('hint: Add --only 7.3,4.7 -vvv to this line to see');
      expect((await check([blogUrl, '--write', '--only', '7.3,4.7'])).status).toBe(11);
    }));

  const announced = { announced: 99 };

  it('has the sentence, the request as a curl line, what was expected and what came', () =>
    withOther(announced, async ({ blogUrl }) => {
      const { status, out, err } = await check([blogUrl, '--only', '2.18', '--no-color'], 80);
      expect(status).toBe(11);
      expect(out).toBe(
        `broken 2.18   A page's \`totalArticles\` counts the articles of the whole blog.
  request   curl -i -H 'Accept: application/hal+json' '${blogUrl}/articles?pageIndex=1&pageSize=1'
  expected  totalArticles: 4, as its pages show
  got       99

0 of 1 rules hold; 0 choices, 0 not checked; ${/\d+ requests in [\d.]+ s/.exec(out)?.[0]}.
`,
      );
      expect(err).toContain('error: 1 rule of the interface is broken: 2.18.\n');
    }));

  it('knows failures by a file, and says which hold again', () =>
    withOther(announced, async ({ blogUrl }) => {
      await writeFile(join(folder, 'known'), '2.18, 2.1 # they are slow to count\n\n');
      const line = [blogUrl, '--only', '2.1,2.18', '--allow', 'known'];
      const { status, out, err } = await check([...line, '--format', 'tap']);
      expect(status).toBe(0);
      expect(out).toMatch(/^not ok 2 - 2\.18 .* # TODO known$/m);
      expect(err).toContain('warning: 2.1 is known to be broken and holds again');
    }));

  it('says of a rule that was tried in part alone that it holds, and not that it holds again', () =>
    withOther({}, async ({ blogUrl }) => {
      await writeFile(join(folder, 'known'), '1.6\n4.9\n');
      const line = [blogUrl, '--allow', 'known', '--json'];
      const [read, whole] = [await check(line), await check([...line, '--write'])];
      const { results } = JSON.parse(read.out);
      expect(read.err).toMatch(/rules hold \(\d+ in part\); /);
      for (const number of ['1.6', '4.9']) {
        expect(results).toContainEqual(
          expect.objectContaining({ number, outcome: 'held', what: 'only reads were tried' }),
        );
        expect(read.err).not.toContain(`${number} is known`);
        expect(whole.err).toContain(`${number} is known to be broken and holds again`);
      }
    }));

  it.each([
    ['99\n', 'known, line 1: no sentence "99".', 'See blogctl check --list for the numbers.'],
    [
      '2.1\n2.1x\n',
      'known, line 2: no sentence "2.1x".',
      'See blogctl check --list for the numbers.',
    ],
    [
      '4.8 known since May\n',
      'known, line 1: no sentence "4.8 known since May".',
      'A note behind a number begins with #: 4.8 # known since May.',
    ],
  ])('refuses a list with a number that is none: %j', async (text, said, hint) => {
    await writeFile(join(folder, 'known'), text);
    const { status, err } = await check(['http://127.0.0.1:1/b', '--allow', 'known']);
    expect([status, ...err.split('\n').slice(0, 2)]).toEqual([
      7,
      `error: ${said}`,
      `hint: ${hint}`,
    ]);
  });

  it('is kept in the file of -o, though a rule is broken', () =>
    withOther(announced, async ({ blogUrl }) => {
      const line = [blogUrl, '--only', '2.18,2.1', '--format', 'junit', '-o', 'report.xml'];
      expect((await check(line)).status).toBe(11);
      const report = await readFile(join(folder, 'report.xml'), 'utf8');
      expect(report).toContain('<testsuites tests="2" failures="1" errors="0" skipped="0">');
      expect(report).toMatch(/<failure message="expected totalArticles: 4[^"]+got 99">curl /);
    }));

  it.each([
    ['report.tap', /^TAP version 14\n/],
    ['report.TAP', /^TAP version 14\n/],
    ['report.junit', /^<\?xml /],
    ['report.json', /^\{\n/],
    ['report.log', /^\{\n/],
  ])('is what the name of its file says: %s', (name, content) =>
    withOther({}, async ({ blogUrl }) => {
      expect((await check([blogUrl, '--only', '2.1', '-o', name])).status).toBe(0);
      expect(await readFile(join(folder, name), 'utf8')).toMatch(content);
    }),
  );

  it('lists the sentences without an address', async () => {
    const { status, out } = await check(['--list', '--only', '4']);
    expect(status).toBe(0);
    expect(out.split('\n')).toHaveLength(21);
    expect(out).toMatch(/^4\.1\trule\t--write\tCreating an article/);
  });

  it('never has the token', () =>
    withOther({ announced: 99, token: 'another' }, async ({ blogUrl }) => {
      const { status, out, err } = await check([blogUrl, '--write', '-vvv']);
      expect(status).toBe(3);
      expect(out + err).not.toContain(token);
    }));
});

describe('--retries', () => {
  it.each([
    ['0', 1],
    ['2', 3],
  ])('%s sends what is not answered %i times', (retries, times) =>
    withOther(
      { first: { GET: ['drop-before', 'drop-before', 'drop-before', 'drop-before'] } },
      async (service) => {
        const { status } = await check([service.blogUrl, '--retries', retries]);
        expect({ status, sent: service.requests.length }).toEqual({ status: 9, sent: times });
      },
    ),
  );
});

it('the blog that BLOGCTL_BLOG names is checked without an address', () =>
  withOther({}, async ({ blogUrl }) => {
    const env = { BLOGCTL_BLOG: blogUrl, BLOGCTL_CONFIG_DIR: folder, BLOGCTL_DATA_DIR: folder };
    const host = givenHost(['check', '--only', '2.1', '--json'], { folder, env });
    expect(await main(host)).toBe(0);
    expect(JSON.parse(host.out())).toMatchObject({ blog: blogUrl, summary: { held: 1 } });
  }));

describe('what cannot be checked', () => {
  it.each([
    [[], 2, 'No service is named.'],
    [['localhost:8080'], 2, '"localhost:8080" is not the address of a blog.'],
    [['file:blog.json'], 2, 'A store file is no service.'],
    [['http://127.0.0.1:1/b', '--blog', 'http://127.0.0.1:1/c'], 2, 'Two blogs are named'],
    [['http://127.0.0.1:1/b', '--retries', '0'], 9, 'Nothing listens at 127.0.0.1:1.'],
    [['http://127.0.0.1:1/b', '--only', '4.99'], 2, 'The interface has no sentence 4.99.'],
  ])('%j', async (words, wanted, said) => {
    const { status, err } = await check(words);
    expect([status, err.split('\n')[0]]).toEqual([wanted, expect.stringContaining(said)]);
  });

  it('is a page, an article or a path without anything', () =>
    withOther({}, async ({ blogUrl, origin }) => {
      const page = await check([`${blogUrl}/articles`]);
      expect([page.status, page.err]).toEqual([9, expect.stringContaining('is no blog')]);
      expect(page.err).toContain(`hint: Try ${blogUrl} instead.`);
      const article = await check([`${blogUrl}/articles/1`]);
      expect([article.status, article.err]).toEqual([
        9,
        expect.stringContaining(`Try ${blogUrl} instead.`),
      ]);
      expect((await check([`${origin}/typo`])).status).toBe(5);
    }));

  const wanted = 'The address must be that of a blog: https://host/api/v1.2/blogs/1, for example.';

  it.each([
    ['a host alone', ({ origin }) => origin, () => wanted],
    ['a host and a slash', ({ origin }) => `${origin}/`, () => wanted],
    [
      'a slash too many',
      ({ blogUrl }) => `${blogUrl}/`,
      ({ blogUrl }) => `Leave out the slash at its end: ${blogUrl}. ${wanted}`,
    ],
    ...['', '/'].map((slash): [string, Named, Named] => [
      `that of all blogs${slash}`,
      ({ origin }) => `${origin}/api/v1.2/blogs${slash}`,
      ({ origin }) => `Name one of its blogs: ${origin}/api/v1.2/blogs/1, for example.`,
    ]),
    [
      'one beneath a blog',
      ({ blogUrl }) => `${blogUrl}/nothing`,
      ({ blogUrl }) => `Try ${blogUrl} instead. ${wanted}`,
    ],
  ] satisfies [string, Named, Named][])(
    'is %s, and the hint says what is wanted',
    (_name, at, hint) =>
      withOther({}, async (service) => {
        for (const words of [
          ['check', at(service)],
          ['articles', 'list', '--blog', at(service)],
        ]) {
          const host = hostOf(words);
          expect(await main(host)).toBe(5);
          expect(host.err()).toContain(`\nhint: ${hint(service)}\n`);
        }
      }),
  );
});
