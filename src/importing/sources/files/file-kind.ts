import { extname } from 'node:path';

/**
 * What a file of a folder may be by its name: a post; a text, which is a post where it has a title;
 * a file of records, by what it holds; anything else is passed over.
 */
export type FileKind = 'post' | 'text' | 'data' | 'markup' | 'image' | 'other';

const extensions: readonly (readonly [FileKind, string])[] = [
  ['post', '.md .markdown .mkd .mkdn .mkdown .mdx .html .htm'],
  ['text', '.txt'],
  ['data', '.json .ndjson .jsonl .csv .tsv .tab .xml .rss .atom .rdf .zip'],
  ['markup', '.textile .org .rst .adoc .asciidoc'],
  ['image', '.png .jpg .jpeg .gif .svg .webp .avif .bmp .ico .tif .tiff .heic'],
];

const kinds = new Map(
  extensions.flatMap(([kind, names]) =>
    names.split(' ').map((name): [string, FileKind] => [name, kind]),
  ),
);

export function fileKind(path: string): FileKind {
  return kinds.get(extname(withoutGz(path)).toLowerCase()) ?? 'other';
}

export function isPostFile(path: string): boolean {
  return fileKind(path) === 'post';
}

/** What a file is called where it is unpacked. */
export function withoutGz(path: string): string {
  return path.replace(/\.gz$/i, '');
}
