import { type Arbitrary, nat, string } from 'fast-check';

const [surrogate, surrogates] = [0xd800, 0x800];

/** One character of Unicode, as `binary` of fast-check, which makes a table of a million of them first. */
export const anyCharacter: Arbitrary<string> = nat(0x10ffff - surrogates).map(
  (at) => String.fromCodePoint(at < surrogate ? at : at + surrogates),
  (text) => {
    const code = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (code === undefined || text !== String.fromCodePoint(code)) throw new Error('no character');
    return code < surrogate ? code : code - surrogates;
  },
);

export function anyText(maxLength?: number): Arbitrary<string> {
  return string({ unit: anyCharacter, ...(maxLength !== undefined && { maxLength }) });
}
