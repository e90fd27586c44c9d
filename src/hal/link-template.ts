/** `rel` and URI template of each link of a Link-Template field (RFC 9652). */
export type LinkTemplate = { readonly rel: string; readonly template: string };

const text = String.raw`"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"`;
const parameter = String.raw`;[ ]*([a-z*][a-z0-9_.*-]*)(?:=(?:${text}|([^\s";,]+)))?`;
const member = new RegExp(
  String.raw`[ \t]*${text}((?:${parameter.replaceAll(/\((?!\?)/g, '(?:')})*)[ \t]*(,|$)`,
  'y',
);

/** The links of the field, a list of strings (RFC 9651); one that cannot be read holds none. */
export function readLinkTemplates(field: string): readonly LinkTemplate[] {
  const links: LinkTemplate[] = [];
  member.lastIndex = 0;
  for (;;) {
    const [, template, parameters = '', next] = member.exec(field) ?? [];
    if (template === undefined) return [];
    const rel = parametersOf(parameters).get('rel');
    if (rel !== undefined) links.push({ rel, template: unescaped(template) });
    if (next === '') return links;
  }
}

/** Of a name that stands there twice the last counts (RFC 9651, 3.1.2). */
function parametersOf(parameters: string): ReadonlyMap<string, string> {
  const found = [...parameters.matchAll(new RegExp(parameter, 'g'))];
  return new Map(
    found.map(([, name = '', quoted, bare = '']) => [
      name,
      quoted === undefined ? bare : unescaped(quoted),
    ]),
  );
}

function unescaped(quoted: string): string {
  return quoted.replaceAll(/\\(["\\])/g, '$1');
}
