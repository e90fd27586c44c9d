import { describe, expect, it } from 'vitest';

import { readPost } from '../../../../../src/importing/sources/formats/post.ts';
import { ValidationError } from '../../../../../src/importing/sources/source.ts';

const lines = (...parts: string[]): string => parts.join('\n');

describe('the title of a post', () => {
  it.each([
    ['plain', 'title: Hello', 'Hello'],
    ['double quotes with escapes', 'title: "Caf\\u00e9 \\"A\\""', 'Café "A"'],
    ['single quotes', "title: 'It''s on'", "It's on"],
    ['folded over lines', lines('title: >', '  One', '  two'), 'One two'],
    [
      'quoted, on in the first column',
      lines('title: "One', 'two: \\"x\\""', 'a: 1'),
      'One two: "x"',
    ],
    ['another text goes on there', lines("x: 'It''s", "so: on'", 'title: T'), 'T'],
    ['a number as typed', 'title: 1.10', '1.10'],
    ['a number with a leading zero', 'title: 0123', '0123'],
    ['a word that means no elsewhere', 'title: No', 'No'],
    ['a date as typed', 'title: 2020-01-01', '2020-01-01'],
    ['a word that means nothing, in quotes', 'title: "null"', 'null'],
    ['a word that means nothing, marked as a text', 'title: !!str ~', '~'],
    ['white space around it, in double quotes', 'title: "  Room  "', '  Room  '],
    ['white space around it, in single quotes', "title: ' Room\t'", ' Room\t'],
    ['white space around it, without quotes', 'title:   Room  ', 'Room'],
    ['the key in capitals', 'Title: Loud', 'Loud'],
    ['the exact key before another case', lines('Title: Loud', 'title: quiet'), 'quiet'],
    ['the first of several cases', lines('TITLE: one', 'Title: two'), 'one'],
    ['the key in quotes', '"title": Quoted key', 'Quoted key'],
    ['a number with a tag', 'title: !!float 1.10', '1.10'],
    ['a mapping that is merged', lines('base: &b {title: Merged}', '<<: *b'), 'Merged'],
    ['its own before a merged one', lines('title: Own', '<<: {title: Merged}'), 'Own'],
    ['an alias', lines('name: &n Shared', 'title: *n'), 'Shared'],
    ['a title below a nested one', lines('seo:', '  title: inner', 'title: outer'), 'outer'],
    ['a comment after it', 'title: Short # not this', 'Short'],
    ['a sign after a hash', 'title: "#1 tool"', '#1 tool'],
    ['a line ended by CR LF', 'title: Windows\r', 'Windows'],
  ])('is read from YAML: %s', (_name, head, expected) => {
    expect(readPost(lines('---', head, '---', 'Text'), 'a.md', undefined).title).toBe(expected);
  });

  it.each([
    ['a basic string', 'title = "Hello"', 'Hello'],
    ['a literal string', "title = 'C:\\temp'", 'C:\\temp'],
    ['several lines', 'title = """\nOne\nTwo"""', 'One\nTwo'],
    ['the key in capitals', 'Title = "Loud"', 'Loud'],
    ['tables below', 'title = "T"\n[params]\ntitle = "inner"', 'T'],
  ])('is read from TOML: %s', (_name, head, expected) => {
    expect(readPost(lines('+++', head, '+++', 'Text'), 'a.md', undefined).title).toBe(expected);
  });

  it.each([
    ['on lines of its own', '{\n  "title": "Hello"\n}\n'],
    ['indented by tabs, with CR LF', '{\r\n\t"title": "Hello"\r\n}\r\n'],
    ['on one line', '{"title":"Hello","tags":["{"]}\n'],
    ['the key in capitals', '{"Title": "Hello"}\n'],
    ['twice: the last one', '{"title": "x", "title": "Hello"}\n'],
    ['escapes, quotes and braces', '{ "note": "} \\" {", "title": "Hell\\u006f" }\n'],
    ['objects below', '{"params": {"title": "inner"}, "title": "Hello"} \n'],
  ])('is read from JSON: %s', (_name, head) => {
    expect(readPost(`${head}{ Text }\n`, 'a.md', undefined)).toMatchObject({
      title: 'Hello',
      content: '{ Text }\n',
    });
  });

  it.each(['{{< shortcode >}}\n# T', '{% raw %}', '{ set: notation }'])(
    'is not looked for in what only begins like JSON: %s',
    (text) => {
      expect(readPost(text, 'a.md', 'filename')).toMatchObject({ title: 'a', content: text });
    },
  );

  it.each([
    ['another member is not YAML', lines('title: Fine', 'tags: [a', 'x: y: z'), 'Fine'],
    ['a tab indents another member', lines('title: Fine', 'x:', '\t- y'), 'Fine'],
    ['lines end in CR LF', lines('title: "One\r', 'two"\r', 'x: y: z\r'), 'One two'],
    ['the title is folded', lines('title: >-', '  One', '  two', 'x: y: z'), 'One two'],
    ['the later of two titles is used', lines('title: a', 'title: b', 'x: y: z'), 'b'],
  ])('is read alone where %s', (_name, head, expected) => {
    const post = readPost(lines('---', head, '---', ''), 'a.md', undefined);
    expect(post.title).toBe(expected);
    expect(post.notices).toMatchObject([{ kind: 'title-read-alone' }]);
  });

  it('is the last one where it stands twice, with a notice', () => {
    const post = readPost(lines('---', 'title: a', 'title: b', '---', ''), 'a.md', undefined);
    expect(post.title).toBe('b');
    expect(post.notices).toEqual([
      { kind: 'repeated-title', message: '"title" stands 2 times; the last one is used.' },
    ]);
  });

  it.each([
    ['filename', 'posts/2020-05-01-spring-clean.md', 'Text', 'spring clean'],
    ['filename', 'posts/tool_shed/index.md', 'Text', 'tool shed'],
    ['h1', 'a.md', '\n# The heading #\n\nText', 'The heading'],
    ['h1', 'a.md', 'The heading\r\n===\r\nText', 'The heading'],
    ['h1', 'a.md', '   # In C# #', 'In C#'],
    ['h1', 'a.md', '#\tIn C#', 'In C#'],
    [
      'h1',
      'a.html',
      '<p>Hi</p>\n<h1 class="x">Tea &amp; <em>caf&eacute;</em>\n s</h1>',
      'Tea & café s',
    ],
    ['line', 'a.txt', '\n \r\n  First line. \r\nSecond line\n', 'First line.'],
    ['line', 'a.md', 'First line', 'First line'],
    ['line', 'a.html', '<p>Hi</p><h1>T</h1>', 'T'],
  ] as const)('comes from %s of %s when asked for', (from, path, text, expected) => {
    expect(readPost(text, path, from)).toMatchObject({ title: expected, content: text });
  });
});

