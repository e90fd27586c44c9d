import { setTimeout as wait } from 'node:timers/promises';
import { refusal } from '../client/refusals.ts';
import { BlogctlError } from '../errors.ts';
import { type HalDocument, isObject, parseJson } from '../hal/document.ts';
import type { HttpRequest, HttpResponse, Transport } from '../http/transport.ts';
import { asFailure, endedBy, waitAskedFor } from '../http/with-retry.ts';

export type WireOptions = {
  /** The longest single wait, whatever Retry-After asks for; milliseconds. */
  readonly maxWaitMs: number;
  /** How often a request without an answer is sent again, and one for which it came too soon. */
  readonly retries: number;
  readonly signal: AbortSignal;
  /** Told before each wait. */
  readonly notice?: (text: string) => void;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
};

export type SentRequest = {
  readonly request: HttpRequest;
  /** No token went with it. */
  readonly isAnonymous: boolean;
  /** The change whose effect it shows. */
  readonly after?: SentRequest;
};

/** An answer and what was asked for it. */
export type Reply = SentRequest & {
  /** It may be refused. */
  readonly isOdd?: boolean;
  readonly status: number;
  readonly headers: HttpResponse['headers'];
  readonly redirect?: number | undefined;
  /** Absent where the body is no JSON object, whatever it is labelled as. */
  readonly document: HalDocument | undefined;
  /** What hindered reading it, beside its not being JSON. */
  readonly defect: string | undefined;
  /** The beginning of its body. */
  readonly excerpt: string;
  /** All of a body that is no document. */
  readonly unread?: Uint8Array;
};

/** An article that this run made and may change. */
export type Own = { readonly url: string; readonly reply: Reply };
/** With what is read of it. */
export type Kept = Own & { readonly now: Reply };

/** What a request has besides its method and address. */
export type Extra = {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as application/json. */
  readonly json?: unknown;
  readonly body?: string;
  /** Sends no token. */
  readonly anonymous?: boolean;
  /** What a service need not take: it may refuse it, and must not fail. */
  readonly isOdd?: boolean;
};

export type Send = (method: string, url: string, extra?: Extra) => Promise<Reply>;

export type How = {
  /** For what has to be done after Ctrl-C. */
  readonly evenNow?: boolean;
  /** No token goes with it. */
  readonly isAnonymous?: boolean;
  readonly isOdd?: boolean;
};

export type Wire = {
  send(transport: Transport, request: HttpRequest, how?: How): Promise<Reply>;
  /** What was answered so far. */
  readonly replies: readonly Reply[];
  /** All bodies that were sent, answered or not. */
  readonly bodies: ReadonlySet<string>;
  /** Requests sent, repetitions included. */
  readonly sent: () => number;
  /** From now on nothing is sent but what has to be done even then: the checks judge what came. */
  end(reason: unknown): void;
  readonly isEnded: () => boolean;
  rest(ms: number): Promise<void>;
  /** How often the service asked for less haste (429). */
  readonly slowed: () => number;
};

/** This request was not answered, or not sent, as it leads elsewhere; `failure` says so. */
export class NoAnswer extends Error {
  override readonly name: string = 'NoAnswer';
  readonly asked: SentRequest;
  readonly failure: BlogctlError;

  constructor(asked: SentRequest, failure: BlogctlError) {
    super(failure.message);
    this.asked = asked;
    this.failure = failure;
  }
}

/** A change was sent twice because its first answer was lost: the second one proves nothing. */
export class Unclear extends NoAnswer {
  override readonly name = 'Unclear';
}

/** A check needed an article, and the request for it was not answered. */
export class NotCreated extends NoAnswer {
  override readonly name = 'NotCreated';
}

const firstWaitMs = 100;
/** What was waited for so long without an answer is not asked again. */
const longMs = 1000;
const safe = new Set(['GET', 'HEAD', 'OPTIONS']);
/** No creation: it has no key, and might make a second article. */
const repeatable = new Set([...safe, 'PUT', 'DELETE']);

/**
 * Sends what the checks ask, one after the other. It waits where the service asks for it
 * (Retry-After) and then keeps to the pace that it bore; everything else is an answer to look at.
 */
