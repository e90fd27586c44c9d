import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { raw } from './raw-server.ts';

/** Where a hostile service stands: its blog, and another origin that is none of its business. */
export type Places = { readonly origin: string; readonly blog: string; readonly elsewhere: string };

/** Bytes to write, or what to do with the connection. */
export type Answer = (places: Places) => string | Buffer | ((socket: Socket) => void);

export type Behaviour = {
  /** After "a service that". */
  readonly name: string;
  /** The command; default `articles list`. */
  readonly line?: readonly string[];
  readonly timeoutMs: number;
  /** Its command ends by that time alone. */
  readonly isSilent: boolean;
  readonly status: number;
  /** In what the command says on stderr. */
  readonly says: RegExp;
  /** To `root`, `page`, `article`, or a method that changes something; the rest is answered well. */
  readonly answers: Readonly<Partial<Record<Asked, Answer>>>;
};

export type Asked = 'root' | 'page' | 'article' | 'POST' | 'PUT' | 'DELETE';

/** Bytes, not a text: that would be turned into them at each write. */
const long = Buffer.alloc(64 * 1024, 'x');
const longChunk = Buffer.concat([Buffer.from('10000\r\n'), long, Buffer.from('\r\n')]);

/** Writes as fast as it is read, without end. */
export function endless(head: string, piece: string | Buffer): (socket: Socket) => void {
  return (socket) => {
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on('drain', more);
    socket.write(head);
    more();
  };
}

/** Writes a little every few milliseconds, without end. */
export function dripping(head: string, piece: string): (socket: Socket) => void {
  return (socket) => {
    socket.write(head);
    const timer = setInterval(() => socket.write(piece), 10);
    socket.on('close', () => clearInterval(timer));
  };
}

function closing(bytes: string | Buffer): (socket: Socket) => void {
  return (socket) => void socket.end(bytes);
}

const json = 'HTTP/1.1 200 OK\nContent-Type: application/hal+json';

/** A whole answer with a body of the right length. */
export function whole(body: unknown, status = '200 OK', fields = ''): Buffer {
  const bytes =
    body instanceof Buffer
      ? body
      : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const head = `HTTP/1.1 ${status}\nContent-Type: application/hal+json\nContent-Length: ${bytes.length}${fields && `\n${fields}`}`;
  return Buffer.concat([Buffer.from(raw(head), 'latin1'), bytes]);
}

export function blogBody({ blog }: Places, more: object = {}, collection = `${blog}/articles`) {
  const links = { self: { href: blog }, 'doc:articles': { href: collection } };
  return { id: 1, title: 'B', description: '', _links: links, ...more };
}

export function articleBody({ blog }: Places, more: object = {}) {
  return {
    id: 1,
    title: 'T',
    content: 'C',
    _links: { self: { href: `${blog}/articles/1` } },
    ...more,
  };
}

export function pageBody(places: Places, more: object = {}) {
  const figures = { pageIndex: 1, pageSize: 1, totalPages: 1, totalArticles: 1 };
  return { ...figures, _link: {}, _embedded: [articleBody(places)], ...more };
}

const linkedTo = (collection: (places: Places) => string): Behaviour['answers'] => ({
  root: (places) => whole(blogBody(places, {}, collection(places))),
});
const nextPage = (href: (places: Places) => string, more: object = {}): Behaviour['answers'] => ({
  page: (places) =>
    whole(
      pageBody(places, {
        totalPages: 9,
        totalArticles: 9,
        _link: { nextPage: { href: href(places) } },
        ...more,
      }),
    ),
});
const moved =
  (location: (places: Places) => string, status = '302 Found'): Answer =>
  (places) =>
    whole('', status, `Location: ${location(places)}`);
const problem =
  (status: string, body: unknown, fields = ''): Answer =>
  () =>
    whole(body, status, fields);

const create = ['articles', 'create', '--title', 'Secret title', '--content', 'Secret content'];
const update = ['articles', 'update', '1', '--title', 'Secret title'];
const erase = ['articles', 'delete', '1', '-y'];
const get = ['articles', 'get', '1'];
const noEnd = () => `?${Math.random()}`;

