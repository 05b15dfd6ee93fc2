// The application of a separate listener for ramdisks and BMCs, so that the API need not listen on their networks.
import { type App, type AppParts, createApp } from '../daemon/http/app.ts';
import type { Route } from '../daemon/http/route.ts';
import type { Services } from '../daemon/conductor/services.ts';

/** The paths that this listener serves. They include the version documents, which agents request first. */
const SERVED: ReadonlySet<string> = new Set([
  '/',
  '/v1',
  '/v1/lookup',
  '/v1/heartbeat',
  '/v1/heartbeat/:node',
  '/v1/continue_inspection',
  '/v1/bmc_events/:node/:token',
]);

/** `routes`: all routes of the API; those that are for operators answer 404 here. */
export function createRamdiskApp(
  services: Services,
  routes: readonly Route[],
  answered: AppParts['answered'],
): App {
  const { config } = services;
  // these options concern the listener of the API
  const api = { ...config.api, enable_ramdisk_endpoints: true, public_endpoint: null };
  const oslo_middleware = { ...config.oslo_middleware, enable_proxy_headers_parsing: false };
  return createApp({
    services: { ...services, config: { ...config, api, oslo_middleware } },
    routes: routes.filter(({ path }) => SERVED.has(path)),
    authentication: { authenticate: async () => ({ user: null, role: 'reader' }), signIn: undefined },
    subjectOf: () => ({}),
    beforeApi: [],
    answered,
  });
}
