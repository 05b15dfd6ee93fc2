// Gauges: values of the daemon and its database that are read at each scrape.
import { statSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import type { Webhook } from '../events/webhooks.ts';
import type { Check } from '../readiness.ts';
import type { MetricRegistry } from './metric-registry.ts';
import type { ObservedServices } from '../services.ts';

const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;
const LOOP_STATISTICS = [
  { name: 'median', percentile: 50 },
  { name: 'p99', percentile: 99 },
  { name: 'max', percentile: 100 },
];

/** Gauges of the nodes and of the work on them. */
export function gaugeNodes(services: ObservedServices, metrics: MetricRegistry): void {
  const { db, workers, bmcs } = services;
  metrics.gauge(
    'ironic_edge_nodes',
    'Nodes by provision state and maintenance.',
    ['provision_state', 'maintenance'],
    () =>
      db.nodes
        .countByState()
        .map(({ provision_state, maintenance, count }) => [
          [provision_state, maintenance === 1 ? 'true' : 'false'],
          count,
        ]),
  );
  const single = (name: string, help: string, read: () => number) =>
    metrics.gauge(`ironic_edge_${name}`, help, [], () => [[[], read()]]);
  single('workers_busy', 'Workers that are busy with a node.', () => workers.busy);
  single('workers_limit', 'Number of workers ([conductor] workers_pool_size).', () => workers.size);
  single(
    'bmcs_set_aside',
    'BMCs that background work leaves alone because they do not answer.',
    () => bmcs.silent,
  );
  single(
    'dhcp_leases',
    'Addresses that the DHCP server has leased to machines.',
    () => db.dhcpLeases.count(services.clock.now()) + db.dhcp6Leases.count(services.clock.now()),
  );
  single(
    'other_dhcp_servers',
    'Other DHCP servers that gave addresses on the networks of the daemon in the last half hour.',
    () => db.dhcpRivals.recent(services.clock.now()).length,
  );
}

const LATE_SECONDS = 0.2;

export interface ProcessGauges {
  /** Whether the event loop reacts in time; the alert IronicEdgeLoopDelayed watches the same value. */
  readonly loopCheck: () => Check;
  /** Ends the measurement of the event loop. */
  readonly close: () => void;
}

/** Gauges and counters of the process and its files. */
export function gaugeProcess(
  { config }: ObservedServices,
  metrics: MetricRegistry,
  version: string,
): ProcessGauges {
  metrics.gauge('ironic_edge_build_info', 'Always 1.', ['version', 'node_version'], () => [
    [[version, process.versions.node], 1],
  ]);
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  metrics.gauge(
    'ironic_edge_event_loop_delay_seconds',
    'How late timers fired since the last scrape.',
    ['statistic'],
    () => {
      const samples = LOOP_STATISTICS.map(
        ({ name, percentile }) => [[name], delay.percentile(percentile) / NANOSECONDS] as const,
      );
      delay.reset();
      return samples;
    },
  );
  const single = (name: string, help: string, read: () => number) =>
    metrics.gauge(name, help, [], () => [[[], read()]]);
  const { path } = config.database;
  single('ironic_edge_db_size_bytes', 'Size of the database file.', () => sizeOf(path));
  single('ironic_edge_db_wal_bytes', 'Size of the write-ahead log of the database.', () =>
    sizeOf(`${path}-wal`),
  );
  single('process_resident_memory_bytes', 'Resident memory of the daemon.', () => process.memoryUsage.rss());
  single(
    'process_start_time_seconds',
    'Start of the process, in seconds since the epoch.',
    () => performance.timeOrigin / 1000,
  );
  metrics.counterReadBy('process_cpu_seconds_total', 'Processor time of the daemon.', [], () => {
    const { user, system } = process.cpuUsage();
    return [[[], (user + system) / MICROSECONDS]];
  });
  return {
    close: () => delay.disable(),
    loopCheck() {
      const seconds = delay.percentile(99) / NANOSECONDS;
      return {
        name: 'event loop',
        ok: seconds <= LATE_SECONDS,
        detail: `99 % of its reactions were at most ${Math.ceil(seconds * 1000)} ms late since the last scrape of /metrics or the start of the daemon`,
      };
    },
  };
}

interface EventReaders {
  readonly streams: { readonly count: number };
  readonly webhooks: readonly Webhook[];
}

/** Gauges and counters of event streams and webhooks. */
export function gaugeEvents({ streams, webhooks }: EventReaders, metrics: MetricRegistry): void {
  metrics.gauge('ironic_edge_event_streams', 'Open event streams.', [], () => [[[], streams.count]]);
  metrics.gauge('ironic_edge_webhook_behind', 'Events that a webhook has not received yet.', ['host'], () =>
    webhooks.map(({ host, behind }) => [[host], behind]),
  );
  metrics.counterReadBy(
    'ironic_edge_webhook_deliveries_total',
    'Deliveries to webhooks by how they ended.',
    ['host', 'outcome'],
    () =>
      webhooks.flatMap(({ host, deliveries, failures }) => [
        [[host, 'delivered'], deliveries] as const,
        [[host, 'failed'], failures] as const,
      ]),
  );
}

const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
