/** The page of what terminals show of a service at that port. */
export function capture(port: string): Promise<string>;