const silence = /No answer from 127\.0\.0\.1:\d+ within 0\.4 s\./;
const late = /The answer of 127\.0\.0\.1:\d+ was not whole within 0\.4 s\./;
const tooLong = /The answer of 127\.0\.0\.1:\d+ is longer than 64 MB\./;
const notHttp = /What 127\.0\.0\.1:\d+ sent is not a whole HTTP answer\./;
const noAnswer = /No answer from 127\.0\.0\.1:\d+\.|is not a whole HTTP answer/;
const notHal = /No HAL representation came from/;
const leads = /A link of http:\/\/127\.0\.0\.1:\d+ is no address of HTTP: file:/;
const other =
  /leads to another origin: http:\/\/127\.0\.0\.1:\d+[^]*hint: .*--allow-origin http:\/\/127\.0\.0\.1:\d+/;
const saved = /another origin: [^]*hint: The article was saved all the same\. .*--allow-origin/;
const noHttp = /A link of http:\/\/127\.0\.0\.1:\d+ is no address of HTTP: /;
const notFollowed = /Redirected to .*, which is not followed/;

/** A row: name, status, what is said, answers, command. */
type Row = readonly [string, number, RegExp, Behaviour['answers'], (readonly string[])?];

const time: readonly Row[] = [
  ['says nothing', 9, silence, { root: () => () => {} }],
  ['closes the connection', 9, noAnswer, { root: () => (socket) => void socket.destroy() }],
  ['stops in its status line', 9, silence, { root: () => 'HTTP/1.1 2' }],
  ['stops in its header', 9, silence, { root: () => 'HTTP/1.1 200 OK\r\nContent-Type: app' }],
  [
    'sends its header drop by drop',
    9,
    silence,
    { root: () => dripping('HTTP/1.1 200 OK\r\nX: ', 'x') },
  ],
  ['sends its body drop by drop', 9, late, { root: () => dripping(raw(json), ' ') }],
  [
    'sends its chunks drop by drop',
    9,
    late,
    { root: () => dripping(raw(`${json}\nTransfer-Encoding: chunked`), '1\r\n \r\n') },
  ],
  [
    'sends a chunk extension drop by drop',
    9,
    late,
    { root: () => dripping(raw(`${json}\nTransfer-Encoding: chunked`, '1;'), 'x') },
  ],
  [
    'sends its trailers drop by drop',
    9,
    late,
    { root: () => dripping(raw(`${json}\nTransfer-Encoding: chunked`, '0\r\nX: '), 'x') },
  ],
  ['stops in its body', 9, late, { root: () => raw(`${json}\nContent-Length: 100`, '{"id"') }],
  [
    'stops before its last chunk',
    9,
    late,
    { root: () => raw(`${json}\nTransfer-Encoding: chunked`, '2\r\n{}\r\n') },
  ],
  [
    'sends interim answers drop by drop',
    9,
    silence,
    { root: () => dripping('', 'HTTP/1.1 103 Early Hints\r\nX: ') },
  ],
  ['stops in a page', 9, late, { page: () => raw(`${json}\nContent-Length: 100`, '{"id"') }],
  [
    'stops in an article',
    9,
    late,
    { article: () => raw(`${json}\nContent-Length: 100`, '{') },
    get,
  ],
  [
    'stops in its answer to a creation',
    9,
    /not whole within[^]*may have been created/,
    { POST: () => raw('HTTP/1.1 201 Created\nContent-Length: 100', '{') },
    create,
  ],
  ['says nothing to a change', 9, silence, { PUT: () => () => {} }, update],
  ['says nothing to a deletion', 9, silence, { DELETE: () => () => {} }, erase],
  [
    'announces a body after 204 and sends it drop by drop',
    0,
    /^$/,
    { DELETE: () => dripping(raw('HTTP/1.1 204 No Content\nContent-Length: 99'), ' ') },
    erase,
  ],
];

