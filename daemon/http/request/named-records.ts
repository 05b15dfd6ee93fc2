// The records that the parameters of a path name. Each is looked up at most once per request.
import type { Services } from '../../conductor/services.ts';
import type { ApiRequest } from '../route.ts';

export function namedRecords(
  services: Services,
  parameters: ApiRequest['parameters'],
  minor: number,
): ApiRequest['named'] {
  const found = new Map<string, unknown>();
  return <R>(parameter: string, find: (...asked: [Services, string, number]) => R): R => {
    if (!found.has(parameter)) found.set(parameter, find(services, parameters[parameter] ?? '', minor));
    return found.get(parameter) as R;
  };
}
