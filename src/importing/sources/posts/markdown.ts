import { basename, dirname, resolve } from 'node:path';

import { identify, postIdentity, type Identity } from '../../identity/identity.ts';
import { postPathsBelow } from '../../identity/post-path.ts';
import type { FileFormat, FileSample } from '../file-format.ts';
import { fileKind } from '../files/file-kind.ts';
import type { ReadingOptions, Source } from '../source.ts';
import { postEntry } from './post-entry.ts';

/** A post that was sent to stdin or has another name than posts have. */
export const singlePost: FileFormat = {
  name: 'a Markdown file',
  isNeverFound: true,
  recognises: ({ head, path }) =>
    fileKind(path) !== 'markup' && /^(?:---|\+\+\+)[ \t\r]*\n/.test(head),
  open: openSingle,
};

/** A file that holds a post where nothing else was recognised: the title may be its first line. */
export const plainText: FileFormat = {
  name: 'plain text (.txt)',
  isNeverFound: true,
  recognises: ({ extension }) => extension === '.txt',
  open: openSingle,
};

function openSingle({ path, name }: FileSample, options: ReadingOptions): Source {
  return {
    name,
    async *portions() {
      const identity = identityOfFile(path, name, options);
      yield [postEntry({ path, place: { source: name, position: 1 }, identity }, options)];
    },
  };
}

/** A stream has no path. */
function identityOfFile(path: string, name: string, { root }: ReadingOptions): Identity {
  if (name === 'stdin') return identify('record', {}, { file: name });
  const folder = dirname(path);
  const pathOf = postPathsBelow(folder, basename(resolve(folder)), root);
  return postIdentity(pathOf(basename(path)));
}
