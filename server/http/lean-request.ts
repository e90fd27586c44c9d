import { IncomingMessage } from 'node:http';

/**
 * A request as node:http reads it, but for one thing: after an answer Node reads what is left of a
 * request, and for one without a body that is a stream made to flow and to end for nothing, a
 * twentieth of what a read costs.
 */
export class LeanRequest extends IncomingMessage {
  /** Nothing more of its body is read for the time being. */
  isHeldBack = false;

  override _read(size: number): void {
    // oxlint-disable-next-line eslint/no-underscore-dangle -- the name that node:stream gives it
    if (!this.isHeldBack) super._read(size);
  }

  override resume(): this {
    return announcesBody(this.rawHeaders) ? super.resume() : this;
  }
}

/** Whether a body comes with a request, by its names and values in turn (RFC 9112, section 6.3). */
export function announcesBody(lines: readonly string[]): boolean {
  for (let at = 0; at < lines.length; at += 2) {
    const name = lines[at] ?? '';
    if (name.length === 14 && name.toLowerCase() === 'content-length') return true;
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') return true;
  }
  return false;
}