const length: readonly Row[] = [
  ['sends a body without an end', 9, tooLong, { root: () => endless(raw(json), long) }],
  [
    'sends chunks without an end',
    9,
    tooLong,
    { root: () => endless(raw(`${json}\nTransfer-Encoding: chunked`), longChunk) },
  ],
  [
    'sends a page without an end',
    9,
    tooLong,
    { page: () => endless(raw(json), long) },
    ['articles', 'list', '--page', '1'],
  ],
  ['sends an article without an end', 9, tooLong, { article: () => endless(raw(json), long) }, get],
  [
    'sends a problem without an end',
    9,
    tooLong,
    { root: () => endless(raw('HTTP/1.1 500 Oh'), long) },
  ],
  [
    'answers a creation without an end',
    9,
    /longer than 64 MB[^]*may have been created/,
    { POST: () => endless(raw('HTTP/1.1 201 Created'), long) },
    create,
  ],
  [
    'answers a deletion without an end',
    9,
    tooLong,
    { DELETE: () => endless(raw('HTTP/1.1 200 OK'), long) },
    erase,
  ],
  [
    'announces a terabyte',
    9,
    tooLong,
    { root: () => raw(`${json}\nContent-Length: 1000000000000`, '{') },
  ],
  [
    'sends header fields without an end',
    9,
    notHttp,
    { root: () => endless('HTTP/1.1 200 OK\r\n', `X-${'y'.repeat(60)}: z\r\n`) },
  ],
  [
    'sends a header field without an end',
    9,
    notHttp,
    { root: () => endless('HTTP/1.1 200 OK\r\nX: ', long) },
  ],
  ['sends a reason without an end', 9, tooLong, { root: () => endless('HTTP/1.1 200 ', long) }],
  [
    'sends trailers without an end',
    9,
    /not a whole HTTP answer|not whole within/,
    {
      root: () =>
        endless(raw(`${json}\nTransfer-Encoding: chunked`, '0\r\n'), `X-${'y'.repeat(60)}: z\r\n`),
    },
  ],
  [
    'sends a chunk extension without an end',
    9,
    tooLong,
    { root: () => endless(raw(`${json}\nTransfer-Encoding: chunked`, '1;'), long) },
  ],
  [
    'sends interim answers without an end',
    9,
    /sends interim answers \(1xx\) without end, and no answer\./,
    { root: () => endless('', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n') },
  ],
  [
    'says continue without an end',
    9,
    noAnswer,
    { POST: () => endless('', 'HTTP/1.1 100 Continue\r\n\r\n') },
    create,
  ],
  [
    'compresses gigabytes into little',
    9,
    /gzip, which was not asked for/,
    { root: () => whole(gzipSync(Buffer.alloc(1 << 24)), '200 OK', 'Content-Encoding: gzip') },
  ],
  [
    'says that it compressed',
    9,
    /br, which was not asked for/,
    { root: () => whole('\u0001\u0002', '200 OK', 'Content-Encoding: br') },
  ],
];

const framing: readonly Row[] = [
  [
    'names two lengths',
    9,
    notHttp,
    { root: () => raw(`${json}\nContent-Length: 2\nContent-Length: 3`, '{}') },
  ],
  [
    'names a length and sends chunks',
    9,
    notHttp,
    {
      root: () =>
        raw(`${json}\nContent-Length: 2\nTransfer-Encoding: chunked`, '2\r\n{}\r\n0\r\n\r\n'),
    },
  ],
  [
    'names a length of words',
    9,
    notHttp,
    { root: () => raw(`${json}\nContent-Length: two`, '{}') },
  ],
  [
    'names a length beyond all numbers',
    9,
    notHttp,
    { root: () => raw(`${json}\nContent-Length: 99999999999999999999999`, '{}') },
  ],
  ['names a negative length', 9, notHttp, { root: () => raw(`${json}\nContent-Length: -2`, '{}') }],
  [
    'sends less than it announced',
    9,
    /broke off before its end/,
    { root: () => closing(raw(`${json}\nContent-Length: 99`, '{}')) },
  ],
  [
    'ends without a last chunk',
    9,
    /broke off before its end/,
    { root: () => closing(raw(`${json}\nTransfer-Encoding: chunked`, '2\r\n{}\r\n')) },
  ],
  [
    'sends a chunk of a size that is none',
    9,
    notHttp,
    { root: () => raw(`${json}\nTransfer-Encoding: chunked`, 'zz\r\n{}\r\n') },
  ],
  [
    'sends a chunk larger than its size',
    9,
    notHttp,
    { root: () => raw(`${json}\nTransfer-Encoding: chunked`, '1\r\n{}{}\r\n0\r\n\r\n') },
  ],
  [
    'sends a chunk beyond all numbers',
    9,
    notHttp,
    { root: () => raw(`${json}\nTransfer-Encoding: chunked`, 'fffffffffffffffff\r\n{}') },
  ],
  ['sends no header', 9, notHttp, { root: () => closing('{"id":1}') }],
  ['speaks HTTP/2', 9, notHttp, { root: () => Buffer.from([0, 0, 18, 4, 0, 0, 0, 0, 0]) }],
  ['speaks TLS', 9, notHttp, { root: () => Buffer.from([21, 3, 3, 0, 2, 2, 40]) }],
  ['speaks SSH', 9, notHttp, { root: () => 'SSH-2.0-OpenSSH_9.6\r\n' }],
  [
    'answers with a status of four digits',
    9,
    notHttp,
    { root: () => raw('HTTP/1.1 2000 OK\nContent-Length: 0') },
  ],
  [
    'switches protocols',
    9,
    noAnswer,
    { root: () => raw('HTTP/1.1 101 Switching Protocols\nUpgrade: x\nConnection: Upgrade') },
  ],
  [
    'sends an escape in a field',
    9,
    notHttp,
    { root: () => raw(`${json}\nX: \u001b[2J\nContent-Length: 2`, '{}') },
  ],
  [
    'sends a field name with a NUL',
    9,
    notHttp,
    { root: () => raw(`${json}\nX\u0000Y: 1\nContent-Length: 2`, '{}') },
  ],
];

const documents: readonly Row[] = [
  ['answers nothing', 9, notHal, { root: () => whole('') }],
  ['answers 204 to a read', 9, notHal, { root: () => raw('HTTP/1.1 204 No Content') }],
  [
    'answers 304 to a read',
    9,
    /an answer that is not understood/,
    { root: () => raw('HTTP/1.1 304 Not Modified') },
  ],
  ['answers a page of the web', 9, notHal, { root: () => whole('<!doctype html>') }],
  [
    'answers what is not UTF-8',
    9,
    /what is not UTF-8/,
    { root: () => whole(Buffer.from([0x7b, 0xff, 0xfe, 0x7d])) },
  ],
  [
    'answers a million levels of lists',
    9,
    /more than 64 levels/,
    { root: () => whole(`{"id":1,"x":${'['.repeat(1e6)}${']'.repeat(1e6)}}`) },
  ],
  [
    'answers a million levels of objects',
    9,
    /more than 64 levels/,
    { root: () => whole(`${'{"x":'.repeat(1e6)}1${'}'.repeat(1e6)}`) },
    ['api'],
  ],
  [
    'answers a million levels that never close',
    9,
    /more than 64 levels/,
    { root: () => whole('['.repeat(1e6)) },
    ['api'],
  ],
  [
    'answers two million values',
    9,
    /more than 1000000 values/,
    { root: () => whole(`{"x":[${'{},'.repeat(2e6)}1]}`) },
    ['api'],
  ],
  [
    'answers a string that never ends',
    9,
    notHal,
    { root: () => whole(`{"x":"${'\\'.repeat(1e6)}`) },
  ],
  [
    'gives its blog an id beyond all numbers',
    9,
    /is not a blog/,
    { root: (places) => whole(blogBody(places, { id: 1e300 })) },
  ],
  [
    'gives its blog a list as title',
    9,
    /is not a blog/,
    { root: (places) => whole(blogBody(places, { title: ['x'] })) },
  ],
  [
    'hides its blog in the prototype',
    9,
    /is not a blog/,
    { root: (places) => whole(`{"__proto__":${JSON.stringify(blogBody(places))}}`) },
  ],
  [
    'has no links',
    9,
    /No "doc:articles" link/,
    { root: (places) => whole(blogBody(places, { _links: null })) },
  ],
  [
    'has links of every wrong type',
    9,
    /No "doc:articles" link/,
    {
      root: (places) =>
        whole(blogBody(places, { _links: { 'doc:articles': [1, null, 'x', { href: 7 }, []] } })),
    },
  ],
  [
    'has a page of 100,000 wrong articles',
    9,
    /is not a page of articles/,
    {
      page: (places) =>
        whole(pageBody(places, { _embedded: Array.from({ length: 1e5 }, () => 7) })),
    },
  ],
  [
    'has a page of no numbers',
    9,
    /is not a page/,
    { page: (places) => whole(pageBody(places, { totalPages: 'many' })) },
  ],
  [
    'has a title of ten megabytes',
    0,
    /^$/,
    {
      page: (places) =>
        whole(pageBody(places, { _embedded: [articleBody(places, { title: 'x'.repeat(1e7) })] })),
    },
  ],
  [
    'has a problem of ten megabytes',
    9,
    /Reading/,
    { root: problem('500 Oh', { detail: 'x'.repeat(1e7) }) },
  ],
  [
    'has a problem of 100,000 flaws',
    7,
    /and 99980 more/,
    { POST: problem('422 No', { errors: Array.from({ length: 1e5 }, () => ({ detail: 'x' })) }) },
    create,
  ],
  [
    'has a problem of a million levels',
    7,
    /the request was refused/,
    { root: problem('400 No', '{"detail":'.repeat(1e6)) },
  ],
  [
    'has a version of strange letters',
    0,
    /Updated article 1/,
    {
      article: (places) =>
        whole(articleBody(places), '200 OK', 'ETag: "\u00c3\u00a9\u00e4\u00b8\u00ad"'),
    },
    update,
  ],
];

const links: readonly Row[] = [
  ['leads to a file', 9, noHttp, linkedTo(() => 'file:///etc/passwd')],
  ['leads to a script', 9, noHttp, linkedTo(() => 'javascript:alert(1)')],
  ['leads to data', 9, noHttp, linkedTo(() => 'data:application/hal+json,%7B%7D')],
  ['leads to megabytes of data', 9, noHttp, linkedTo(() => `data:,${'x'.repeat(4e6)}`)],
  ['leads to FTP', 9, noHttp, linkedTo(() => 'ftp://127.0.0.1/x')],
  ['leads to a letter', 9, noHttp, linkedTo(() => 'mailto:a@b.example')],
  ['leads to a socket', 9, noHttp, linkedTo(({ blog }) => blog.replace('http:', 'ws:'))],
  ['leads to another origin', 9, other, linkedTo(({ elsewhere }) => `${elsewhere}/articles`)],
  [
    'leads to another origin without a scheme',
    9,
    other,
    linkedTo(({ elsewhere }) => `${elsewhere.slice('http:'.length)}/articles`),
  ],
  ['leads to no address', 9, /is no address/, linkedTo(() => 'http://[')],
  [
    'leads to another host by a template',
    9,
    other,
    linkedTo(({ elsewhere }) => `${elsewhere}{/x}`),
  ],
  [
    'has a new article sent elsewhere',
    9,
    other,
    linkedTo(({ elsewhere }) => `${elsewhere}/articles`),
    create,
  ],
  [
    'has an import sent elsewhere',
    9,
    other,
    linkedTo(({ elsewhere }) => `${elsewhere}/articles`),
    ['articles', 'import', '-', '--max-wait', '100ms'],
  ],
  [
    'has a change sent elsewhere',
    9,
    other,
    linkedTo(({ elsewhere }) => `${elsewhere}/articles`),
    update,
  ],
  [
    'has a deletion sent elsewhere',
    9,
    other,
    linkedTo(({ elsewhere }) => `${elsewhere}/articles`),
    erase,
  ],
  [
    'leads a walk elsewhere',
    9,
    other,
    linkedTo(({ elsewhere }) => `${elsewhere}/articles`),
    ['links', 'doc:articles'],
  ],
  [
    'leads a request elsewhere',
    9,
    other,
    linkedTo(({ elsewhere }) => `${elsewhere}/articles`),
    ['api', 'doc:articles', '-X', 'POST', '-F', 'title=Secret'],
  ],
  [
    'leads from its first page elsewhere',
    9,
    other,
    nextPage(({ elsewhere }) => `${elsewhere}/articles`),
  ],
  ['leads from its first page to a file', 9, leads, nextPage(() => 'file:///etc/passwd')],
  ['leads from its first page to it', 9, /leads back/, nextPage(({ blog }) => `${blog}/articles`)],
  [
    'leads to its first page by ever new names',
    9,
    /leads back/,
    nextPage(({ blog }) => `${blog}/articles${noEnd()}`),
  ],
  [
    'has empty pages without an end',
    9,
    /without an end/,
    nextPage(({ blog }) => `${blog}/articles${noEnd()}`, { _embedded: [] }),
  ],
];

const redirects: readonly Row[] = [
  ['redirects to itself', 9, /More than 5 redirects/, { root: moved(({ blog }) => blog) }],
  [
    'redirects to ever new names',
    9,
    /More than 5 redirects/,
    { root: moved(({ blog }) => blog + noEnd()) },
  ],
  ['redirects elsewhere', 9, notFollowed, { root: moved(({ elsewhere }) => elsewhere) }],
  ['redirects to a file', 9, notFollowed, { root: moved(() => 'file:///etc/passwd') }],
  ['redirects to a script', 9, notFollowed, { root: moved(() => 'javascript:alert(1)') }],
  ['redirects to no address', 9, notFollowed, { root: moved(() => 'http://[') }],
  ['redirects nowhere', 9, /not understood/, { root: problem('302 Found', '') }],
  [
    'redirects a creation elsewhere',
    9,
    notFollowed,
    { POST: moved(({ elsewhere }) => elsewhere, '307 Go') },
    create,
  ],
  [
    'redirects a creation at home',
    9,
    notFollowed,
    { POST: moved(({ blog }) => blog, '308 Go') },
    create,
  ],
  [
    'redirects a change elsewhere',
    9,
    notFollowed,
    { PUT: moved(({ elsewhere }) => elsewhere, '307 Go') },
    update,
  ],
  [
    'says that what it created is elsewhere',
    9,
    saved,
    { POST: ({ elsewhere }) => whole('', '201 Created', `Location: ${elsewhere}/1`) },
    create,
  ],
  [
    'says that what it created is a script',
    9,
    noHttp,
    { POST: () => whole('', '201 Created', 'Location: javascript:alert(1)') },
    create,
  ],
];

const later = ['articles', 'list', '--retries', '1', '--max-wait', '50ms'];
const waiting: readonly Row[] = [
  [
    'is busy for a million years',
    9,
    /^(?!.*Trying again)[^]*busy[^]*hint: Try again in 1\d{14} s\.\n$/,
    { root: problem('503 Later', '', 'Retry-After: 99999999999999') },
    later,
  ],
  [
    'is busy until the year 9999',
    9,
    /busy/,
    { root: problem('503 Later', '', 'Retry-After: Fri, 31 Dec 9999 23:59:59 GMT') },
    later,
  ],
  [
    'is busy until yesterday',
    9,
    /busy/,
    { root: problem('503 Later', '', 'Retry-After: -1') },
    later,
  ],
  [
    'limits the rate for ever',
    8,
    /too many requests/,
    { root: problem('429 Slow', '', 'Retry-After: 1e9') },
    later,
  ],
  [
    'limits the rate of an import for ever',
    8,
    /too many requests|/,
    { POST: problem('429 Slow', '', 'Retry-After: 99999999999999') },
    ['articles', 'import', '-', '--max-wait', '50ms', '--retries', '0'],
  ],
  [
    'wants a token for reading',
    3,
    /a token is needed/,
    { root: problem('401 Who', '', 'WWW-Authenticate: Basic') },
  ],
  [
    'is asked on a condition that no field can hold',
    2,
    /with the quotes that are part of it/,
    {},
    [...update, '--if-match', '"\u4e2d"'],
  ],
];

const bulk = ['articles', 'import', '-', '--max-wait', '100ms'];
const unknown = /1 record: 1 unknown\./;
/** To an import, which repeats what may be repeated until its patience ends. */
const silentImports: readonly Row[] = [
  ['says nothing to an import', 10, unknown, { POST: () => () => {} }, bulk],
  [
    'answers an import drop by drop',
    10,
    unknown,
    { POST: () => dripping(raw('HTTP/1.1 201 Created'), ' ') },
    bulk,
  ],
];
const imports: readonly Row[] = [
  [
    'redirects an import elsewhere',
    9,
    notFollowed,
    { POST: moved(({ elsewhere }) => elsewhere, '307 Go') },
    bulk,
  ],
  [
    'answers an import with a million levels',
    9,
    /more than 64 levels/,
    { POST: () => whole('['.repeat(1e6), '201 Created') },
    bulk,
  ],
  [
    'answers an import with nothing that can be read',
    9,
    notHal,
    { POST: () => whole('created!', '201 Created') },
    bulk,
  ],
  [
    'refuses an import in megabytes',
    10,
    /refused/,
    { POST: problem('400 No', { detail: 'x'.repeat(1e7) }) },
    bulk,
  ],
  ['fails for ever', 10, unknown, { POST: problem('500 Oh', { detail: '\u001b[2J' }) }, bulk],
];

/** How long a service that takes its time is waited for, and one that is only busy. */
const [short, ample] = [400, 20_000];

export const behaviours: readonly Behaviour[] = [
  ...[...time, ...silentImports].map(behaviour(short)),
  ...[...length, ...framing, ...documents, ...links, ...redirects, ...waiting, ...imports].map(
    behaviour(ample),
  ),
];

function behaviour(timeoutMs: number) {
  return ([name, status, says, answers, line]: Row): Behaviour => ({
    name,
    status,
    says,
    answers,
    timeoutMs,
    isSilent: timeoutMs === short,
    ...(line && { line }),
  });
}