describe('no title', () => {
  it.each([
    ['indented code', 'a.md', '    # code\n\nText'],
    ['code behind a tab', 'a.md', '\n\t# code'],
    ['underlined code', 'a.md', '    code\n===\n'],
    ['a word behind a sign', 'a.md', '#tag'],
    ['a sign alone', 'a.md', '# #'],
    ['a comment', 'a.html', '<!-- <h1>Old</h1> --><p>Text'],
    ['an empty heading', 'a.html', '<h1><img src="x.png"></h1>'],
  ])('is found in %s', (_name, path, text) => {
    expect(() => readPost(text, path, 'h1')).toThrow('No front matter, so no title, and');
  });

  const heading = 'and the text does not begin with a heading like "# Title"';
  const line = 'and the text has no line that is not blank';
  const page = 'and the page has no <h1> and no <title>';
  it.each([
    ['h1', 'a.md', 'Text', `No front matter, so no title, ${heading}`, 'line or filename'],
    [
      'h1',
      'a.md',
      '---\nx: y\n---\n',
      `The front matter has no title, ${heading}`,
      'line or filename',
    ],
    ['line', 'a.txt', ' \n', `No front matter, so no title, ${line}`, 'filename'],
    ['h1', 'a.html', '<p>Text', `No front matter, so no title, ${page}`, 'filename'],
    ['line', 'a.HTM', '<p>Text', `No front matter, so no title, ${page}`, 'filename'],
  ] as const)(
    'says what --title-from %s looked for in %s: %j',
    (from, path, text, what, choices) => {
      expect(() => readPost(text, path, from)).toThrow(
        `${what}. Add one, or choose --title-from ${choices}.`,
      );
    },
  );
});

