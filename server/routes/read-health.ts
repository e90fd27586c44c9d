import { Refusal } from '../errors.ts';
import { curies } from '../representations/links.ts';
import { halJson } from '../representations/representation.ts';
import type { Route } from './route.ts';

/**
 * Whether this service can do all it is there for, for whoever watches it: 200, or the refusal that
 * writes, or those who ask for a damaged article, meet at present. Outside the API (decisions 36, 37).
 */
export const readHealth: Route = {
  method: 'GET',
  path: '/health',
  mediaTypes: [halJson, 'application/json'],
  async answer({ baseUrl, mediaType, rules, store }) {
    const refused = rules.readOnly ? undefined : await store.writesRefused();
    if (refused !== undefined) throw refused;
    const damage = store.damage?.();
    if (damage !== undefined) {
      throw new Refusal('damaged-article', `${damage.message} The others can be read.`);
    }
    const _links = { curies: curies(baseUrl), self: { href: `${baseUrl}/health` } };
    const body = Buffer.from(JSON.stringify({ status: 'pass', readOnly: rules.readOnly, _links }));
    const headers = {
      'Content-Type': mediaType,
      'Content-Length': String(body.length),
      Vary: 'Accept',
      'Cache-Control': 'no-store',
    };
    return { status: 200, headers, body };
  },
};
