import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import type { Entry } from '../../../../../src/importing/sources/source.ts';
import { briefly, readSources, withFiles } from '../files.ts';

type Options = Parameters<typeof readSources>[1];

async function entriesOf(text: string, options: Options = {}, name = 'feed.xml') {
  return withFiles({ [name]: text }, async (folder) => {
    const [source] = await readSources([join(folder, name)], options);
    return source?.entries ?? [];
  });
}

/** Namespace | name: title / content, or why there is none. */
function summed(entry: Entry): string {
  if (entry.kind === 'skip') return entry.reason;
  if (entry.kind === 'reject') return `${entry.error.class}: ${entry.error.message}`;
  if (entry.kind === 'notice') return entry.notice.kind;
  const { namespace, name = '' } = entry.identity;
  return `${namespace} | ${name}: ${entry.title} / ${entry.content}`;
}

const rss = (item: string, channel = '<link>https://a.test/</link>', attributes = ''): string =>
  `<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" ${attributes}>
<channel><title>A blog</title>${channel}<item>${item}</item></channel></rss>`;
const atom = (entry: string, attributes = '', head = ''): string =>
  `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" ${attributes}><title>A blog</title>
${head}<entry>${entry}</entry></feed>`;
const rdf = (item: string): string => `<rdf:RDF xmlns="http://purl.org/rss/1.0/"
 xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel rdf:about="https://a.test/rss"><title>A</title><link>https://a.test</link></channel>
<image><link>https://images.test</link></image>${item}</rdf:RDF>`;
const id = '<id>tag:a.test,2020:1</id>';
const atomItem = (content: string): string => `${id}<title>T</title>${content}`;

