import { checksumHolds } from './article-line.ts';
import { checksum, checksumAt } from './checksum.ts';
import { AFTER_REVISION, ETAG, ID, lineStart, noLineStart, TAG } from './line-bytes.ts';

const LONGEST_REVISION = 15;
const TAG_AT_END = new RegExp(`${ETAG}${TAG}"\\}$`);
/** Each costs some dozen checksums; a person changes more lines than damage does. */
const MOST_TRIED = 100;

/** The line as it was written, where its own checksum proves that. */
export type Restorer = (line: Buffer) => Buffer | undefined;

/** For one reading of a file. */
export function createRestorer(): Restorer {
  let tried = 0;
  return (line) => ((tried += 1) > MOST_TRIED ? undefined : restored(line));
}

/** A digit of the id or a letter of the word `etag` is all that can be told from the rest. */
function restored(line: Buffer): Buffer | undefined {
  const { id } = lineStart(line, 0, noLineStart());
  const wanted = checksumAt(line, line.length - AFTER_REVISION + 1);
  if (wanted < 0 || !line.toString('latin1', 0, 40).startsWith(`${ID}${id}`)) return undefined;
  if (!TAG_AT_END.test(line.toString('latin1', Math.max(0, line.length - 40))))
    return withTagName(line, wanted);
  const rest = line.subarray(`${ID}${id}`.length, line.lastIndexOf(ETAG));
  const proven = similarIds(id).find(
    (other) => checksum(rest, checksum(`${ID}${other}`)) === wanted,
  );
  return proven === undefined ? undefined : withId(line, proven);
}

function withTagName(line: Buffer, wanted: number): Buffer | undefined {
  for (let digits = 1; digits <= LONGEST_REVISION; digits += 1) {
    const cut = line.length - AFTER_REVISION - digits - ETAG.length;
    if (cut < 0 || checksum(line.subarray(0, cut)) !== wanted) continue;
    const text = [line.subarray(0, cut), Buffer.from(ETAG), line.subarray(cut + ETAG.length)];
    const whole = Buffer.concat(text);
    return checksumHolds(whole) ? whole : undefined;
  }
  return undefined;
}

/** The line of another article than it says. */
function withId(line: Buffer, id: number): Buffer {
  const said = `${ID}${lineStart(line, 0, noLineStart()).id}`;
  return Buffer.concat([Buffer.from(`${ID}${id}`), line.subarray(said.length)]);
}

/** A line that was restored as one of article `id`; undefined where it is another. */
export function restoredAs(line: Buffer, id: number): Buffer | undefined {
  const { id: said } = lineStart(line, 0, noLineStart());
  const whole = said === id ? restored(line) : withId(line, id);
  return whole !== undefined && checksumHolds(whole) ? whole : undefined;
}

/** The ids that differ from this one in one digit: what a damaged digit may have been. */
export function similarIds(id: number): number[] {
  const text = String(id);
  const others: number[] = [];
  for (let at = 0; at < text.length; at += 1) {
    for (let digit = at === 0 ? 1 : 0; digit <= 9; digit += 1) {
      const other = Number(`${text.slice(0, at)}${digit}${text.slice(at + 1)}`);
      if (other !== id && Number.isSafeInteger(other)) others.push(other);
    }
  }
  return others;
}
