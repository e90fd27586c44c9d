/** The text of a file, as build and tests take it in. */
declare module '*?raw' {
  const text: string;
  export { text as default };
}
