/** The flags every command takes, as they were given (docs: blogctl --help). */
export type Flags = {
  readonly blog?: string;
  readonly profile?: string;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly retries?: number;
  /** Milliseconds. */
  readonly maxWait?: number;
  readonly tokenFile?: string;
  /** Origins beside the blog's own that links may lead to. */
  readonly allowOrigin?: readonly string[];
  readonly allowInsecureLinks?: boolean;
  readonly format?: string;
  readonly json?: boolean;
  readonly csvSafe?: boolean;
  /** The file of --output. */
  readonly output?: string;
  readonly overwrite?: boolean;
  readonly yes?: boolean;
  readonly verbose?: number;
  readonly debug?: boolean;
};
