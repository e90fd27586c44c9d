import { type Hint, statuses, UnusableOption } from '../errors.ts';
import type { Delay, Fault } from '../http/faults.ts';
import { parseDelay, parseFault, wrongPartOf } from '../http/faults.ts';
import { createTrust, parseNetwork } from '../policy/target-uri.ts';
import { parseRate } from '../policy/authentication.ts';

/** What can be chosen for a run of the service; every text as it is typed. */
export type ServeOptions = {
  /** The store file, made where it is missing, or `postgres://…`. Left alone where `ephemeral`. */
  readonly file: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly host: string;
  /** Title and description of the blog in a file made for this run. */
  readonly title?: string;
  readonly description?: string;
  /** What links begin with; absent = the Host of each request (decisions 23). */
  readonly baseUrl?: string;
  /** Networks whose word about the client is taken, as `10.0.0.0/8` (decisions 23). */
  readonly trustProxy?: readonly string[];
  /** Names answered for besides the local ones (decisions 24). */
  readonly allowedHosts?: readonly string[];
  /** Origins whose pages may use the service, as `https://app.example` (decisions 25). */
  readonly cors?: readonly string[] | undefined;
  /** A token known from the start (decisions 27). */
  readonly token?: string | undefined;
  readonly maxPageSize?: number;
  readonly maxBodyBytes?: number;
  /** Every change is refused (decisions 33); file and folder need not be writable. */
  readonly readOnly?: boolean;
  /** Takes over what other programs write into the file. */
  readonly watch?: boolean;
  /** To a database, for reading; one more writes. */
  readonly storeConnections?: number;
  readonly requirePreconditions?: boolean;
  /** Requests of each client, as `10/s` (decisions 35). */
  readonly rateLimit?: string | undefined;
  /** How long a stop waits for what still runs. */
  readonly graceMs?: number;
  /** In memory alone: the store starts as a copy of `seed` and is forgotten at the end. */
  readonly ephemeral?: boolean;
  /** What an empty store starts with: a file of articles (JSON, NDJSON or a store), or a list. */
  readonly seed?: string | readonly unknown[] | undefined;
  /** Ends a start that waits for the writer of its seed. */
  readonly signal?: AbortSignal;
  /** Lets every answer wait, as `200` or `100-300` milliseconds. */
  readonly delay?: string | undefined;
  /** Failures on purpose, as `POST drop-after-commit 5%`, `once` or `2 times`. */
  readonly faults?: readonly string[] | undefined;
  /** Lets the holder of the run's token put back what is `ephemeral`, at `/control/`. */
  readonly control?: boolean;
  /** Does not keep the process running. */
  readonly background?: boolean;
  /** Takes one line about each request, or several joined by line ends. */
  readonly accessLog?: (lines: string) => void;
  readonly logFormat?: 'text' | 'json';
  readonly notice?: (text: string) => void;
};

/** The same options, read; throws UnusableOption where one says nothing we know. */
export type Choices = {
  readonly baseUrl: string | undefined;
  readonly trusts: (address: string) => boolean;
  readonly origins: readonly string[];
  readonly rate: number | undefined;
  readonly delay: Delay | undefined;
  readonly faults: readonly Fault[];
};

type Texts = Pick<
  ServeOptions,
  'baseUrl' | 'trustProxy' | 'cors' | 'token' | 'rateLimit' | 'delay' | 'faults'
>;

export function readOptions(options: Texts): Choices {
  const { trustProxy = [], cors = [], faults = [] } = options;
  const networks = trustProxy.map((text) =>
    must('trustProxy', parseNetwork(text), [
      `No network: ${text}`,
      'Write an address or a range, as 10.0.0.0/8.',
    ]),
  );
  checkToken(options.token);
  return {
    baseUrl: maybe(options.baseUrl, (text) =>
      must('baseUrl', parseBaseUrl(text), [
        `No base URL: ${text}`,
        'Write it as https://blog.example.',
      ]),
    ),
    trusts: createTrust(networks),
    origins: cors.map((text) =>
      must('cors', parseOrigin(text), [
        `No origin: ${text}`,
        'Write scheme and host, as https://app.example.',
      ]),
    ),
    rate: maybe(options.rateLimit, (text) =>
      must('rateLimit', parseRate(text), [`No rate: ${text}`, 'Write requests a second, as 10/s.']),
    ),
    delay: maybe(options.delay, (text) =>
      must('delay', parseDelay(text), [
        `No delay: ${text}`,
        'Write milliseconds up to 999999, as 200 or 100-300.',
      ]),
    ),
    faults: readFaults(faults),
  };
}

/** All fields of a request share 16 KB (decisions 42). */
const longestToken = 8000;

/** Another one no request could carry in its header. It is a secret, so it is not said. */
function checkToken(token = 'none'): void {
  if (token.length > longestToken) {
    const message = `The token chosen is longer than ${longestToken} letters, and a header has room for 16 KB.`;
    throw new UnusableOption('token', message, 'Take a shorter one.');
  }
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(token)) return;
  const message = 'The token chosen cannot be sent in a header.';
  throw new UnusableOption('token', message, 'Take letters, digits and signs of ASCII.');
}

/** Reads faults as they are typed; throws UnusableOption that names the one that is none. */
export function readFaults(texts: readonly string[]): readonly Fault[] {
  return texts.map((text) => {
    const fault = parseFault(text);
    if (fault !== undefined) return fault;
    const [told, part] = wrongPartOf(text);
    const hint: Hint = `Write method, what and how often, as 'POST drop-after-commit once'; ${partsOfFaults[part]}.`;
    throw new UnusableOption('faults', `No fault: ${text}; ${told}`, hint);
  });
}

const partsOfFaults = {
  method:
    'the method is *, GET, HEAD, OPTIONS, POST, PUT or DELETE, and a path may stand behind it',
  what: `what is status 503 (${statuses.join(', ')}), slow 200ms (up to 999999ms), drop-before or drop-after-commit`,
  often: 'how often is 5%, once or 3 times (up to 999999)',
};

function must<Value>(
  option: keyof ServeOptions,
  value: Value | undefined,
  [message, hint]: readonly [string, Hint],
): Value {
  if (value === undefined) throw new UnusableOption(option, message, hint);
  return value;
}

function maybe<Value>(text: string | undefined, read: (text: string) => Value): Value | undefined {
  return text === undefined ? undefined : read(text);
}

/** Without trailing slashes; a path before the API is for a proxy that takes it away. */
function parseBaseUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, pathname, search, hash, username } = new URL(text);
  const isPlain = search === '' && hash === '' && username === '';
  if (!isPlain || !/^https?:$/.test(protocol)) return undefined;
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

function parseOrigin(text: string): string | undefined {
  return URL.canParse(text) && new URL(text).origin === text ? text : undefined;
}
