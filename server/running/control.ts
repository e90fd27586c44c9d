import { Refusal, UnusableOption } from '../errors.ts';
import { type App, noBody, type Request, type Response, readTarget } from '../http/message.ts';
import { withRefusals } from '../http/refusals.ts';
import { checkFraming, checkTransferCoding, parseJson } from '../policy/body.ts';
import { createAuthenticator, fixedTokens } from '../policy/authentication.ts';
import { checkHost } from '../policy/target-uri.ts';
import type { Mark, Rewindable } from './rewindable.ts';

type Controlled = {
  readonly blog: Rewindable;
  /** The only one that is taken. */
  readonly token: string;
  readonly report: (error: unknown) => void;
};

const prefix = '/control/';
const maxBodyBytes = 64 * 1024;
/** What browsers and proxies add, and programs do not. */
const foreignSigns = [
  'origin',
  'sec-fetch-site',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
] as const;
const local = { loopback: true, allowed: [] };

/**
 * Lets test suites in any language hold a blog in memory: `/control/…` beside the API, not part of
 * it. Nothing but a program on this machine that has the run's token gets in: no page of any
 * origin (no CORS, and who names an Origin is refused), no foreign Host, whatever the API allows.
 */
export function withControl(app: App, controlled: Controlled): App {
  const { blog, token, report } = controlled;
  const grantOf = createAuthenticator(fixedTokens(new Map([['this run', token]])));
  const snapshots = new Map<string, Mark>();
  const answer = async (request: Request): Promise<Response> => {
    const { headers, method, peer, target } = request;
    const { authority, path } = readTarget(target);
    checkHost(headers['host'], local);
    if (authority !== undefined) checkHost(authority, local);
    const sign = foreignSigns.find((field) => headers[field] !== undefined);
    if (sign !== undefined) {
      const whom = 'A page or a proxy may not control this service';
      throw new Refusal('forbidden', `${whom}, and this request has ${sign}.`);
    }
    await grantOf({ token: headers['x-access-token'], address: peer, now: Date.now() });
    checkTransferCoding(headers);
    const [name = '', ...more] = path.slice(prefix.length).split('/');
    const actions = actionsOf(name, more, { blog, snapshots }) ?? refusePath(path);
    const action = actions[method] ?? refuseMethod(method, Object.keys(actions));
    return (await action(request)) ?? done;
  };
  const control = withRefusals(answer, { baseUrl: '', report });
  return (request) => (isControl(request) ? inJson(control, request) : app(request));
}

function isControl({ target }: Request): boolean {
  return /^(?:https?:\/\/[^/?#]*)?\/control\//.test(target);
}

/** As an answer to be sent under the media type that is documented. */
async function inJson(app: App, request: Request): Promise<Response> {
  const { status, headers, ...rest } = await app(request);
  const type = headers['Content-Type'] === undefined ? {} : { 'Content-Type': 'application/json' };
  return { status, headers: { ...headers, ...type, 'Cache-Control': 'no-store' }, ...rest };
}

type Action = (request: Request) => Promise<Response | void>;
type ControlState = { readonly blog: Rewindable; readonly snapshots: Map<string, Mark> };

const snapshotName = /^[\w.~-]{1,64}$/;

/** What can be done at a path, by method. */
function actionsOf(
  name: string,
  more: readonly string[],
  { blog, snapshots }: ControlState,
): Readonly<Record<string, Action>> | undefined {
  const [snapshot, ...rest] = more;
  if (name === 'snapshots' && snapshot !== undefined && rest.length === 0) {
    if (!snapshotName.test(snapshot)) throw new Refusal('bad-request', badName);
    return {
      PUT: async () => void snapshots.set(snapshot, blog.mark()),
      POST: () => restore(blog, snapshots.get(snapshot)),
    };
  }
  if (more.length > 0) return undefined;
  if (name === 'reset') return { POST: () => blog.rewind() };
  if (name === 'faults') {
    return { PUT: (request) => replaceFaults(blog, request), DELETE: async () => blog.commit([]) };
  }
  if (name !== 'requests') return undefined;
  return {
    GET: async () => json(blog.seen()),
    DELETE: async () => blog.forgetSeen(),
  };
}

const badName = 'The name of a snapshot has 1 to 64 letters, digits, dots, dashes or tildes.';

async function restore(blog: Rewindable, mark: Mark | undefined): Promise<void> {
  if (mark === undefined) throw new Refusal('not-found', 'There is no snapshot of this name.');
  await blog.rewind(mark);
}

async function replaceFaults(blog: Rewindable, request: Request): Promise<void> {
  checkFraming(request.headers, maxBodyBytes);
  const faults = parseJson(await request.body(maxBodyBytes));
  if (!isTexts(faults)) {
    throw new Refusal('bad-request', 'Faults are an array of texts: ["GET status 503 once"].');
  }
  try {
    blog.commit(faults);
  } catch (error) {
    if (!(error instanceof UnusableOption)) throw error;
    throw new Refusal('bad-request', `${error.message}. ${error.hint}`);
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function json(value: unknown): Response {
  const body = Buffer.from(JSON.stringify(value));
  const headers = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
  return { status: 200, headers, body };
}

const done: Response = { status: 204, headers: {}, body: noBody };

function refusePath(path: string): never {
  throw new Refusal('not-found', `There is nothing at ${path.slice(0, 200)}.`);
}

function refuseMethod(method: string, known: readonly string[]): never {
  const allow = known.join(', ');
  throw new Refusal('method-not-allowed', `${method} is not for this path: ${allow}.`, {
    headers: { Allow: allow },
  });
}
