import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const growsTo = 4;
const lookEveryMs = 20;

/**
 * For a command that reads without end and keeps nothing: the space for new objects grows once, from
 * one megabyte to four, instead of with what passes through it. Then collections are rare enough to
 * leave the processors to the import and its service, and the memory does not depend on the number
 * of records (`npm run bench -- import`).
 */
export function keepMemorySteady(): void {
  setFlagsFromString(`--semi-space-growth-factor=${growsTo}`);
  const looking = setInterval(() => {
    if (megabytesForNewObjects() < growsTo / 2) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    clearInterval(looking);
  }, lookEveryMs);
  looking.unref();
}

function megabytesForNewObjects(): number {
  const spaces = getHeapSpaceStatistics();
  const { space_used_size: used = 0, space_available_size: free = 0 } =
    spaces.find(({ space_name: name }) => name === 'new_space') ?? {};
  return (used + free) / 1024 ** 2;
}
