// The metrics of the daemon and of its work. The metrics of events and sensors are added elsewhere.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import type { AnsweredRequest } from '../../http/app.ts';
import type { Check } from '../readiness.ts';
import { gaugeNodes, gaugeProcess } from './gauges.ts';
import { MetricRegistry } from './metric-registry.ts';
import { gaugeSafety } from './safety-gauges.ts';
import { countRequests, countSightings, countWork } from './watch-daemon.ts';
import type { ObservedServices } from '../services.ts';

export interface DaemonMetrics {
  readonly registry: MetricRegistry;
  /** Called after every answered request. */
  readonly answered: (request: AnsweredRequest) => void;
  /** The checks of the event loop and of the program's version. */
  readonly checks: () => readonly Check[];
  close(): void;
}

export function createDaemonMetrics(services: ObservedServices): DaemonMetrics {
  const registry = new MetricRegistry();
  const version = ownVersion();
  const { loopCheck, close } = gaugeProcess(services, registry, version);
  gaugeNodes(services, registry);
  gaugeSafety(services, registry);
  countWork(services, registry);
  countSightings(services, registry);
  const program = {
    name: 'version',
    ok: true,
    detail: `ironic-edge ${version} on Node.js ${process.versions.node}`,
  };
  return { registry, answered: countRequests(registry), checks: () => [loopCheck(), program], close };
}

function ownVersion(): string {
  const text = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