describe('an item of RSS', () => {
  it.each([
    [
      'its guid, title and content before its description',
      '<title>T</title><guid isPermaLink="false">42</guid><link>https://a.test/1</link><description>D</description><content:encoded><![CDATA[<p>C</p>]]></content:encoded>',
      ' | guid:42: T / <p>C</p>',
    ],
    [
      'its description where there is no more',
      '<title>T</title><link>https://a.test/1</link><description>&lt;p&gt;D &amp;amp; E&lt;/p&gt;</description>',
      ' | guid:https://a.test/1: T / <p>D &amp; E</p>',
    ],
    [
      'its description where the content is blank',
      '<title>T</title><guid>1</guid><content:encoded> </content:encoded><description>D</description>',
      ' | guid:1: T / D',
    ],
    [
      'elements that were not escaped as they stand',
      '<title>A <b>b</b></title><guid>1</guid><description>One<br/><p class="a&quot;">two &amp; <i/></p></description>',
      ' | guid:1: A b / One<br><p class="a&quot;">two &amp; <i></i></p>',
    ],
    [
      'entities of HTML in its title as characters',
      '<title>\n  Tom &amp;amp; Jerry &amp;mdash;\n <![CDATA[&lt;b&gt; &copy &bogus;]]></title><guid>1</guid>',
      ' | guid:1: Tom & Jerry \u2014 <b> &copy &bogus; / ',
    ],
    ['its text alone where nothing names it', '<title>T</title>', 'https://a.test | : T / '],
    [
      'a guid that is blank for none',
      '<title>T</title><guid> </guid><link>https://a.test/1</link>',
      ' | guid:https://a.test/1: T / ',
    ],
    [
      'no title as a reject',
      '<guid>1</guid><description>D</description>',
      'title: The item has no title. --title-from line takes the first line of its text.',
    ],
    [
      'an empty title as a reject',
      '<guid>1</guid><title/>',
      'title: The item has no title. --title-from line takes the first line of its text.',
    ],
  ])('gives %s', async (_what, item, expected) => {
    expect((await entriesOf(rss(item))).map(summed)).toEqual([expected]);
  });

  it('is found by the namespaces of its members, whatever their prefixes are', async () => {
    const item =
      '<m:title>media</m:title><title>T</title><guid>1</guid><description>D</description><c:encoded>C</c:encoded><content:encoded>other</content:encoded>';
    const attributes =
      'xmlns:c="http://purl.org/rss/1.0/modules/content/" xmlns:m="http://search.yahoo.com/mrss/"';
    const text = rss(item, '', attributes).replace(
      'xmlns:content="http://purl.org/rss/1.0/modules/content/"',
      'xmlns:content="https://other.test/"',
    );
    expect((await entriesOf(text)).map(summed)).toEqual([' | guid:1: T / C']);
  });

  it('is read in the namespace that some give to RSS, and with prefixes nobody declared', async () => {
    const text = `<!-- x --><r:rss xmlns:r="http://backend.userland.com/rss2"><r:channel><r:item>
<r:title>T</r:title><itunes:title>no</itunes:title><r:guid>1</r:guid></r:item></r:channel></r:rss>`;
    expect((await entriesOf(text)).map(summed)).toEqual([' | guid:1: T / ']);
  });

  it('of WordPress needs no post id', async () => {
    const item =
      '<title>T &amp;amp; U</title><wp:post_type>post</wp:post_type><wp:status>publish</wp:status><content:encoded>C</content:encoded>';
    const site =
      '<link>https://shown.test</link><wp:base_site_url>https://site.test</wp:base_site_url><wp:base_blog_url>https://blog.test/</wp:base_blog_url>';
    const items = `${item}<guid>https://a.test/?p=1</guid></item><item>${item}<link>https://a.test/2</link></item>
<item>${item}<wp:post_id>3</wp:post_id><link>https://a.test/3</link></item><item>${item}`;
    expect((await entriesOf(rss(items, site))).map(summed)).toEqual([
      ' | guid:https://a.test/?p=1: T &amp; U / C',
      ' | guid:https://a.test/2: T &amp; U / C',
      'https://blog.test | post:3: T &amp; U / C',
      'https://blog.test | : T &amp; U / C',
    ]);
  });

  it('is known by the member that was chosen', async () => {
    const items =
      '<title>T</title><guid>1</guid><link>https://a.test/1</link></item><item><title>U</title><guid>2</guid>';
    expect((await entriesOf(rss(items), { keyField: 'link' })).map(summed)).toEqual([
      ' | guid:https://a.test/1: T / ',
      'identity: The item has no "link". It has: guid.',
    ]);
  });
});

describe('an item of RDF (RSS 1.0)', () => {
  it('is known by what it is about', async () => {
    const item = `<item rdf:about="https://a.test/1"><title>T</title><link>https://a.test/1?rss</link>
<description>D</description><dc:date>2020-01-01</dc:date></item>`;
    expect((await entriesOf(rdf(item))).map(summed)).toEqual([' | guid:https://a.test/1: T / D']);
    expect((await entriesOf(rdf(item.replace('2020', '2035')))).map(summed)).toEqual(['future']);
  });
});

