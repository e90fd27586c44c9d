// Each of these mistakes must be caught by the enumeration of crash states: proof that it bites.
const store = 'server/store/json-file/';

export const mutants = [
  {
    name: 'acknowledge before the sync',
    file: `${store}commit/write-batch.ts`,
    from: 'document.noteWritten();\n    await document.file.syncData();',
    to: 'document.noteWritten();',
  },
  {
    name: 'compaction: no sync of the draft',
    file: `${store}compaction/draft.ts`,
    from: 'await file.sync();\n      return { end',
    to: 'return { end',
  },
  {
    name: 'compaction: no sync of the folder',
    file: `${store}compaction/compact.ts`,
    from: 'await draft.syncName();',
    to: '',
  },
  {
    name: 'creation: no sync of the folder',
    file: `${store}create.ts`,
    from: 'await fileSystem.syncFolder(dirname(path));',
    to: '',
  },
  {
    name: 'creation: no sync of the file',
    file: `${store}create.ts`,
    from: 'await file.sync();',
    to: '',
  },
  {
    name: 'compaction in place',
    file: `${store}compaction/draft.ts`,
    from: 'const temporary = temporaryPath(path);\n  const file = fileSystem.open(temporary, ',
    to: 'const temporary = path;\n  fileSystem.remove(path);\n  const file = fileSystem.open(temporary, ',
  },
  {
    name: 'compaction: what was committed meanwhile is forgotten',
    file: `${store}compaction/compact.ts`,
    from: 'at < document.end;',
    to: 'false;',
  },
  {
    name: 'compaction: deletions are forgotten',
    file: `${store}index/article-index.ts`,
    from: 'for (const slot of dead.members()) {',
    to: 'for (const slot of []) {',
  },
  {
    name: 'compaction: the last change of the blog is forgotten',
    file: `${store}format/head.ts`,
    from: 'new Date(blog.changedAt).toISOString()',
    to: 'new Date(0).toISOString()',
  },
  {
    name: 'a tombstone drops its key',
    file: `${store}format/compose-line.ts`,
    from: 'return keyAlone(line.key);',
    to: 'return keyAlone(undefined);',
  },
  {
    name: 'the revision is not counted on',
    file: `${store}commit/article-writer.ts`,
    from: 'revision: line.revision + 1',
    to: 'revision: 1',
  },
  {
    name: 'a byte of an acknowledged line is written again',
    file: `${store}commit/write-batch.ts`,
    from: 'await writeFully(document.file, batch.bytes, document.end);',
    to: `await writeFully(document.file, Buffer.from(' '), document.end - 1);
    await writeFully(document.file, Buffer.concat([Buffer.from('\\n'), batch.bytes]), document.end - 1);`,
  },
  {
    name: 'recovery: the footer is believed',
    file: `${store}recovery/load.ts`,
    from: 'last.checksum === footer.checksum',
    to: 'true',
  },
  {
    name: 'recovery: seals are not checked',
    file: `${store}format/article-line.ts`,
    from: 'hexAt(line, end - 8) === checksum(line.subarray(0, cut))',
    to: 'true',
  },
  {
    name: 'recovery: the torn tail is not cut off',
    file: `${store}recovery/recover.ts`,
    from: 'file.truncate(tail.cut);\n  await file.sync();',
    to: '',
  },
  {
    name: 'recovery: a line changed by hand keeps its broken seal',
    file: `${store}recovery/canonical-line.ts`,
    from: 'text: textOfLine(next)',
    to: 'text: Buffer.from(found.toString().replaceAll("\\n", ""))',
  },
  {
    name: 'lock: the evidence of a crash is not durable',
    file: `${store}lock/hold.ts`,
    from: 'return write(true);',
    to: 'return write(false);',
  },
  {
    name: 'lock: a compaction does not move the evidence of a crash',
    file: `${store}json-file-store.ts`,
    from: 'if (end >= this.#armedFrom) return;',
    to: 'if (this.#armedFrom < Number.POSITIVE_INFINITY) return;',
  },
  {
    name: 'lock: the evidence of a crash is dropped by the next opening',
    file: `${store}lock/hold.ts`,
    from: 'own.text = { ...own.text, bytesAtOpen };',
    to: ';',
  },
  {
    name: 'an unfinished draft is taken for the truth',
    file: `${store}files/temporary-file.ts`,
    from: 'if (isOurs) fileSystem.remove(join(folder, other));',
    to: 'if (isOurs && !other.includes(".lock.")) fileSystem.rename(join(folder, other), path);',
  },
];
