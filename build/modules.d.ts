/** The text of a file, as build and tests take it in. */
declare module '*?raw' {
  const text: string;
  export { text as default };
}

declare module 'pgpass' {
  /** Finds the password of a place in PGPASSFILE or ~/.pgpass, which nobody else may read. */
  const pgpass: {
    (
      where: Readonly<Record<'host' | 'database' | 'user', string>> & { readonly port: number },
      give: (password: string | undefined) => void,
    ): void;
    /** Where remarks about the file go instead of stderr. */
    warnTo(stream: NodeJS.WritableStream): void;
  };
  export { pgpass as default };
}
