/** For each command the screens that were seen, the last one at rest. */
export function play(): Promise<readonly (readonly string[])[]>;
