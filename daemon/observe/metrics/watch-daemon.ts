// Metrics of what the daemon does: it answers requests, talks to BMCs, boots machines and works on nodes.
import type { AnsweredRequest } from '../../http/app.ts';
import { hops } from '../../model/records/machine-event.ts';
import type { MetricRegistry } from './metric-registry.ts';
import type { ObservedServices } from '../services.ts';

const REQUEST_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];
const WORK_BOUNDS = [10, 30, 60, 120, 300, 600, 1200, 3600, 14_400];
const BMC_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const seconds = (milliseconds: number) => milliseconds / 1000;

/** Returns what to call after each answered request. */
export function countRequests(metrics: MetricRegistry): (request: AnsweredRequest) => void {
  const requests = metrics.counter(
    'ironic_edge_http_requests_total',
    'Requests to the API and to the endpoints beside it.',
    ['route', 'method', 'status'],
  );
  const durations = metrics.histogram(
    {
      name: 'ironic_edge_http_request_duration_seconds',
      help: 'Time from a request to its answer.',
      labels: ['route'],
    },
    REQUEST_BOUNDS,
  );
  return ({ method, route = 'none', status, milliseconds }) => {
    // a client can send any method name, and each name would become a series
    requests([route, METHODS.has(method) ? method : 'other', `${Math.floor(status / 100)}xx`]);
    durations([route], seconds(milliseconds));
  };
}

/** Counts conversations with BMCs and the events of machines that boot. */
export function countSightings({ bmcs, timeline }: ObservedServices, metrics: MetricRegistry): void {
  const conversations = metrics.counter(
    'ironic_edge_bmc_requests_total',
    'Conversations with BMCs by how they ended.',
    ['outcome'],
  );
  const lengths = metrics.histogram(
    {
      name: 'ironic_edge_bmc_request_duration_seconds',
      help: 'Length of conversations with BMCs.',
      labels: [],
    },
    BMC_BOUNDS,
  );
  bmcs.watchers.add(({ outcome, milliseconds }) => {
    conversations([outcome]);
    lengths([], seconds(milliseconds));
  });
  const seen = metrics.counter(
    'ironic_edge_boot_hops_total',
    'What was seen of booting machines, by hop. The outcome is failed if the machine did not get what it needed.',
    ['hop', 'outcome'],
  );
  for (const hop of hops.filter((each) => each !== 'wait'))
    for (const outcome of ['seen', 'failed']) seen([hop, outcome], 0);
  timeline.watchers.add(({ hop, failed }) => {
    if (hop !== 'wait') seen([hop, failed === true ? 'failed' : 'seen']);
  });
}

/** Counts changes of provision states, and measures the work from one stable state to the next. */
export function countWork(
  { transitions, workTimes, clock }: ObservedServices,
  metrics: MetricRegistry,
): void {
  const changes = metrics.counter(
    'ironic_edge_state_changes_total',
    'Changes of the provision state of nodes.',
    ['from', 'to'],
  );
  const durations = metrics.histogram(
    {
      name: 'ironic_edge_phase_duration_seconds',
      help: 'Time that work on a node took, by the state that it began in, such as deploying.',
      labels: ['phase', 'outcome'],
    },
    WORK_BOUNDS,
  );
  transitions.stored.add((node, before) => changes([before.provision_state, node.provision_state]));
  workTimes.watchers.add(({ name, seconds: taken, failed }) =>
    durations([name, failed ? 'failed' : 'done'], taken),
  );
  metrics.gauge(
    'ironic_edge_oldest_work_age_seconds',
    'Age of the oldest work under way, by the state that it began in.',
    ['phase'],
    () =>
      [...Map.groupBy(workTimes.underWay, ({ name }) => name)].map(
        ([phase, works]) =>
          [[phase], seconds(clock.now() - Math.min(...works.map(({ since }) => since)))] as const,
      ),
  );
}
