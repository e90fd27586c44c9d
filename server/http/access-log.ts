import type { App } from './message.ts';

export type AccessLog = {
  /** Takes one line without its end. */
  readonly write: (line: string) => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly elapsed: () => number;
};

/** One line a request: method, path, status, bytes, milliseconds. Headers are never logged. */
export function withAccessLog(app: App, { write, elapsed }: AccessLog): App {
  return async (request) => {
    const startedAt = elapsed();
    const response = await app(request);
    const took = (elapsed() - startedAt).toFixed(1);
    const { status, body } = response;
    write(
      `${printable(request.method)} ${printable(request.target)} ${status} ${body.length} ${took}ms`,
    );
    return response;
  };
}

/** A stranger's text in a log is one word of visible ASCII, whatever it was. */
function printable(text: string): string {
  const whole = text.length > 500 ? `${text.slice(0, 500)}...` : text;
  return whole.replaceAll(/[^\x21-\x7e]/g, (mark) => `\\u${hex(mark)}`);
}

function hex(mark: string): string {
  return mark.charCodeAt(0).toString(16).padStart(4, '0');
}
