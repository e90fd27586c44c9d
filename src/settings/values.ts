const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Longer is a slip, and no date could be reckoned from it. */
const longestMs = 36_500 * 86_400_000;

/** The longest a timer of Node can wait, some 24 days: a longer one would end at once. */
export const longestWaitMs = 2 ** 31 - 1;

const written =
  /^(\d+(?:\.\d+)?)(?:(ms|[smhd])| ?(sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|days?))$/;

/** `500ms`, `30s`, `5m`, `2h`, `30d`, `30 days` in milliseconds, up to 36500d; undefined for anything else. */
export function readDuration(text: string): number | undefined {
  const [, figure, unit = '', plural = ''] = written.exec(text) ?? [];
  const factor = unitsMs[unit] ?? unitsMs[plural.charAt(0)];
  if (figure === undefined || factor === undefined) return undefined;
  const ms = Math.round(Number(figure) * factor);
  return ms <= longestMs ? ms : undefined;
}

/** Plain digits; undefined for anything else. */
export function readWholeNumber(text: string): number | undefined {
  const value = /^\d+$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** An article of a blog in a file: `file:blog.json#7`, `file:blog.json#blog=2/7`. */
const ofFile = /^(file:[^]+?)#(?:blog=([1-9]\d*)\/)?([1-9]\d{0,15})$/i;

/** The blog and the id that such an address names; undefined where it is none. */
export function readFileAddress(text: string): { store: string; id: number } | undefined {
  const [, file, blog, id] = ofFile.exec(text) ?? [];
  if (file === undefined) return undefined;
  return { store: blog === undefined ? file : `${file}#blog=${blog}`, id: Number(id) };
}

/** What can be set, by the name it has in files, after `--`, and in capitals after BLOGCTL_. */
export const settingNames = ['blog', 'profile', 'timeout', 'retries', 'max-wait'] as const;
export type SettingName = (typeof settingNames)[number];

/** A service by its host alone. */
export function asAddress(typed: string): string {
  const host = typed.replace(/^(?:-[^=]*=|\w+ )/, '');
  if (host.includes('://')) return host;
  return `${/^(?:localhost|127\.|\[)/.test(host) ? 'http' : 'https'}://${host.replace(/\/$/, '')}/`;
}

/** The first blog of a service, where who reads or logs in begins (interface, "Notation"). */
export function firstBlog(typed: string): string {
  return asAddress(typed).replace(/^(\w+:\/\/[^/]+)\/?$/, '$1/api/v1.2/blogs/1');
}
