import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusal } from '../../src/client/refusals.ts';
import { type Manners, type OtherService, startOtherService } from '../support/other-service.ts';
import { raw, startRawServer, type RawServer } from '../support/raw-server.ts';
import { run } from '../support/run.ts';

/** What can go wrong, and what a person is told: the message, the exit status, the next step. */
type Failure = readonly [
  line: string | readonly string[],
  status: number,
  message: string,
  hint: string,
  given?: Given,
];

type Given = Manners & {
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Bytes that answer every request. */
  readonly bytes?: string;
};

const first = (status: number, method = 'GET'): Given => ({ first: { [method]: [{ status }] } });
const web = raw('HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 15', '<!doctype html>');
const other = raw(
  'HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 10',
  '{"id":"x"}',
);
const away = raw('HTTP/1.1 302 Found\nLocation: http://elsewhere.test/\nContent-Length: 0');
const problem = (status: number, words: object): Given => {
  const body = JSON.stringify(words);
  const head = `HTTP/1.1 ${status} -\nContent-Type: application/problem+json`;
  return { bytes: raw(`${head}\nContent-Length: ${body.length}`, body) };
};
const create = ['articles', 'create', '--title', 'T', '--content', 'C'];

const failures: readonly Failure[] = [
  // the command line
  ['artcles list', 2, "unknown command 'artcles'", 'Run `blogctl articles list`.'],
  ['articles lst', 2, "unknown command 'lst'", 'Run `blogctl articles list`.'],
  [
    'articles list --limt 3',
    2,
    "unknown option '--limt'",
    'Run `blogctl articles list --limit 3`.',
  ],
  [
    'articles list --limit none',
    2,
    "option '-L, --limit <n>' argument 'none' is invalid. It must be a whole number, 1 or more.",
    'Write `blogctl articles list --limit <n>`: at most so many articles.',
  ],
  [
    'articles list --format xml',
    2,
    "option '--format <format>' argument 'xml' is invalid.",
    'Run `blogctl articles list --format json`.\n',
  ],
  [
    'articles get',
    2,
    "missing required argument 'article'",
    'Write `blogctl articles get <article...>`: id, URL, or - for one a line on stdin; `blogctl articles list` shows them.',
  ],
  [
    'articles import http://b.test/feed.xml',
    7,
    'No file or folder "http://b.test/feed.xml".',
    'Send it to stdin, and name - instead of it: behind `curl -sSf http://b.test/feed.xml |`.',
  ],
  [
    'articles import true --dry-run',
    7,
    'No file or folder "true".',
    'A flag such as --dry-run stands alone: leave out "true".',
  ],
  [
    'articles import false --drafts',
    7,
    'No file or folder "false".',
    'A flag such as --drafts says yes by itself: leave it out, with its "false".',
  ],
  [
    'articles get one',
    2,
    'An article is named by its id, its absolute URL or file:blog.json#7.',
    'Run `blogctl articles list --search one',
  ],
  ['articles get 1 --field titel', 2, 'There is no field "titel".', 'It is called title.'],
  [
    'articles get 1 --field author',
    2,
    'There is no field "author".',
    'The fields are id, title, content, url',
  ],
  [
    'articles list --blog here',
    2,
    "argument 'here' is invalid. Write it as https://host/api/v1.2/blogs/1 or file:blog.json.",
    'There is no profile of that name: `blogctl profile list` shows those there are.',
  ],
  [
    'articles list --blog file:',
    2,
    'No file is named after "file:".',
    'Name one with --blog file:posts.json, for example.',
  ],
  [
    'articles list --profile none',
    2,
    'There is no profile "none" (--profile).',
    'See blogctl profile list',
  ],
  [
    'articles create --content x',
    2,
    'An article needs a title.',
    'Give --title <text>, or --from-file',
  ],
  ['articles update 1', 2, 'Nothing is given to change in article 1.', 'Give --title'],
  [
    'articles update 1 --replace --content x',
    2,
    '--replace needs the title as well.',
    'Give --title, or leave --replace out',
  ],
  [
    'articles get http://elsewhere.test/1',
    2,
    'http://elsewhere.test/1 is not an article of',
    'Name the blog it belongs to with --blog',
  ],
  [
    'articles delete 1',
    2,
    'Nobody can be asked here: Delete article 1 "One" of http://',
    'Give -y to answer yes beforehand.',
  ],
  [
    'articles delete 1 2 --if-match "x" -y',
    2,
    '--if-match goes with one article, not several.',
    'Each article has an ETag of its own',
  ],
  [
    'config set timeout soon',
    2,
    '"soon" is no value for timeout (config set).',
    'Write a duration as 500ms',
  ],
  ['help nothing', 2, 'There is no help on "nothing".', 'See blogctl help for the commands'],
  [
    'articles list',
    2,
    'No blog is named, and in CI none is assumed.',
    'Name one with --blog <url|file:path> or BLOGCTL_BLOG.',
    { env: { CI: '1', BLOGCTL_BLOG: '' } },
  ],
  [
    'auth login http://blog.test/',
    2,
    'Nobody can be asked for the token here.',
    'Give --token-file <file>',
  ],
  [
    'auth login file:x.json',
    2,
    'A store file needs no login.',
    'Use it with --blog file:x.json as it is.',
  ],
  // files and what they hold
  [
    'articles create --title T --content-file no.md',
    7,
    'no.md cannot be read.',
    'Name a file, or - for stdin.',
  ],
  [
    'articles create --title T --content-file bad.md',
    7,
    'bad.md is not UTF-8: byte 2 (line 2).',
    'Convert it to UTF-8 first',
  ],
  [
    'articles create --from-file number.json',
    7,
    'The title in number.json is not a string but 7.',
    'An article is {"title": "…", "content": "…"}.',
  ],
  [
    'articles create --from-file -',
    7,
    'stdin has a member "titel" that an article does not have.',
    'An article is',
    { stdin: '{"titel":"T"}' },
  ],
  [
    'articles create --from-file bare.md',
    7,
    'bare.md has no title in its front matter.',
    'Begin it with a line ---, a line "title: …" and a line ---; create and update also take --title.',
  ],
  [
    'articles list --token-file no.txt',
    7,
    'The token file no.txt cannot be read.',
    'Name a file that holds the token and nothing else.',
  ],
  ['articles list --blog file:bare.md', 7, 'bare.md', '', {}],
  [
    'articles list -o number.json',
    6,
    'number.json is there already.',
    'Name another file, or give --overwrite.',
  ],
  [
    'articles list -o no/x.json',
    7,
    'no/x.json cannot be written.',
    'Name a file in a folder that is there',
  ],
  // the service and the way to it
  [
    'articles list --blog http://127.0.0.1:1/ --retries 0',
    9,
    'Nothing listens at 127.0.0.1:1.',
    'Start the service, or check the address of the blog.',
  ],
  [
    'articles list',
    9,
    'No HAL representation came from',
    'The address must be that of a blog',
    { bytes: web },
  ],
  ['articles list', 9, 'is not a blog.', 'The address must be that of a blog', { bytes: other }],
  [
    'articles list',
    9,
    'Redirected to http://elsewhere.test/, which is not followed',
    'If you trust that place, allow it with --allow-origin http://elsewhere.test, or use it as the address: --blog <url>.',
    { bytes: away },
  ],
  [
    'articles list',
    9,
    'Redirected to http://a;{touch,b}',
    "If you trust that place, allow it with --allow-origin 'http://a;{touch,b};c', or",
    { bytes: raw('HTTP/1.1 302 Found\nLocation: http://a;{touch,b};c/\nContent-Length: 0') },
  ],
  [
    'articles list --retries 0',
    9,
    'sent is not a whole HTTP answer.',
    'Check the address of the blog',
    { bytes: '220 mail\r\n\r\n' },
  ],
  [
    'blog',
    5,
    'There is no blog at ',
    'The address must be that of a blog',
    { bytes: 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n' },
  ],
  ['articles get 99', 5, 'not found (HTTP 404)', 'See blogctl articles list for what is there.'],
  [
    'articles get 1',
    5,
    'was there and has been deleted (HTTP 410)',
    'See blogctl articles list for what is there; what articles delete or sync apply took is in blogctl runs list where they ran, what api took is in none.',
    first(410),
  ],
  [
    'articles get 1',
    3,
    'a token is needed (HTTP 401)',
    'A token goes with changes alone',
    first(401),
  ],
  ['articles get 1', 3, ': not allowed (HTTP 403)', 'A token goes with changes alone', first(403)],
  [
    'articles create --title T --content c',
    3,
    'a token is needed (HTTP 401)',
    'Store a token for ',
    { ...first(401, 'POST'), env: { BLOGCTL_TOKEN: '' } },
  ],
  [
    'articles create --title T --content c',
    3,
    'this token may not do that (HTTP 403)',
    'Use a token with that right',
    first(403, 'POST'),
  ],
  [
    'articles get 1',
    7,
    'cannot answer in application/hal+json (HTTP 406)',
    'Check the address of the blog: what answers there is no blog service.',
    first(406),
  ],
  [
    ['api', '-H', 'Accept: text/html'],
    7,
    'the service cannot answer in text/html: Only hal (HTTP 406)',
    'Leave the Accept out',
    problem(406, { detail: 'Only hal.', code: 'not-acceptable' }),
  ],
  [
    'api',
    5,
    'weblog: There is no article 7 (HTTP 404)',
    'See blogctl articles list',
    problem(404, { detail: 'There is no article 7.', code: 'not-found' }),
  ],
  [
    'api',
    5,
    'weblog: Article 7 was deleted (HTTP 410)',
    'See blogctl articles list',
    problem(410, { title: 'This was deleted', detail: 'Article 7 was deleted.', code: 'gone' }),
  ],
  [
    'api',
    5,
    'weblog: not found: Nope (HTTP 404)',
    'See blogctl articles list',
    problem(404, { title: 'Not Found', detail: 'Nope.' }),
  ],
  [
    'api',
    5,
    'weblog: Not Found (HTTP 404)',
    'See blogctl articles list',
    problem(404, { title: 'Not Found' }),
  ],
  [
    'api',
    5,
    'weblog: not found: This was deleted (HTTP 404)',
    'See blogctl articles list',
    problem(404, { title: 'This was deleted', code: 'gone' }),
  ],
  [
    create,
    6,
    'in conflict with the present state (HTTP 409)',
    'See with -vvv what was sent and answered.',
    first(409, 'POST'),
  ],
  [
    'articles update 1 --title X',
    6,
    'changed since it was read (HTTP 412)',
    'See it as it is now with blogctl articles get; repeat the change, or overwrite it without that condition (blogctl articles update --force).',
    first(412, 'PUT'),
  ],
  [
    'articles update 1 --title X',
    9,
    'No HAL representation came from ',
    'It may have been done all the same: look with blogctl articles get ',
    { first: { PUT: [{ status: 200, headers: { 'content-type': 'text/html' }, body: '<' }] } },
  ],
  [
    'articles delete 1 -y',
    6,
    'changed since it was read (HTTP 412)',
    'See it as it is now with blogctl articles get; the same line, without an --if-match that it may have, deletes it as it is then.',
    first(412, 'DELETE'),
  ],
  [
    create,
    7,
    'understood, but not valid (HTTP 422)',
    'See with -vvv what was sent and answered.',
    first(422, 'POST'),
  ],
  [
    create,
    7,
    'understood, but not valid: Too\\x1blong (HTTP 422)',
    'Mend what is named above and send it again.',
    { first: { POST: [{ status: 422, body: { message: 'Too\u001blong' } }] } },
  ],
  [
    'articles update 1 --title X',
    6,
    'locked (HTTP 423)',
    'Its operator has locked it; of a store of your own, blogctl store unlock --article 1 --on-blog 9 --store <store> opens the article, blogctl store unlock --on-blog 9 --store <store> opens the blog.',
    first(423, 'PUT'),
  ],
  ...(
    [
      ['This blog is locked', '--on-blog 9 --store <store> opens the blog.'],
      ['This article is locked', '--article 1 --on-blog 9 --store <store> opens the article.'],
    ] as const
  ).map(([detail, line]): Failure => [
    'articles update 1 --title X',
    6,
    detail,
    `Its operator has locked it; of a store of your own, blogctl store unlock ${line}`,
    { first: { PUT: [{ status: 423, body: { detail: `${detail}.` } }] } },
  ]),
  [
    'articles update 1 --title X',
    6,
    'This service is for reading only',
    'Make the change at a service that is not for reading only',
    { first: { PUT: [{ status: 423, body: { detail: 'This service is for reading only.' } }] } },
  ],
  [
    'articles delete 1 -y',
    6,
    'depends on another action that failed (HTTP 424)',
    'See to that action first',
    first(424, 'DELETE'),
  ],
  [
    'articles list --retries 0',
    8,
    'too many requests (HTTP 429)',
    'Try again later, or with more --retries.',
    first(429),
  ],
  [
    'articles list --retries 0',
    9,
    'the service failed (HTTP 500)',
    'Try again later; -v shows the exchange.',
    first(500),
  ],
  [create, 9, 'the service has no room left (HTTP 507)', 'Try again later', first(507, 'POST')],
  [
    create,
    9,
    'No answer from',
    'It may have been created all the same',
    { first: { POST: ['drop-after-commit'] } },
  ],
];

const named = failures.map((failure) => {
  const [line, status, message] = failure;
  return { name: `${String(line)} ends with ${status}: ${message}`, failure };
});

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'blogctl-failures-'));
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'bad.md'), Buffer.from([0x61, 0x0a, 0xff]));
  writeFileSync(join(folder, 'bare.md'), '---\nnothing: here\n---\ntext');
  writeFileSync(join(folder, 'number.json'), '{"title": 7}');
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('every failure says what, with the value, and the next step', () => {
  it.each(named)('$name', async ({ failure }) => {
    const [line, status, message, hint, given = {}] = failure;
    const service = await serviceFor(given);
    const words = typeof line === 'string' ? line.split(' ') : line;
    const env = {
      BLOGCTL_BLOG: service.blogUrl,
      BLOGCTL_TOKEN: 'right-token',
      BLOGCTL_CONFIG_DIR: join(folder, 'config'),
      ...given.env,
    };
    const stdin = given.stdin === undefined ? {} : { stdin: given.stdin };
    const ended = await run(words, { env, folder, ...stdin });
    await service.stop();
    const said = ended.err.split('\n').find((each) => each.startsWith('error: ')) ?? ended.err;
    const advised = ended.err.split('\n').find((each) => each.startsWith('hint: ')) ?? '';
    expect(said).toContain(message);
    expect(advised).toContain(`hint: ${hint}`.trimEnd());
    expect([ended.status, ended.out]).toEqual([status, '']);
  });

  it('of which there are more than forty', () => {
    expect(failures.length).toBeGreaterThan(40);
  });
});

async function serviceFor(given: Given): Promise<Pick<OtherService, 'blogUrl' | 'stop'>> {
  const { bytes } = given;
  if (bytes === undefined) return startOtherService(['One', 'Two'], given);
  const server: RawServer = await startRawServer((socket) => socket.write(bytes));
  return { blogUrl: `${server.url}/weblog`, stop: () => server.stop() };
}

it('a token that is lacking is asked for as the command takes one, not as a request does', () => {
  const url = 'https://b.test/api/v1.2/blogs/1/articles';
  const words = { code: 'anonymous', detail: 'Send a token in the header X-Access-Token.' };
  const body = Buffer.from(JSON.stringify(words));
  const { message, hint } = refusal(
    { method: 'POST', url, headers: {} },
    { status: 401, headers: {}, body },
  );
  expect([message, hint]).toEqual([
    `Creating at ${url}: a token is needed.`,
    'Store a token for https://b.test with blogctl auth login https://b.test/api/v1.2/blogs/1; BLOGCTL_TOKEN or --token-file gives one for once.',
  ]);
});