describe('a page of HTML', () => {
  const head =
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>A &lt;page&gt;</title>';

  it.each([
    [
      'with every tag',
      `${head}<style>body{}</style></head>\n<body class="a>b">\n<p>Text</p>\n</body></html>\n`,
      '\n<p>Text</p>\n',
    ],
    ['with tags that are never closed', `${head}<body><p>Text`, '<p>Text'],
    ['without tags of a body', `${head}<link rel=x href='>'><p>Text</html>`, '<p>Text'],
    [
      'in capitals',
      '<HTML><HEAD><TITLE>A &lt;page&gt;</TITLE></HEAD><BODY>Text</BODY></HTML>',
      'Text',
    ],
    [
      'that speaks of tags',
      `<!-- <body> -->${head}<script>"<body>"</script></head><body>a</body>b</body>`,
      'a</body>b',
    ],
  ])('%s is its body, and its title is in its head', (_name, text, content) => {
    expect(readPost(text, 'a.html', 'h1')).toMatchObject({ title: 'A <page>', content });
  });

  it('has the title of its heading before that of its head', () => {
    const text = `${head}</head><body><h1>Heading</h1>Text</body>`;
    const expected = { title: 'Heading', content: '<h1>Heading</h1>Text' };
    expect(readPost(text, 'a.htm', 'h1')).toMatchObject(expected);
  });

  it.each(['<p>Text</p>\n', '<h1>T</h1><body-x>', '<!-- <html> --> Text</body>'])(
    'is no fragment, which stays as it is: %j',
    (text) => {
      expect(readPost(`---\ntitle: T\n---\n${text}`, 'a.html', undefined).content).toBe(text);
    },
  );
});

describe('a text that is made to keep a reader busy', () => {
  const many = (text: string): string => text.repeat(300_000);

  it.each([
    ['tags that never end', 'a.html', `<h1>${many('<')}</h1>`],
    ['headings that never end', 'a.html', many('<h1 ')],
    ['pages in pages', 'a.html', many('<html><head><body>')],
    ['titles that never end', 'a.html', `<html>${many('<title>')}`],
    ['comments that never end', 'a.html', many('<!--')],
    ['white space', 'a.md', `# ${many(' ')}x${many(' ')}#`],
    ['fences', 'a.md', `\n${many('---\n')}`],
    ['names', 'a.md', many('a:\n')],
    ['blanks in front', 'a.md', `${many(' ')}1 Text`],
    ['broken members', 'a.md', `---\n"a": b: c\n${'{,  draft '.repeat(20_000)}\n---\n`],
  ])('is read in a moment: %s', { timeout: 5_000 }, (_name, path, text) => {
    const read = () => readPost(text, path, 'h1').title;
    expect(orFlaw(read)).toBeTypeOf('string');
  });
});

function orFlaw(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (error instanceof ValidationError) return error.class;
    throw error;
  }
}

describe('the content of a post', () => {
  it.each([
    ['blank lines and the missing newline at the end', '\n\nText'],
    ['a later delimiter line', 'One\n---\nTwo\n+++\nThree\n...\n'],
    ['CR LF', 'One\r\nTwo\r\n'],
    ['trailing white space', 'One  \n\t\n'],
    ['nothing', ''],
  ])('keeps %s', (_name, content) => {
    expect(readPost(`---\ntitle: T\n---\n${content}`, 'a.md', undefined).content).toBe(content);
    expect(readPost(`+++\ntitle = "T"\n+++ \r\n${content}`, 'a.md', undefined).content).toBe(
      content,
    );
    expect(readPost(`--- \ntitle: T\n...\t\n${content}`, 'a.md', undefined).content).toBe(content);
  });

  it('is empty where the file ends with the front matter', () => {
    expect(readPost('---\ntitle: T\n---', 'a.md', undefined).content).toBe('');
  });
});

describe('a post that Git LFS has not fetched', () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d'.repeat(32)}\nsize 12\n`;

  it.each(['line', 'filename', 'h1', undefined] as const)(
    'is no text of its own, --title-from %s',
    (from) => {
      expect(() => readPost(pointer, 'a.md', from)).toThrow('`git lfs pull` does');
      expect(() => readPost(pointer.replaceAll('\n', '\r\n'), 'a.md', from)).toThrow(
        'git lfs pull',
      );
    },
  );

  it('may be quoted', () => {
    expect(readPost(`---\ntitle: T\n---\n${pointer}`, 'a.md', undefined).content).toBe(pointer);
    expect(readPost(`${pointer}is a pointer`, 'a.md', 'filename').title).toBe('a');
  });
});