describe('an entry of Atom', () => {
  it.each([
    [
      'text as it is',
      'T &amp;amp; U',
      '<content>a &lt;b&gt; &amp;amp;</content>',
      'T &amp; U / a <b> &amp;',
    ],
    [
      'HTML once unescaped',
      'T',
      '<content type="html">&lt;p&gt;a &amp;amp; b&lt;/p&gt;</content>',
      'T / <p>a &amp; b</p>',
    ],
    [
      'HTML in CDATA',
      'T',
      '<content type="html"><![CDATA[<a href="/1">a</a>]]></content>',
      'T / <a href="/1">a</a>',
    ],
    ['a type of media that is text', 'T', '<content type="text/markdown"># a</content>', 'T / # a'],
    [
      'a type of media that is XML',
      'T',
      '<content type="image/svg+xml"><svg xmlns="http://www.w3.org/2000/svg"><g a="1"/></svg></content>',
      'T / <svg><g a="1"></g></svg>',
    ],
    ['its summary where there is no content', 'T', '<summary>S</summary>', 'T / S'],
    [
      'its summary where the content is elsewhere',
      'T',
      '<content src="https://a.test/1"/><summary type="html">&lt;i&gt;</summary>',
      'T / <i>',
    ],
    ['nothing where it has neither', 'T', '', 'T / '],
  ])('gives %s', async (_what, title, content, expected) => {
    const [entry] = await entriesOf(atom(`${id}<title>${title}</title>${content}`));
    expect(entry && summed(entry)).toBe(` | guid:tag:a.test,2020:1: ${expected}`);
  });

  it('gives what the div of XHTML holds, in HTML, with its addresses as they are', async () => {
    const content = `<content type="xhtml" xml:base="https://a.test/b/">
 <x:div xmlns:x="http://www.w3.org/1999/xhtml"> <x:p xml:lang="fr">a &lt; "b"<x:br/><x:a href="c?d&amp;e"></x:a></x:p>
<x:style>p &gt; a</x:style><div>c</div></x:div>
</content>`;
    const [entry] = await entriesOf(atom(atomItem(content)));
    expect(entry).toMatchObject({
      content: ` <p lang="fr">a &lt; "b"<br><a href="c?d&amp;e"></a></p>\n<style>p > a</style><div>c</div>`,
    });
  });

  it.each([
    [
      'html',
      'a &lt;b class=">"&gt;bold&lt;/b&gt; &amp;amp; &amp;lt;c&amp;gt; &amp;copy 1 &lt; 2',
      'a bold & <c> \u00A9 1 < 2',
    ],
    ['html', '<![CDATA[one<br>two <script>x</script><!-- y -->three]]>', 'one two three'],
    [
      'xhtml',
      '<div xmlns="http://www.w3.org/1999/xhtml">a <em>b</em> &amp;amp;</div>',
      'a b &amp;',
    ],
    ['text', '\n a\n  &lt;b&gt; ', 'a <b>'],
  ])('has the line as title that a reader sees: %s %s', async (type, title, expected) => {
    const [entry] = await entriesOf(atom(`${id}<title type="${type}">${title}</title>`));
    expect(entry).toMatchObject({ title: expected });
  });

  it.each([
    [
      '<content type="image/png">iVBO</content>',
      'content: The content is of type "image/png", which is no text.',
    ],
    [
      '<content src="https://a.test/1"/>',
      'content: The content is not in the feed but at "https://a.test/1".',
    ],
  ])('is rejected where its content is no text of the feed: %s', async (content, expected) => {
    expect((await entriesOf(atom(atomItem(content)))).map(summed)).toEqual([expected]);
  });

  it.each([
    ['<id>7</id><link href="/7"/>', 'https://a.test | id:7'],
    ['<link rel="self" href="/self"/><link href="7"/>', ' | guid:https://a.test/b/7'],
    ['<link xml:base="/c/" href="7"/>', ' | guid:https://a.test/c/7'],
    ['', 'https://a.test | '],
  ])('is known by its id, else by its resolved link: %s', async (names, expected) => {
    const head = '<link rel="self" href="https://a.test/feed"/><link href="https://a.test/"/>';
    const [entry] = await entriesOf(
      atom(`${names}<title>T</title>`, 'xml:base="https://a.test/b/"', head),
    );
    expect(entry && summed(entry)).toBe(`${expected}: T / `);
  });

  it('may be a document of its own, and have a prefix', async () => {
    const text = `<a:entry xmlns:a="http://www.w3.org/2005/Atom"><a:id>urn:x:1</a:id><a:title>T</a:title>
<a:source><a:id>no</a:id><a:title>no</a:title></a:source><a:content>C</a:content></a:entry>`;
    expect((await entriesOf(text)).map(summed)).toEqual([' | guid:urn:x:1: T / C']);
  });
});

