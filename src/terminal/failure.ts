import { BlogctlError, type ErrorContext, type ErrorDetail } from '../errors.ts';
import {
  clipped,
  type Piece,
  printableJson,
  printableWords,
  red,
  type Text,
  yellow,
} from './text.ts';

/**
 * A failure for a person: what happened, each detail and cause on a line of its own, and the next
 * step. Anything but a BlogctlError is our own bug and says so.
 */
export function describeFailure(thrown: unknown, debug = false): Text {
  const error = asBlogctlError(thrown);
  const text: Piece[] = [red('error:'), ` ${printableWords(withStatus(error))}\n`];
  for (const { pointer, detail } of detailsOf(error)) {
    if (error.message.includes(detail) && error.message.includes(pointer ?? '')) continue;
    text.push(`  ${printableWords(pointer === undefined ? detail : `${pointer}: ${detail}`)}\n`);
  }
  for (const cause of causesOf(error)) text.push(`cause: ${printableWords(cause)}\n`);
  if (error.hint !== undefined) {
    text.push(yellow('hint:'), ` ${printableWords(error.hint)}\n`);
  }
  if (debug) text.push(`${stackOf(thrown)}\n`);
  return text;
}

function withStatus({ message, context: { status } }: BlogctlError): string {
  return status === undefined ? message : `${message.replace(/\.$/, '')} (HTTP ${status})`;
}

/** The same as one line of JSON, for scripts that read JSON. */
export function failureAsJson(thrown: unknown, debug = false): string {
  const error = asBlogctlError(thrown);
  const { status, method, url, retryable, details }: ErrorContext = error.context;
  const causes = causesOf(error);
  const members = {
    code: error.code,
    exitCode: error.exitStatus,
    message: clipped(error.message),
    status,
    method,
    url: url && clipped(url),
    retryable: retryable ?? false,
    hint: error.hint && clipped(error.hint),
    details: details && detailsOf(error),
    cause: causes.length === 0 ? undefined : clipped(causes.join(': ')),
    stack: debug ? stackOf(thrown) : undefined,
  };
  return `${printableJson({ error: members })}\n`;
}

const mostDetails = 20;

/** A service may name a million flaws. */
function detailsOf({ context: { details = [] } }: BlogctlError): readonly ErrorDetail[] {
  const shown = details.slice(0, mostDetails).map(({ pointer, detail }) => ({
    ...(pointer !== undefined && { pointer: clipped(pointer) }),
    detail: clipped(detail),
  }));
  const more = details.length - shown.length;
  return more === 0 ? shown : [...shown, { detail: `and ${more} more` }];
}

/** Every failure as a BlogctlError: what the system refuses is named, anything else is our bug. */
export function asBlogctlError(thrown: unknown): BlogctlError {
  if (thrown instanceof BlogctlError) return thrown;
  if (thrown instanceof Error && 'syscall' in thrown) {
    const who = 'path' in thrown ? 'file system' : 'system';
    return new BlogctlError('unusable-input', `The ${who} refused: ${thrown.message}`, {
      hint: 'Check the path, its permissions and the room on the disk.',
    });
  }
  const what = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return new BlogctlError('internal-error', `This is a bug in blogctl: ${what}`, {
    hint: 'Run the command again with --debug and report what it prints.',
    cause: thrown instanceof Error ? thrown.cause : undefined,
  });
}

/** The reasons beneath a failure that it does not say itself, outermost first. */
function causesOf(error: Error): string[] {
  const causes: string[] = [];
  for (let cause = error.cause; cause instanceof Error; cause = cause.cause) {
    const known = [error.message, ...causes].some((text) => text.includes(messageOf(cause)));
    if (!known) causes.push(messageOf(cause));
  }
  return causes;
}

/** A connection tried at several addresses fails with an empty message and the reasons inside. */
function messageOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.message === '') {
    return cause.errors.map(messageOf).join('; ');
  }
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
