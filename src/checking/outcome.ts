import { refusal } from '../client/refusals.ts';
import { BlogctlError } from '../errors.ts';
import { type HalDocument, parseJson } from '../hal/document.ts';
import { distinctJson } from '../terminal/text.ts';
import sentences from './sentences.json' with { type: 'json' };
import { NoAnswer, type Reply, type Send, type SentRequest } from './wire.ts';

/**
 * The sentences of docs/interface.md by their numbers, for a command that has no documents at hand;
 * a test holds the two together.
 */
export { sentences };
export type SentenceNumber = keyof typeof sentences;

/** A rule can fail; a choice is what a service does where the interface is silent; a note tells why
 * nothing is looked at. */
export type Kind = 'rule' | 'choice' | 'note';

/** What looking at a sentence came to. */
export type Outcome =
  /** With what alone was tried of it, where that is not all. */
  | { readonly outcome: 'held'; readonly what?: string }
  | { readonly outcome: 'choice' | 'note' | 'skipped'; readonly what: string }
  | {
      readonly outcome: 'broken';
      readonly reply: SentRequest;
      readonly expected: string;
      readonly got: string;
      /** The sentence for which that was asked, where it is another one. */
      readonly asker?: SentenceNumber;
    };

type Evidence = { readonly reply: SentRequest; readonly expected: string; readonly got: string };

/** A rule that does not hold: what was asked, expected and got. */
export class Broken extends Error {
  override readonly name = 'Broken';
  readonly evidence: Evidence;

  constructor(evidence: Evidence) {
    super(`Expected ${evidence.expected}, got ${evidence.got}.`);
    this.evidence = evidence;
  }
}

/** As the first, with what else is broken. */
export function withAlso({ evidence }: Broken, others: readonly Broken[]): Broken {
  const also = others.map(({ evidence: { reply, expected, got } }) => {
    const { method, headers } = (reply.after ?? reply).request;
    const conditions = Object.keys(headers).filter((name) => name.startsWith('if-'));
    return `; ${[method, ...conditions].join(' with ')} too: expected ${expected}, got ${got}`;
  });
  return new Broken({ ...evidence, got: [evidence.got, ...new Set(also)].join('') });
}

/** What is not checked, and why. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** Told by the rule that it needs. */
export function lacking(number: SentenceNumber): Skipped {
  return new Skipped(`${number} is broken, and it needs that`);
}

/** What a check ended with; anything else than a finding ends the run. */
export function asOutcome(error: unknown): Outcome {
  if (error instanceof Broken) return { outcome: 'broken', ...error.evidence };
  if (error instanceof Skipped) return { outcome: 'skipped', what: error.message };
  throw error;
}

/** What is made of a request without an answer; of one that leads away from the blog, which flag goes there. */
export function silence(
  { asked, failure }: NoAnswer,
  kind: Kind,
  { request }: Reply,
  replies: readonly Reply[],
): Outcome {
  if (kind === 'choice') return { outcome: 'choice', what: failure.message };
  const { url } = asked.request;
  const home = new URL(request.url).origin;
  const [flag] = /--allow-(?:origin [^\s,]+|insecure-links)/.exec(failure.hint ?? '') ?? [];
  if (new URL(url).origin === home || flag === undefined)
    return { outcome: 'broken', reply: asked, expected: 'an answer', got: failure.message };
  // It was never sent: what has the link is told.
  const [place = url] = url.split('?');
  const has = ({ document }: Reply) => JSON.stringify(document?.body)?.includes(place);
  const reply = replies.find(has) ?? asked;
  const got = `${url}, where ${flag} goes`;
  return { outcome: 'broken', reply, expected: `a link to ${home}`, got };
}

export const readsAlone = 'only reads were tried';

/** What of a rule about all that is shown was tried. */
export function partOf(shownReplies: readonly SentRequest[]): string | undefined {
  return shownReplies.length < 3 ? 'there was no article to look at' : undefined;
}

export function expectThat(isSo: boolean, reply: SentRequest, expected: string, got: string): void {
  if (!isSo) throw new Broken({ reply, expected, got });
}

export function requireStatus(reply: Reply, ...wanted: readonly number[]): void {
  expectThat(wanted.includes(reply.status), reply, wanted.join(' or '), String(reply.status));
}

/** Whether two answers show the same. */
export function isAlike(one: Reply, other: Reply): boolean {
  return JSON.stringify(one.document?.body) === JSON.stringify(other.document?.body);
}

