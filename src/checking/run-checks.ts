import type { HttpRequest } from '../http/transport.ts';
import { addressesOf, readBlog, ruleOf } from './addresses.ts';
import { changeChecks } from './change-checks.ts';
import {
  type Check,
  createProbe,
  type OwnArticles,
  type Probe,
  type Sender,
  sender,
  unseen,
} from './check.ts';
import { conditionChecks } from './condition-checks.ts';
import { errorChecks } from './error-checks.ts';
import { runName } from './listing.ts';
import {
  asOutcome,
  Broken,
  isRefused,
  type Kind,
  lacking,
  type Outcome,
  readsAlone,
  type SentenceNumber,
  sentences,
  silence,
  Skipped,
  succeeded,
} from './outcome.ts';
import { createOwnArticles, deniedTo } from './own-articles.ts';
import { pageChecks } from './page-checks.ts';
import type { Rest } from './remains.ts';
import { representationChecks } from './representations.ts';
import { createWire, NoAnswer, NotCreated, Unclear, type Wire, type WireOptions } from './wire.ts';

const inOrder = Object.keys(sentences);

/** One check a sentence of the interface, in their order. */
export const checks: readonly Check[] = [
  ...representationChecks,
  ...pageChecks,
  ...changeChecks,
  ...conditionChecks,
  ...errorChecks,
].toSorted((one, other) => inOrder.indexOf(one.number) - inOrder.indexOf(other.number));

export type Result = Outcome & { readonly check: Check; readonly sentence: string };

export type CheckRun = Rest & {
  readonly results: readonly Result[];
  readonly requests: number;
  /** Addresses of the articles that it made. */
  readonly made: ReadonlySet<string>;
  /** What ended it before all was looked at, and the sentence that was looked at then. */
  readonly end?: { readonly error: unknown; readonly at?: SentenceNumber };
};

export type World = WireOptions &
  Sender & {
    /** The name of this run, which its articles bear. */
    readonly name: string;
    readonly only?: ReadonlySet<SentenceNumber>;
    /** Told how many sentences were looked at so far. */
    readonly checked?: (count: number) => void;
  };

/** Enough for a page between two others. */
const keptApart = 3;
/** How often a check is tried whose answers were lost. */
const attempts = 3;

/**
 * Checks a service, one request after the other. An address without a blog and a service that falls
 * silent at once are the errors that every command ends with.
 */
export async function runChecks(world: World): Promise<CheckRun> {
  const wire = createWire(world);
  const blog = await readBlog(wire, world.anonymous, world.blogUrl);
  const addresses = addressesOf(blog.document ?? { url: world.blogUrl, body: {} });
  const own = isRefused(blog) ? lacking('5.2') : ownArticles(world, wire, addresses);
  const send = sender(world, wire);
  const probe = createProbe({ send, wire, blog, addresses, own });
  const articles = own instanceof Skipped ? undefined : own;
  const hindrance: unknown = await articles?.keep(keptApart).catch((error: unknown) => error);
  const found = await resultsOf(probe, world, hindrance).catch((error: unknown) => ({
    results: [],
    end: { error },
  }));
  const rest = (await articles?.clear()) ?? { left: [], unknown: [], missing: [], earlier: [] };
  return { ...found, ...rest, requests: wire.sent(), made: articles?.made ?? new Set() };
}

function ownArticles(
  world: World,
  wire: Wire,
  addresses: ReturnType<typeof addressesOf>,
): OwnArticles | Skipped {
  if (world.token === undefined) return new Skipped('needs --write');
  const home = new URL(world.blogUrl).origin;
  if (new URL(addresses.collection).origin !== home) {
    return new Skipped(`the token goes to ${home} alone, and the articles are elsewhere`);
  }
  return createOwnArticles({
    ...addresses,
    blogUrl: world.blogUrl,
    title: `${runName}${world.name}`,
    send: sender(world, wire),
    rest: (ms) => wire.rest(ms),
    sendEvenNow: sender(world, wire, true),
    bodies: wire.bodies,
    mayPut: () => wire.replies.some((each) => each.request.method === 'PUT' && succeeded(each)),
    isDeleted: (url) =>
      wire.replies.some(
        (each) => each.request.method === 'DELETE' && each.request.url === url && succeeded(each),
      ),
  });
}

/** Those that look at every answer, or at each of a kind, come last. */
const observing: ReadonlySet<SentenceNumber> = new Set(['1.2', '1.6', '4.12', '7.3', '8.1']);

