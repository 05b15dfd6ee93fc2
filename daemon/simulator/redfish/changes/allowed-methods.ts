// The header Allow of the simulated BMC's resources. It does not name every method that a resource takes: DELETE of a subscription,
// for example, is missing.
import type { FakeMachine } from '../machine.ts';
import { type Paths, SESSIONS, SUBSCRIPTIONS } from '../resources/paths.ts';

export function allowedMethods({ shape, volumes }: FakeMachine, paths: Paths, path: string): string {
  const { system, manager, media, storage, boot, biosSettings } = paths;
  const patchable = [system, boot, manager, biosSettings, `${system}/SecureBoot`];
  const isPatchable = patchable.includes(path) || (shape.mediaBy === 'patch' && path.startsWith(`${media}/`));
  const collections = [SUBSCRIPTIONS, `${storage}/Volumes`, ...(shape.sessionLimit > 0 ? [SESSIONS] : [])];
  return [
    'GET, HEAD',
    ...(isPatchable ? ['PATCH'] : []),
    ...(collections.includes(path) ? ['POST'] : []),
    ...(volumes.has(path) ? ['DELETE'] : []),
  ].join(', ');
}
