// What monitoring and other services see of the daemon: metrics, readiness, events and webhooks.
import type { Endpoint } from '../http/answer.ts';
import type { AnsweredRequest } from '../http/app.ts';
import type { Route } from '../http/route.ts';
import { answerToPeer, siteKey, siteOf } from '../lib/peer-site.ts';
import { observationEndpoints } from './endpoints.ts';
import { announceSensors } from './events/announce-sensors.ts';
import type { EventLog } from './events/event-log.ts';
import { eventStreams } from './events/stream-routes.ts';
import { createWebhooks } from './events/webhooks.ts';
import { createDaemonMetrics } from './metrics/daemon-metrics.ts';
import { gaugeEvents } from './metrics/gauges.ts';
import { sensorMetrics } from './metrics/sensor-gauges.ts';
import { type Check, Readiness } from './readiness.ts';
import type { ObservedServices } from './services.ts';

export interface Observation {
  readonly endpoints: readonly Endpoint[];
  readonly routes: readonly Route[];
  /** The checks of /readyz, one of the event loop, and one that is always ok and shows the version of the program. */
  readonly checks: () => readonly Check[];
  /** Called after every answered request. */
  readonly answered: (request: AnsweredRequest) => void;
  /** Call when the daemon serves requests: from then on /readyz can report it as ready, and webhooks are sent. */
  start(): void;
  /** Call when the daemon stops: from then on it is not ready, and streams end. */
  stop(): void;
  /** Resolves when nothing uses the database any more. */
  close(): Promise<void>;
}

/** Throws a one-sentence Error when the configuration of webhooks or the key for standby hosts cannot be used. */
export function observe(services: ObservedServices, events: EventLog): Observation {
  const metrics = createDaemonMetrics(services);
  const readiness = new Readiness(services);
  const key = siteKey(services.config.standby);
  const streams = eventStreams(events, services.timeline);
  const webhooks = createWebhooks(services, events);
  announceSensors(services, events);
  gaugeEvents({ streams, webhooks: webhooks.all }, metrics.registry);
  return {
    routes: streams.routes,
    endpoints: observationEndpoints({
      config: services.config,
      checks: () => readiness.checks(),
      site: ({ headers }) => {
        const site = services.db.quarantine.site();
        return site && key && answerToPeer(key, headers, siteOf(site));
      },
      metrics: metrics.registry,
      nodeMetrics: sensorMetrics(services.sensors),
    }),
    checks: () => [...readiness.checks(), ...metrics.checks()],
    answered: metrics.answered,
    start() {
      webhooks.start();
      readiness.enter('serving');
    },
    stop() {
      readiness.enter('stopping');
      events.close();
    },
    async close() {
      await webhooks.ended();
      metrics.close();
    },
  };
}
