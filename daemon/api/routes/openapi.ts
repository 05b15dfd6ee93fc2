// /openapi.json: the description of the API itself, drawn when it is first asked for.
import { DOCUMENT_ROUTE, openApiDocument } from '../openapi.ts';
import { type Route, route } from '../route.ts';

/** All of `routes`, and the route to their description. */
export function describedRoutes(routes: readonly Route[]): readonly Route[] {
  let json: string | undefined;
  const all: readonly Route[] = [
    ...routes,
    route({
      method: 'GET',
      path: DOCUMENT_ROUTE,
      since: 1,
      body: 'ignored',
      answers: { 200: { type: 'object' } },
      handler() {
        json ??= JSON.stringify(openApiDocument(all));
        return { status: 200, json };
      },
    }),
  ];
  return all;
}
