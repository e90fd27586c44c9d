import { describe, expect, it } from 'vitest';
import { readLinkTemplates, targetOf } from '../../../src/hal/links.ts';

const [rel, template] = ['https://a.example/docs/articleKey', 'https://a.example/keys/{key}'];
const link = { rel, template };

describe('the address of a link', () => {
  const document = { url: 'https://a.example/blog', body: {} };
  const addressOf = (href: string) =>
    targetOf(document, { rel: 'doc:articles', href, templated: true }, { pageSize: 3 });

  it.each([
    ['/all{?pageIndex,pageSize}', 'https://a.example/all?pageSize=3'],
    ['/all', 'https://a.example/all'],
  ])('expands its template: %s', (href, address) => {
    expect(addressOf(href)).toBe(address);
  });

  it.each(['/all{?pageSize', '/all?pageSize}', '/{a{b}', 'http://['])('is none: %s', (href) => {
    expect(() => addressOf(href)).toThrow(
      `The "doc:articles" link at https://a.example/blog is no address: ${href}`,
    );
  });
});

describe('a Link-Template field', () => {
  it.each([
    ['one link', `"${template}"; rel="${rel}"`, [link]],
    ['no space', `"${template}";rel="${rel}"`, [link]],
    ['other parameters', `"${template}"; var-base="/x"; a; b=?1; rel="${rel}"`, [link]],
    ['the last of two of a name', `"${template}"; rel="first"; rel="${rel}"`, [link]],
    [
      'several links',
      `"/{a}"; rel="x" ,\t"${template}"; rel="${rel}"`,
      [{ rel: 'x', template: '/{a}' }, link],
    ],
    [
      'commas and quotes inside',
      String.raw`"/{a,b}\"\\"; rel="a,b"`,
      [{ rel: 'a,b', template: String.raw`/{a,b}"\ `.trim() }],
    ],
    ['a link without rel', `"/{a}", "${template}"; rel="${rel}"`, [link]],
    ['nothing', '', []],
    ['a link of the field Link', `<${template}>; rel="${rel}"`, []],
    ['a list that ends in a comma', `"${template}"; rel="${rel}",`, []],
    ['an open quote', `"${template}; rel=x`, []],
    ['something behind', `"${template}"; rel="${rel}" x`, []],
  ])('with %s', (_what, field, links) => {
    expect(readLinkTemplates(field)).toEqual(links);
  });
});
