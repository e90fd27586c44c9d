import { type HalDocument, isObject, parseJson } from '../hal/document.ts';
import type { HttpRequest, HttpResponse } from '../http/transport.ts';
import type { Probe } from './probe.ts';
import type { SentenceNumber } from './sentences.ts';

/** A rule can fail; a choice is what a service does where the interface is silent. */
export type Kind = 'rule' | 'choice' | 'skipped';

export type Check = {
  readonly number: SentenceNumber;
  readonly kind: Kind;
  /** It changes articles of its own, so it is done with --write alone. */
  readonly writes: boolean;
  /** Rules without which this one tells nothing: where one is broken, this one is skipped. */
  readonly needs: readonly SentenceNumber[];
  /**
   * A rule that holds resolves, one that does not throws Broken; a choice resolves to what the
   * service does. What cannot be seen throws Skipped.
   */
  readonly run: (probe: Probe) => Promise<string | void>;
};

type Terms = Partial<Pick<Check, 'writes' | 'needs'>>;

export function rule(
  number: SentenceNumber,
  run: (probe: Probe) => Promise<void>,
  { writes = false, needs = [] }: Terms = {},
): Check {
  return { number, kind: 'rule', writes, needs, run };
}

export function choice(
  number: SentenceNumber,
  run: (probe: Probe) => Promise<string>,
  { writes = false, needs = [] }: Terms = {},
): Check {
  return { number, kind: 'choice', writes, needs, run };
}

/** A sentence that is not checked, and why. */
export function note(number: SentenceNumber, reason: string): Check {
  const run = async () => {
    throw new Skipped(reason);
  };
  return { number, kind: 'skipped', writes: false, needs: [], run };
}

export type Asked = {
  readonly request: HttpRequest;
  /** No token went with it. */
  readonly isAnonymous: boolean;
};

/** An answer and what was asked for it. */
export type Reply = Asked & {
  readonly status: number;
  readonly headers: HttpResponse['headers'];
  /** Absent where the body is no JSON object, whatever it is labelled as. */
  readonly document: HalDocument | undefined;
  readonly isEmpty: boolean;
};

export function replyOf(
  request: HttpRequest,
  { status, headers, body }: HttpResponse,
): Omit<Reply, 'isAnonymous'> {
  const parsed = parseJson(body);
  const value = 'value' in parsed ? parsed.value : undefined;
  const document = isObject(value) ? { url: request.url, body: value } : undefined;
  return { request, status, headers, document, isEmpty: body.length === 0 };
}

export function succeeded({ status }: Reply): boolean {
  return status >= 200 && status <= 299;
}

type Evidence = { readonly reply: Asked; readonly expected: string; readonly got: string };

/** A rule that does not hold: what was asked, expected and got. */
export class Broken extends Error {
  override readonly name = 'Broken';
  readonly evidence: Evidence;

  constructor(evidence: Evidence) {
    super(`Expected ${evidence.expected}, got ${evidence.got}.`);
    this.evidence = evidence;
  }
}

/** What is not checked, and why. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

export function expectThat(isSo: boolean, reply: Asked, expected: string, got: string): void {
  if (!isSo) throw new Broken({ reply, expected, got });
}

export function requireStatus(reply: Reply, ...wanted: readonly number[]): void {
  expectThat(wanted.includes(reply.status), reply, wanted.join(' or '), String(reply.status));
}

const halType = 'application/hal+json';

export function requireType(reply: Reply): void {
  const type = reply.headers['content-type'];
  const [name = ''] = (type ?? '').split(';');
  expectThat(
    name.trim().toLowerCase() === halType,
    reply,
    `Content-Type: ${halType}`,
    quoted(type),
  );
}

/** The representation that came, or Skipped: another rule tells that it did not come. */
export function shown(reply: Reply, seeRule: SentenceNumber): HalDocument {
  if (succeeded(reply) && reply.document !== undefined) return reply.document;
  throw new Skipped(`nothing to look at was shown (${reply.status}), see ${seeRule}`);
}

const mostQuoted = 120;

export function quoted(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > mostQuoted ? `${text.slice(0, mostQuoted)}…` : text;
}

/** An id that no blog has come to: the highest that a column of 32 bits can hold, but one. */
export const unlikelyId = 2_147_483_646;
