/** Whether a byte begins a character of two, where the second one may be an ASCII sign. */
const leads: Readonly<Record<string, (byte: number) => boolean>> = {
  shift_jis: (byte) => (byte > 0x80 && byte < 0xa0) || (byte > 0xdf && byte < 0xfd),
  gbk: (byte) => byte > 0x80 && byte < 0xff,
  gb18030: (byte) => byte > 0x80 && byte < 0xff,
  big5: (byte) => byte > 0x80 && byte < 0xff,
};

const backslash = 0x5c;
const bar = 0x7c;
/** Stand for a backslash and a bar; neither is ever the second byte of a character. */
const forBackslash = 0x01;
const forBar = 0x02;

/**
 * In these encodings a backslash or a bar may be half of a character (0x83 0x5C is one of
 * katakana). It is replaced in its place until its record is decoded, so that whoever looks for
 * signs finds none there. What follows well-formed UTF-8 is a sign by itself.
 */
export function protectSigns(label: string | undefined): (chunk: Buffer) => Buffer {
  const isLead = leads[label ?? ''];
  if (isLead === undefined) return (chunk) => chunk;
  let awaitsSecond = false;
  const run = createUtf8Run();
  return (chunk) => {
    for (const [at, byte] of chunk.entries()) {
      if (byte > 0x7f) {
        awaitsSecond = !awaitsSecond && isLead(byte);
        run.add(byte);
        continue;
      }
      if (awaitsSecond && !run.isWhole()) {
        if (byte === backslash) chunk[at] = forBackslash;
        else if (byte === bar) chunk[at] = forBar;
      }
      awaitsSecond = false;
      run.begin();
    }
    return chunk;
  };
}

/** The bytes as they stand in the file. */
export function bareSigns(bytes: Buffer, label: string | undefined): Buffer {
  if (leads[label ?? ''] === undefined) return bytes;
  const bare = Buffer.from(bytes);
  for (let at = 1; at < bare.length; at += 1) {
    if ((bytes[at - 1] ?? 0) < 0x80) continue;
    if (bytes[at] === forBackslash) bare[at] = backslash;
    else if (bytes[at] === forBar) bare[at] = bar;
  }
  return bare;
}

/** Whether the bytes since the last ASCII sign are whole characters of UTF-8, as far as they show. */
function createUtf8Run() {
  let missing = 0;
  let isWrong = false;
  return {
    begin(): void {
      missing = 0;
      isWrong = false;
    },
    add(byte: number): void {
      if (missing > 0) {
        if (byte > 0xbf) isWrong = true;
        missing -= 1;
      } else if (byte > 0xf4 || byte < 0xc2) isWrong = true;
      else missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    },
    isWhole: () => !isWrong && missing === 0,
  };
}
