/** Answers the archive. */
export function pack(folder: string): Promise<string>;
/** Answers the archive that was installed. */
export function installPacked(folder: string): Promise<string>;
/** What each program said. */
export function runPrograms(folder: string, node?: string): Promise<readonly string[]>;
/** What is wrong, by setting. */
export function checkTypes(folder: string): Promise<readonly string[]>;
