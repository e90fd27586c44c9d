import { describe, expect, it } from 'vitest';
import { readLinkTemplates } from '../../../src/hal/links.ts';

const [rel, template] = ['https://a.example/docs/articleKey', 'https://a.example/keys/{key}'];
const link = { rel, template };

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
