/** The picture as text. */
export function draw(): string;