export function createWire(options: WireOptions): Wire {
  const { signal, notice, maxWaitMs, retries } = options;
  const sleep = options.sleep ?? ((ms, until) => wait(ms, undefined, until && { signal: until }));
  const replies: Reply[] = [];
  const bodies = new Set<string>();
  /** What was waited for long and not answered, by what was asked; after two no third is waited for. */
  const silences = new Map<string, readonly BlogctlError[]>();
  let sent = 0;
  let slowed = 0;
  let sinceSlowed = 0;
  let paceMs = 0;
  let ended: { readonly reason: unknown } | undefined;

  const rest = async (ms: number, evenNow: boolean) => {
    if (ms <= 0) return;
    await sleep(ms, evenNow ? undefined : signal).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
  };

  const attempt = async (transport: Transport, request: HttpRequest, evenNow: boolean) => {
    if (ended !== undefined && !evenNow) throw ended.reason;
    await rest(paceMs, evenNow);
    if (!evenNow) signal.throwIfAborted();
    if (request.body !== undefined) bodies.add(String(request.body));
    sent += 1;
    sinceSlowed += 1;
    const outcome = transport(request).catch(asFailure);
    // A read may be left alone; what a change has done must be known.
    return evenNow || !safe.has(request.method) ? outcome : endedBy(signal, outcome);
  };

  return {
    replies,
    bodies,
    sent: () => sent,
    slowed: () => slowed,
    end: (reason) => (ended ??= { reason }),
    isEnded: () => ended !== undefined,
    rest: (ms) => rest(ms, false),
    send: async (transport, request, { evenNow = false, isAnonymous = false, isOdd } = {}) => {
      const kind = kindOf(request);
      const [first, again] = silences.get(kind) ?? [];
      if (first && again && !evenNow) throw new NoAnswer({ request, isAnonymous }, first);
      let lost: BlogctlError | undefined;
      for (let tried = 1; ; tried += 1) {
        const began = performance.now();
        const outcome = await attempt(transport, request, evenNow);
        if (outcome instanceof BlogctlError) {
          const isWorthIt = outcome.context.retryable === true && repeatable.has(request.method);
          const isLong = performance.now() - began >= longMs;
          if (isLong) silences.set(kind, [...(silences.get(kind) ?? []), outcome]);
          if (!isWorthIt || isLong || tried > retries)
            throw new NoAnswer({ request, isAnonymous }, outcome);
          if (!safe.has(request.method)) lost = outcome;
          await rest(firstWaitMs * 2 ** tried, evenNow);
          continue;
        }
        silences.delete(kind);
        const waitMs = waitAskedFor(outcome, firstWaitMs * 2 ** tried);
        if (waitMs === undefined) {
          const reply = { ...replyOf(request, outcome), isAnonymous, ...(isOdd && { isOdd }) };
          replies.push(reply);
          if (lost !== undefined && !evenNow) throw new Unclear({ request, isAnonymous }, lost);
          return reply;
        }
        if (waitMs > maxWaitMs || tried > retries) throw refusal(request, outcome);
        if (outcome.status === 429) {
          slowed += 1;
          paceMs = Math.max(paceMs, waitMs / sinceSlowed);
          sinceSlowed = 0;
        }
        const seconds = Math.ceil(waitMs / 1000);
        if (seconds > 0) notice?.(`The service asked to wait (${outcome.status}): ${seconds} s.`);
        await rest(waitMs, evenNow);
      }
    },
  };
}

/** Changes by their method; reads by what they are of. */
function kindOf({ method, url }: HttpRequest): string {
  return safe.has(method) ? `${method} ${new URL(url).pathname.replaceAll(/\d+/g, '#')}` : method;
}

const mostShown = 120;

function replyOf(
  request: HttpRequest,
  { status, headers, body, redirect }: HttpResponse,
): Omit<Reply, 'isAnonymous'> {
  const parsed = parseJson(body);
  const value = 'value' in parsed ? parsed.value : undefined;
  const document = isObject(value) ? { url: request.url, body: value } : undefined;
  const coding = headers['content-encoding'];
  const coded = coding === undefined ? undefined : `${coding}, which was not asked for`;
  const defect = coded ?? ('defect' in parsed ? parsed.defect : undefined);
  const excerpt = Buffer.from(body).toString().slice(0, mostShown);
  const reply = { request, status, headers, redirect, document, defect, excerpt };
  return document === undefined ? { ...reply, unread: body } : reply;
}

/**
 * Whether a run sent just these texts, or this content with its title in it. Who has no content may have had
 * none before, unless nothing was there.
 */
export function isSent(
  bodies: ReadonlySet<string>,
  name: string,
  { title, content = '' }: HalDocument['body'],
  wasNothing: boolean,
): boolean {
  if (content === '' && !wasNothing) return false;
  return [...bodies].some((text) => {
    const parsed = parseJson(Buffer.from(text));
    const sent = 'value' in parsed && isObject(parsed.value) ? parsed.value : {};
    const isOurs = String(content).includes(name) || sent['title'] === title;
    return title !== undefined && isOurs && (sent['content'] ?? '') === content;
  });
}

/** Whether what is no JSON has the title in it, whatever letters it is written in. */
export function isMarked(reply: Reply, title: string): boolean {
  const letters = Buffer.from(reply.unread ?? '')
    .toString('latin1')
    .replaceAll('\0', '');
  return reply.status < 300 && letters.includes(title);
}
