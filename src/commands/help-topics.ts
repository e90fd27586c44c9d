import { environment } from './environment.ts';
import { exitCodes } from './exit-codes.ts';

/** Texts of `blogctl help <topic>`. */
export const topics: Readonly<Record<string, () => string>> = {
  environment: () => `Environment variables

${rows(Object.entries(environment))}
Flags outrank variables; variables outrank .blogctl.json, the profile in use and the
configuration file, in this order. blogctl config list --show-origin shows what decided.
`,

  'exit-codes': () => `Exit codes

${rows(exitCodes().map(({ status, meaning }) => [String(status), meaning]))}
With --json or --format ndjson each line on stderr is one JSON object: error, warning,
notice, progress or trace. The member "code" of an error says more precisely what happened:

${rows(exitCodes().map(({ status, codes }) => [String(status), codes.join(', ')]))}`,

  formatting: () => `Formatting

stdout carries the answer and nothing else; notices, questions, progress and errors go to
stderr. On a terminal the answer is a table, in a pipe tab-separated lines.

${rows([
  ['table', 'for reading; cut to the width of the screen, at 30 rows without --all'],
  ['json', 'one document (--json is the same)'],
  ['ndjson', 'one JSON document a line'],
  ['csv', 'RFC 4180 with a heading; --csv-safe for spreadsheets'],
  ['tsv', 'one line each, no heading; \\t \\n \\r \\\\ and control characters are escaped'],
  ['ids', 'one id a line, for blogctl articles get - and delete -'],
  ['md', 'a Markdown table; an article as articles export writes it'],
])}
  --fields id,title   only these fields, in this order
  --field content     the bare value: into a pipe to the byte
  --jq '.[].title'    filter the JSON with jq
  -o, --output file   write the answer to a file that is there whole or not at all

Control characters of texts never reach a terminal; JSON has them as \\u escapes.
`,

  import: () => `Importing

blogctl articles import takes

${rows([
  ['posts', 'folders and files of Markdown or HTML, with front matter or --title-from'],
  ['records', 'NDJSON, JSON, CSV and TSV; --map says which members are title and content'],
  ['exports', 'of WordPress (WXR) and Ghost (JSON)'],
  ['feeds', 'RSS 2.0, RDF (RSS 1.0), Atom, JSON Feed'],
  ['-', 'any single file of these from stdin'],
])}
Any of them may be compressed by gzip; a zip archive is read as the folder that it holds.
Every record is looked at before anything is sent. What a file is, is seen in what it holds.

A record has an identity: the path of a post, the guid, uuid or id of an item, a member
such as id or slug (--key-field chooses), else its text; never its position. From it comes
the Idempotency-Key, so the same import run again creates nothing twice, from whatever
machine, after whatever interruption, whatever the file is called.

What is not public is skipped and counted by its reason: draft, unpublished, future (a date
to come), password, visibility members, status pending. --drafts takes it too, --status
the states it names.

Wrong records stop the import before the first request (exit 7). --continue-on-error
leaves them out, writes them to --rejects and ends with 10; the rejects file can be
mended and imported again.

The summary on stdout always adds up:
  records = created + replayed + skipped + rejected + inDoubt + unsent

See blogctl articles import --help for the flags.
`,
};

function rows(entries: readonly (readonly [string, string] | readonly string[])[]): string {
  const filled = entries.filter(([, text]) => text !== '');
  const widest = Math.max(...filled.map(([name = '']) => name.length));
  return filled.map(([name = '', text]) => `  ${name.padEnd(widest)}  ${text}\n`).join('');
}
