import type { BlogClient } from '../client/blog-client.ts';
import type { Transport } from '../http/transport.ts';
import type { ConfigFile } from '../settings/config-file.ts';
import type { Flags } from '../settings/layers.ts';
import type { Setting, Settings, LookedUpToken } from '../settings/settings.ts';
import type { Target } from '../settings/target.ts';
import type { Streams } from '../terminal/streams.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What a process offers; `process` is one. */
export type Host = Streams & {
  readonly platform: string;
  cwd(): string;
  geteuid?(): number;
};

/** What commands may use of the outside world, each part loaded when first asked for. */
export type Context = {
  readonly terminal: Terminal;
  readonly flags: Flags;
  readonly env: Host['env'];
  readonly platform: string;
  /** The folder relative paths start from. */
  readonly folder: string;
  /** The effective user; undefined where the platform has none. */
  readonly uid?: number | undefined;
  /** Ends at the first Ctrl-C, SIGTERM or SIGHUP; its reason is the BlogctlError to end with. */
  readonly signal: AbortSignal;
  config(): Promise<ConfigFile>;
  settings(): Promise<Settings>;
  /** The blog this command is about, and what chose it. */
  chosen(): Promise<Setting<Target>>;
  /** Before that blog is changed: says, once, that a project's file chose it, if one did. Answers its name. */
  announceBlog(): Promise<string>;
  /** The token for an origin and where it comes from; undefined where there is none. */
  token(origin: string): Promise<LookedUpToken>;
  /** What carries requests to that blog, and where it begins; see `client`. */
  connection(options?: ClientOptions): Promise<Connection>;
  /** A client of that blog; the store file of a local one stays open until close. */
  client(options?: ClientOptions): Promise<BlogClient>;
  /**
   * Lets the store file of a local blog go while a person thinks, and answers whether there was one: then
   * its client is of no use any more.
   */
  release(): Promise<boolean>;
  /** Ends what is open; what was written to a file is kept only where the command succeeded. */
  close(succeeded: boolean): Promise<void>;
};

export type Connection = { readonly transport: Transport; readonly blogUrl: string };

export type ClientOptions = {
  /**
   * Requests under way are finished after Ctrl-C; the caller heeds `signal` between them.
   * Without it they end with `signal`.
   */
  readonly finishRequests?: boolean;
  /** Instead of --retries, for a caller that repeats requests by a plan of its own. */
  readonly retries?: number;
  /** Instead of --timeout. */
  readonly timeoutMs?: number;
  /**
   * Where the store file of the blog is not there: it is made, or the local blog is taken as the
   * empty blog that it will be. Without it that is `not-found`, and nothing is made.
   */
  readonly missing?: 'make' | 'empty';
  /** The address of another blog than the chosen one; only `token` is sent there. */
  readonly at?: string;
  readonly token?: string;
};
