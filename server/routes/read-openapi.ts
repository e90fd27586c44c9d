import { openApiDocument } from '../documentation/openapi.ts';
import type { Operation } from '../documentation/openapi.ts';
import type { Route } from './route.ts';

/** The description of the routes of a table, for tools. */
export function describeRoutes(routes: readonly Route[]): Route {
  const operations = routes.flatMap(operationOf);
  return {
    method: 'GET',
    path: '/docs/openapi.json',
    mediaTypes: ['application/json', 'application/vnd.oai.openapi+json'],
    async answer({ baseUrl, rules: { maxPageSize }, mediaType }) {
      const document = openApiDocument({ baseUrl, maxPageSize, operations });
      const body = Buffer.from(JSON.stringify(document, null, 2));
      const headers = {
        'Content-Type': mediaType,
        'Content-Length': String(body.length),
        Vary: 'Accept',
        'Cache-Control': 'no-cache',
      };
      return { status: 200, headers, body };
    },
  };
}

function operationOf({ method, path, right, described }: Route): readonly Operation[] {
  if (described === undefined) return [];
  const { operationId, summary, paged = false, body, successes, refusals } = described;
  const needsToken = right !== undefined;
  return [{ method, path, needsToken, operationId, summary, paged, body, successes, refusals }];
}