describe('an item of JSON Feed', () => {
  const feed = (...items: unknown[]): string =>
    JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'A',
      home_page_url: 'https://a.test/',
      items,
    }).replace('a.test/', 'a.test\\/');

  it('is its title and its HTML before its text', async () => {
    const text = feed(
      { id: 'https://a.test/1', title: 'T &amp;', content_html: '<p>', content_text: 'x' },
      { id: 2, title: 'U', content_text: 'x & y' },
      { id: '3', title: 'V', content_html: '', content_text: 'y' },
      { url: 'https://a.test/4', title: 'W', content_html: '' },
      { id: '5', content_text: 'x' },
      { id: '6', title: 'X', url: 'https://a.test/6' },
      { id: '7', title: 'Y', content_text: 'x', date_published: '2035-01-01T00:00:00Z' },
      { id: '8', title: 'Z', content_text: 'x', visibility: 'members' },
      7,
    );
    expect((await entriesOf(text, {}, 'feed.json')).map(summed)).toEqual([
      ' | guid:https://a.test/1: T &amp; / <p>',
      'https://a.test | id:2: U / x & y',
      'https://a.test | id:3: V / y',
      ' | guid:https://a.test/4: W / ',
      'title: The item has no title. --title-from line takes the first line of its text.',
      'content: The item has neither "content_html" nor "content_text".',
      'future',
      'visibility members',
      'syntax: Not an object but 7.',
    ]);
  });
});

describe('an item without a title', () => {
  const html = '<p><script>x</script> </p>\n<p>One &amp;amp; <b>two</b>\nthree<br>four</p>';
  it.each([
    ['feed.xml', rss(`<guid>1</guid><description><![CDATA[${html}]]></description>`)],
    ['feed.xml', atom(`<id>1</id><content type="html"><![CDATA[${html}]]></content>`)],
    [
      'feed.json',
      JSON.stringify({
        version: 'https://jsonfeed.org/version/1',
        items: [{ id: 1, title: ' ', content_html: html }],
      }),
    ],
  ])('has the first line of its text as title with --title-from line: %s', async (name, text) => {
    const [entry] = await entriesOf(text, { titleFrom: 'line' }, name);
    expect(entry).toMatchObject({ title: 'One &amp; two three', content: html });
  });

  it('and without a line is rejected', async () => {
    const text = rss('<guid>1</guid><description>&lt;img src="a"&gt;</description>');
    expect((await entriesOf(text, { titleFrom: 'line' })).map(summed)).toEqual([
      'title: The item has no title.',
    ]);
  });
});

describe('what is not public', () => {
  const app = (namespace: string): string =>
    `<app:control xmlns:app="${namespace}"><app:draft>yes</app:draft></app:control>`;
  const wp = (more: string, status = '<wp:status>publish</wp:status>'): string =>
    rss(
      `<title>T</title><wp:post_id>1</wp:post_id>${more}${more.includes('status') ? '' : status}`,
    );

  it.each([
    [wp('<wp:post_password><![CDATA[secret]]></wp:post_password>'), 'password'],
    [wp('<wp:status>Private</wp:status>'), 'status private'],
    [wp('<wp:status></wp:status>'), 'status unknown'],
    [wp('', ''), 'status unknown'],
    [rss('<title>T</title><wp:post_date>2020-01-01 00:00:00</wp:post_date>'), 'status unknown'],
    [wp('<wp:status>future</wp:status>'), 'future'],
    [
      wp('<wp:status>publish</wp:status><wp:post_date_gmt>2035-01-01 00:00:00</wp:post_date_gmt>'),
      'future',
    ],
    [
      wp(
        '<pubDate>Mon, 01 Jan 2035 00:00:00 +0000</pubDate><wp:post_date_gmt>0000-00-00 00:00:00</wp:post_date_gmt>',
      ),
      'future',
    ],
    [rss('<title>T</title><pubDate>Mon, 01 Jan 2035 00:00:00 GMT</pubDate>'), 'future'],
    [atom(atomItem('<published>2035-01-01T00:00:00Z</published>')), 'future'],
    [
      atom(
        atomItem(
          '<published>2020-01-01T00:00:00Z</published><updated>2035-01-01T00:00:00Z</updated>',
        ),
      ),
      undefined,
    ],
    [atom(atomItem(app('http://www.w3.org/2007/app'))), 'draft'],
    [atom(atomItem(app('http://purl.org/atom/app#'))), 'draft'],
    [atom(atomItem(app('http://www.w3.org/2007/app').replace('yes', 'no'))), undefined],
    [
      atom(atomItem('<b:type xmlns:b="http://schemas.google.com/blogger/2018">COMMENT</b:type>')),
      'type comment',
    ],
    [
      atom(atomItem('<b:status xmlns:b="http://schemas.google.com/blogger/2018">DRAFT</b:status>')),
      'draft',
    ],
    [
      atom(atomItem('<b:status xmlns:b="http://schemas.google.com/blogger/2018">LIVE</b:status>')),
      undefined,
    ],
    [
      atom(
        atomItem(
          '<category scheme="http://schemas.google.com/g/2005#kind" term="http://schemas.google.com/blogger/2008/kind#settings"/>',
        ),
      ),
      'type settings',
    ],
  ])('is skipped with its reason: %s', async (text, reason) => {
    const [entry] = await entriesOf(text);
    expect(entry?.kind === 'skip' ? entry.reason : undefined).toBe(reason);
  });

  it('is imported with --drafts', async () => {
    const [entry] = await entriesOf(wp('<wp:post_password>x</wp:post_password>'), { drafts: true });
    expect(entry).toMatchObject({ kind: 'record' });
  });
});

