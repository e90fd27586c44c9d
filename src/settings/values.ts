const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `500ms`, `30s`, `5m`, `2h`, `30d` in milliseconds; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  const [, figure, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const factor = unitsMs[unit];
  if (figure === undefined || factor === undefined) return undefined;
  return Math.round(Number(figure) * factor);
}

/** Plain digits; undefined for anything else. */
export function readWholeNumber(text: string): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(value) ? value : undefined;
}
