// The application of the listener that only ramdisks reach, so that the API need not be on their network.
import { type App, type AppParts, createApp } from '../daemon/http/app.ts';
import type { Route } from '../daemon/http/route.ts';
import type { Services } from '../daemon/conductor/services.ts';

/** With the version documents that agents begin with. */
const SERVED: ReadonlySet<string> = new Set([
  '/',
  '/v1',
  '/v1/lookup',
  '/v1/heartbeat',
  '/v1/heartbeat/:node',
  '/v1/continue_inspection',
]);

/** `routes`: all of the API; the others of them do not exist here. */
export function createRamdiskApp(
  services: Services,
  routes: readonly Route[],
  answered: AppParts['answered'],
): App {
  const { config } = services;
  // both options are about the operators' listener
  const api = { ...config.api, enable_ramdisk_endpoints: true, public_endpoint: null };
  return createApp({
    services: { ...services, config: { ...config, api } },
    routes: routes.filter(({ path }) => SERVED.has(path)),
    presentPath: (path) => path,
    userOf: async () => null,
    beforeApi: [],
    subjectOf: () => ({}),
    answered,
  });
}
