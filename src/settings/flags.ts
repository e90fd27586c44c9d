/** The flags every command takes, as they were given (docs: blogctl --help). */
export type Flags = {
  readonly blog?: string;
  readonly timeout?: number;
  readonly retries?: number;
  readonly maxWait?: number;
  readonly tokenFile?: string;
  readonly verbose?: number;
  readonly format?: string;
  readonly json?: boolean;
  readonly debug?: boolean;
};
