// /openapi.json: the description of the API, generated on the first request.
import { DOCUMENT_ROUTE, openApiDocument } from '../../http/openapi.ts';
import { type Route, route } from '../../http/route.ts';

/** Returns `routes` and the route that serves their description. */
export function describedRoutes(routes: readonly Route[]): readonly Route[] {
  let json: string | undefined;
  const all: readonly Route[] = [
    ...routes,
    route({
      method: 'GET',
      path: DOCUMENT_ROUTE,
      since: 1,
      public: true,
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