/** `hindrance` is what kept articles from being made. */
async function resultsOf(
  probe: Probe,
  { only, checked, signal }: World,
  hindrance: unknown,
): Promise<Pick<CheckRun, 'results' | 'end'>> {
  const known = new Map<SentenceNumber, Outcome>();
  const underWay = new Set<SentenceNumber>();
  const askers = new Map<HttpRequest, SentenceNumber>();
  let end: CheckRun['end'];
  const silenceOf = (lost: NoAnswer, kind: Kind) =>
    silence(lost, kind, probe.blog, probe.wire.replies);
  const stop = (error: unknown, at: SentenceNumber) => {
    end ??= { error, at };
    probe.wire.end(error);
  };
  const outcomeOf = async (check: Check): Promise<Outcome> => {
    const { number } = check;
    underWay.add(number);
    try {
      const outcome = known.get(number) ?? (await lookAt(check));
      known.set(number, outcome);
      return outcome;
    } catch (error) {
      stop(error, number);
      throw error;
    } finally {
      underWay.delete(number);
    }
  };
  const lookAt = async (check: Check): Promise<Outcome> => {
    if (isRefused(probe.blog) && check.number !== '5.2' && check.kind !== 'note') {
      return asOutcome(lacking('5.2'));
    }
    const needed = await firstBroken(check.needs, false);
    if (needed !== undefined) return asOutcome(lacking(needed));
    const before = probe.wire.replies.length;
    const outcome = await tryOut(check, probe);
    for (const { request } of probe.wire.replies.slice(before)) askers.set(request, check.number);
    if (!(outcome instanceof NoAnswer)) return outcome;
    // Whatever 4.12 is answered by itself.
    if (outcome instanceof NotCreated && check.number !== '4.12') {
      known.set('4.12', silenceOf(outcome, 'rule'));
      return asOutcome(lacking('4.12'));
    }
    const told = ruleOf(outcome.asked, probe) ?? check.number;
    const silent = await firstBroken(told === check.number ? [] : [told], true);
    return silent === undefined ? silenceOf(outcome, check.kind) : asOutcome(lacking(silent));
  };
  /** What a rule that is under way is taken for is up to who needs it. */
  const firstBroken = async (numbers: readonly SentenceNumber[], ifUnderWay: boolean) => {
    for (const check of checks.filter(({ number }) => numbers.includes(number))) {
      const isBroken = underWay.has(check.number)
        ? ifUnderWay
        : (await outcomeOf(check)).outcome === 'broken';
      if (isBroken) return check.number;
    }
    return undefined;
  };
  let harm: SentenceNumber | undefined;
  if (hindrance instanceof NoAnswer) {
    const number = ruleOf(hindrance.asked, probe) ?? '4.12';
    await requireAlive(probe, hindrance).then(
      () => known.set(number, silenceOf(hindrance, 'rule')),
      (error: unknown) => stop(error, number),
    );
  } else if (hindrance instanceof Broken) {
    harm = ruleOf(hindrance.evidence.reply, probe) ?? '4.16';
    known.set(harm, asOutcome(hindrance));
  } else if (hindrance !== undefined && !(hindrance instanceof Skipped)) {
    const denied = deniedTo(probe);
    if (denied !== undefined) known.set('7.5', denied);
    // Who asks for nothing else gave such a token to see it.
    if (denied === undefined || [...(only ?? [])].join() !== '7.5') stop(hindrance, '4.12');
  }
  // Harm is told, whatever was asked for.
  const chosen = checks.filter(({ number }) => number === harm || (only?.has(number) ?? true));
  const isLate = ({ number }: Check) => observing.has(number);
  const inTurn = [...chosen.filter((each) => !isLate(each)), ...chosen.filter(isLate)];
  for (const [at, check] of inTurn.entries()) {
    // Whatever stops it, what was answered until then is judged, and what was found is shown.
    await outcomeOf(check).catch(() => undefined);
    if (end === undefined) checked?.(at + 1);
  }
  const results = chosen.map((check): Result => {
    const outcome = known.get(check.number) ?? unseen(check);
    const what = isLate(check) && outcome.outcome === 'held' ? partOfAll(probe, only) : undefined;
    const isOfAll = isLate(check) && outcome.outcome === 'broken';
    const asked = isOfAll ? askers.get(outcome.reply.request) : undefined;
    const asker = asked === check.number ? undefined : asked;
    return resultOf(check, { ...outcome, ...(what && { what }), ...(asker && { asker }) });
  });
  return end === undefined || signal.aborted ? { results } : { results, end };
}

export function resultOf(check: Check, outcome: Outcome): Result {
  return { check, sentence: sentences[check.number], ...outcome };
}

/** What of all answers was there to look at. */
function partOfAll({ wire, mayWrite }: Probe, only: World['only']): string | undefined {
  if (wire.isEnded() || only !== undefined) return 'not all answers were there to look at';
  return mayWrite ? undefined : readsAlone;
}

async function tryOut(check: Check, probe: Probe): Promise<Outcome | NoAnswer> {
  for (let tried = 1; ; tried += 1) {
    try {
      if (check.writes) probe.own();
      const what = await check.run(probe);
      if (check.kind !== 'rule') return { outcome: check.kind, what: String(what) };
      return typeof what === 'string' ? { outcome: 'held', what } : { outcome: 'held' };
    } catch (error) {
      if (error instanceof Unclear && tried < attempts) continue;
      if (!(error instanceof NoAnswer)) return asOutcome(error);
      await requireAlive(probe, error);
      return error;
    }
  }
}

/** A service that answers nothing else either is gone: that ends the run. */
async function requireAlive({ send, blog }: Probe, error: NoAnswer): Promise<void> {
  await send('GET', blog.request.url).catch((gone: unknown) => {
    throw gone instanceof NoAnswer ? error : gone;
  });
}
