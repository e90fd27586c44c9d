import type { FileFormat, FileSample } from '../file-format.ts';
import { identify } from '../../identity/identity.ts';
import { checkText, checkTitle } from '../record-text.ts';
import { Flaw, type Entry, type Portion, type ReadingOptions } from '../source.ts';
import { reasonToSkip } from './selection.ts';
import { readWxrItems, type WxrItem } from './wxr-items.ts';

const words = { post: 'post', published: 'publish', drafts: ['draft', 'pending', 'future'] };

/** The export of WordPress; a post is known by its `wp:post_id`. */
export const wordPressExport: FileFormat = {
  name: 'WordPress (WXR)',
  recognises: ({ head }) => head.startsWith('<') && /<rss[\s>]|<wp:wxr_version>/.test(head),
  open: (sample, options) => ({
    name: sample.name,
    portions: () => itemPortions(sample, options),
  }),
};

async function* itemPortions(
  { path, name }: FileSample,
  options: ReadingOptions,
): AsyncGenerator<Portion, void, void> {
  let before = 0;
  for await (const items of readWxrItems({ path, name }, options)) {
    const first = before + 1;
    yield items.map((item, index) =>
      entryOfItem(item, { source: name, position: first + index }, options),
    );
    before += items.length;
  }
}

function entryOfItem(
  item: WxrItem,
  place: { source: string; position: number },
  options: ReadingOptions,
): Entry {
  const { postType = 'post', status = 'publish', title = '', content = '' } = item;
  const reason = reasonToSkip({ type: postType, status }, options, words);
  if (reason !== undefined) return { kind: 'skip', place, reason };
  const identity = identify('wordpress', { post: item.postId }, { file: place.source });
  try {
    const text = { title: checkTitle(title.trim()), content: checkText('content', content) };
    return { kind: 'record', identity, place, ...text };
  } catch (error) {
    if (!(error instanceof Flaw)) throw error;
    const record = { title, content };
    return { kind: 'reject', identity, place, flaw: error, record };
  }
}
