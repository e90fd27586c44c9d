type Asset = { readonly type: string; readonly load: () => Promise<{ readonly default: string }> };

const script = 'text/javascript';

/** What the pages for people load: our own, a renderer of Markdown and a sanitizer of HTML. */
const assets: Readonly<Record<string, Asset>> = {
  'style.css': { type: 'text/css', load: () => import('./browser/style.css?raw') },
  'explorer.js': { type: script, load: () => import('./browser/explorer.js?raw') },
  'text.js': { type: script, load: () => import('./browser/text.js?raw') },
  'changes.js': { type: script, load: () => import('./browser/changes.js?raw') },
  'marked.js': {
    type: script,
    load: () => import('../../node_modules/marked/lib/marked.umd.js?raw'),
  },
  'purify.js': {
    type: script,
    load: () => import('../../node_modules/dompurify/dist/purify.min.js?raw'),
  },
};

export async function assetNamed(
  name: string,
): Promise<{ readonly type: string; readonly text: string } | undefined> {
  const asset = Object.hasOwn(assets, name) ? assets[name] : undefined;
  if (asset === undefined) return undefined;
  const { default: text } = await asset.load();
  // The map of a library is not served.
  return { type: asset.type, text: text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n') };
}