/** A change of an article that is refused, and not made all the same: the article as it is then. */
export async function requireRefused(send: Send, reply: Reply, status: number): Promise<Reply> {
  requireStatus(reply, status);
  const { method, url, body } = reply.request;
  const now = { ...(await send('GET', url)), after: reply };
  const isAway = method === 'DELETE' && isGone.has(now.status);
  expectThat(!isAway, now, `the article, as DELETE was ${status}`, String(now.status));
  const sent = body === undefined ? {} : JSON.parse(String(body));
  const there = now.document?.body ?? {};
  for (const name of ['title', 'content']) {
    const isMade = typeof sent[name] === 'string' && there[name] === sent[name];
    expectThat(!isMade, now, `${name} as before, as PUT was ${status}`, quoted(there[name]));
  }
  return now;
}

/** A client that follows no redirects comes to nothing. */
export function wayOf({ redirect }: Reply): string | undefined {
  return redirect === undefined ? undefined : `only what a redirect (${redirect}) leads to is 200`;
}

export const halType = 'application/hal+json';

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

/** Whether what came is JSON, if anything did; a byte order mark before it is none (RFC 8259, 8.1). */
export function isJson({ excerpt, defect, document, unread }: Reply): boolean {
  const isRead = document !== undefined || 'value' in parseJson(unread ?? new Uint8Array());
  return excerpt === '' || (defect === undefined && isRead && !excerpt.startsWith('\ufeff'));
}

/** What is shown with 200 to everybody. */
export function requireShown(reply: Reply): string | undefined {
  if (isRefused(reply)) throw lacking('5.2');
  requireStatus(reply, 200);
  if (!isJson(reply)) throw lacking('1.2');
  expectThat(reply.document !== undefined, reply, 'a JSON object', 'none');
  return wayOf(reply);
}

/** The representation that came, or Skipped: another rule tells that it did not come. */
export function shown(reply: Reply, seeRule: SentenceNumber): HalDocument {
  if (succeeded(reply) && reply.document !== undefined) return reply.document;
  if (succeeded(reply) && !isJson(reply)) throw lacking('1.2');
  throw new Skipped(`nothing to look at was shown (${reply.status}), see ${seeRule}`);
}

const mostQuoted = 120;

export function quoted(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = distinctJson(value);
  const length = typeof value === 'string' ? ` (${value.length} characters)` : '';
  return text.length > mostQuoted ? `${text.slice(0, mostQuoted)}…${length}` : text;
}

/** Whether a member of an article is what it has to be: one that is not is told by 2.8 and 2.9 alone. */
export function hasItsType(name: string, value: unknown): boolean {
  if (name === 'title') return typeof value === 'string';
  return name !== 'content' || value === undefined || typeof value === 'string';
}

export function succeeded({ status }: Reply): boolean {
  return status >= 200 && status <= 299;
}

/** A read that wants a token, or more rights. */
export function isRefused({ status }: Reply): boolean {
  return status === 401 || status === 403;
}

export function requireOpen(reply: Reply): void {
  expectThat(!isRefused(reply), reply, 'an answer without a token', String(reply.status));
}

export function isMistake({ status }: Reply): boolean {
  return status >= 400 && status <= 499;
}

export const weakness =
  'its tags are weak, which the interface leaves open, and If-Match takes none of these (RFC 9110, 13.1.1)';

export function isRefusedAsWeak({ status }: Reply, etag: string): boolean {
  return status === 412 && etag.startsWith('W/');
}

export function requireApplied(reply: Reply): void {
  expectThat(succeeded(reply), reply, 'the change, as its condition holds', String(reply.status));
}

export function ifSkipped(error: unknown): undefined {
  if (error instanceof Skipped) return undefined;
  throw error;
}

export function ifUnanswered(error: unknown): undefined {
  if (error instanceof NoAnswer) return undefined;
  throw error;
}

/** What is not answered tells nothing of rights. */
export async function requireAllowed(answer: Promise<Reply>): Promise<void> {
  const reply = await answer.catch(ifUnanswered);
  if (reply?.status === 401 || reply?.status === 403) {
    throw ending(reply);
  }
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', DELETE: 'delete' };

/** What was tried, and where, is our affair: a token that will not do is the user's. */
export function ending({ request, status, headers, document }: Reply): BlogctlError {
  const body = Buffer.from(document === undefined ? '' : JSON.stringify(document.body));
  const error = refusal(request, { status, headers, body, tokenRefused: status === 401 });
  if (status !== 401 && status !== 403) return error;
  const may = `may not ${verbs[request.method]} articles, as --write does`;
  const message = `The token ${status === 401 ? 'was refused' : may}.`;
  return new BlogctlError(error.code, message, error.context);
}

/** Statuses of what is not there. */
export const isGone: ReadonlySet<unknown> = new Set([404, 410]);

/** Whether an article bears the title of a run, or keeps it in its content. */
export function isNamed(article: HalDocument | undefined, title: string): boolean {
  const { title: titled, content = '' } = article?.body ?? {};
  return String(titled).startsWith(title) || String(content).includes(title);
}
