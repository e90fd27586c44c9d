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
