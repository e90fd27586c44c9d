const always = 1 << 28;
const times = 200;

/** How many bytes an archive may hold, by its own size: texts are seldom packed better than 50 to 1. */
export function mostUnpacked(bytes: number): number {
  return Math.max(always, bytes * times);
}
