// Some lists below another resource, such as /v1/nodes/NODE/portgroups, can only be read. Refuses requests that create a record
// there, or address a single one: clients must send them to the list of all such records, such as /v1/portgroups.
import { fault } from '../model/faults.ts';
import { type Method, type Route, route } from './route.ts';

/** Returns routes that refuse to create or address records below the list at `path`: such records are at /v1/`resource`. */
export function malformedRoutes(
  { path, since }: { readonly path: string; readonly since: number },
  resource: string,
): readonly Route[] {
  const item = `${path}/:item`;
  const refused: readonly (readonly [Method, string])[] = [
    ['POST', path],
    ['GET', item],
    ['PATCH', item],
    ['DELETE', item],
  ];
  return refused.map(([method, refusedPath]) =>
    route({
      method,
      path: refusedPath,
      since,
      answers: {},
      handler: (request) => {
        throw fault('MalformedUri', { path: request.path, resource: `/v1/${resource}` });
      },
    }),
  );
}