describe('a document that is no feed', () => {
  it.each([
    [
      'another language',
      '<feed xmlns="http://purl.org/atom/ns#"><entry/></feed>',
      'its root <feed> is none of WordPress, RSS, RDF or Atom',
    ],
    [
      'a bomb of entities',
      '<!DOCTYPE rss [<!ENTITY a "b"><!ENTITY c "&a;&a;">]><rss>&c;</rss>',
      'it has a document type (DOCTYPE)',
    ],
    [
      'an external entity',
      '<!DOCTYPE rss SYSTEM "file:///etc/passwd"><rss/>',
      'it has a document type (DOCTYPE)',
    ],
    ['nested without end', `<rss>${'<a>'.repeat(300)}`, 'elements nested deeper than 256'],
  ])('is refused: %s', async (_name, text, reason) => {
    await expect(entriesOf(text)).rejects.toMatchObject({
      code: 'unusable-input',
      message: expect.stringContaining(reason),
      hint: expect.not.stringContaining('--repair-xml'),
    });
  });

  it.each(['<a', '<script>', '<!--', '<a "', "<p '", '<script', '&#1', '&amp', '< ', '"<b>'])(
    'and a long title of %s is gone through once',
    async (part) => {
      const html = part.repeat(2 ** 18 / part.length);
      const text = atom(`${id}<title type="html"><![CDATA[${html}]]></title>`);
      expect(await entriesOf(text, { titleFrom: 'line' })).toHaveLength(1);
    },
  );

  it('nor an item that does not end', async () => {
    const endless = `<rss><channel><item><title>${'<![CDATA[x]]>'.repeat(10)}${'x'.repeat(2 ** 26)}`;
    await expect(entriesOf(endless)).rejects.toMatchObject({
      message: expect.stringContaining('more than 64 MB in one item'),
    });
  });
});

it('records are the same whatever the file is called', async () => {
  const text = rss('<title>T</title><guid>1</guid>');
  const [first] = await entriesOf(text, {}, 'feed.xml');
  const [second] = await entriesOf(text, {}, 'feed-2020-01-02 (1).rss');
  expect(second).toMatchObject({ identity: first?.kind === 'record' && first.identity });
  await withFiles({ 'a.xml': text }, async (folder) => {
    expect(briefly(await readSources(['-'], {}, [text]))).toEqual(['stdin: 1 "T"']);
    expect(folder).not.toBe('');
  });
});