describe('a long post', () => {
  it.each([
    ['of lines like those of a head', 'Ab: x\n'.repeat(2_000_000)],
    ['of lines like those of Movable Type', 'AB: x\n'.repeat(2_000_000)],
    ['of such lines in a comment', `<!--\n${'ab: x\n'.repeat(2_000_000)}-->\n`],
    ['of such lines below its heading', `# T\n\n${'Ab c: x\n'.repeat(6_000_000)}`],
    ['with an HTML tag that never ends', `<body ${'a'.repeat(20_000_000)}`],
  ])('is read: %s', (_name, text) => {
    expect(readPost(text, 'a.html', 'filename').content).toBe(text);
  });
});

describe('a post that cannot be read', () => {
  const choices = 'Add one, or choose --title-from h1, line or filename.';
  it.each([
    ['Just text', 'title', `No front matter, so no title. ${choices}`],
    ['', 'title', `No front matter, so no title. ${choices}`],
    ['---\nx: y\n---\n', 'title', `The front matter has no title. ${choices}`],
    ['---\ntitle: ~\n---\n', 'title', `The front matter has no title. ${choices}`],
    ['---\ntitle: !!null ~\n---\n', 'title', `The front matter has no title. ${choices}`],
    ['---\ntitle: null\n---\n', 'title', `The front matter has no title. ${choices}`],
    ['---\nn: &n NULL\ntitle: *n\n---\n', 'title', `The front matter has no title. ${choices}`],
    ['---\ntitle: Null\ntags: [a\n---\n', 'title', `The front matter has no title. ${choices}`],
    ['{"title": null}', 'title', `The front matter has no title. ${choices}`],
    ['---\ntitle:\n---\n', 'title', `The front matter has no title. ${choices}`],
    ['---\ntitle: "  "\n---\n', 'title', `The front matter has no title. ${choices}`],
    ['---\ntitle: "\\u200B"\n---\n', 'title', 'The title is empty.'],
    ['---\ntitle: [a, b]\n---\n', 'title', 'The "title" is not a text but a list.'],
    ['---\ntitle:\n  a: b\n---\n', 'title', 'The "title" is not a text but a mapping.'],
    ['+++\ntitle = 7\n+++\n', 'title', 'The "title" is not a text but 7; put it in quotes.'],
    [
      '---\ntitle: T\n',
      'front-matter',
      'The front matter opened by --- on line 1 is never closed.',
    ],
    [
      'AUTHOR: J\r\nTITLE: T\r\nALLOW COMMENTS: 1\r\n-----\r\nBODY:\r\nText\r\n-----\r\n--------\r\n',
      'content',
      'It is an export of Movable Type, of many posts, which is not read. Bring it into WordPress, and import what that exports.',
    ],
    [
      '+++\ntitle = "T"\n---\n',
      'front-matter',
      'The front matter opened by +++ on line 1 is never closed.',
    ],
    [
      '{\n"title": "T"\n',
      'front-matter',
      'The front matter opened by { on line 1 is never closed.',
    ],
    ['{"title": 7}', 'title', 'The "title" is not a text but 7; put it in quotes.'],
    ['{}\nText', 'title', `The front matter has no title. ${choices}`],
    ['---\ntitle: T\n<<: base\n---\n', 'front-matter', 'What "<<" merges is not a mapping.'],
    ['---\n- a\n---\n', 'front-matter', 'The YAML is not a list of "name: value" members.'],
    [
      '---\ntitle: Foo: bar: baz\n---\n',
      'front-matter',
      'The YAML cannot be read: a text with ": " in it must be in quotes (line 2)',
    ],
  ])('says what is missing in %j', (text, errorClass, message) => {
    expect(() => readPost(text, 'a.md', undefined)).toThrow(
      expect.objectContaining({ class: errorClass, message }),
    );
  });

  it('names the line of a mistake in TOML', () => {
    expect(() => readPost('+++\ntitle = "T"\nx = \n+++\n', 'a.md', undefined)).toThrow(
      /^The TOML cannot be read: .* \(line 3\)$/,
    );
  });

  it('says why its JSON cannot be read', () => {
    expect(() => readPost('{"title": "T",}\nText', 'a.md', undefined)).toThrow(
      /^The JSON cannot be read: .*(?:token|property)/,
    );
  });

  it('is not one with a bomb of aliases: they are never expanded', () => {
    const levels = Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`);
    const text = lines('---', 'a0: &a0 [x]', ...levels, 'title: Still here', '---', 'Text');
    expect(readPost(text, 'a.md', undefined).title).toBe('Still here');
  });
});
