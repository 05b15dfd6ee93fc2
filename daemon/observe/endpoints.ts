// The endpoints /healthz, /readyz, /metrics and /metrics/nodes for monitoring, and /site for the other hosts of the site.
import type { Config } from '../config/sections/core-sections.ts';
import type { Answer, Endpoint } from '../http/answer.ts';
import { canonicalIp, isInSubnet } from '../lib/network/ip.ts';
import { SITE_PATH } from '../lib/peer-site.ts';
import type { Check } from './readiness.ts';

interface Metrics {
  text(): string;
}

interface Watched {
  readonly config: Pick<Config, 'metrics'>;
  readonly checks: () => readonly Check[];
  /** Returns the answer to a peer's question; undefined when the question is not a peer's. */
  readonly site: (request: Request) => string | undefined;
  readonly metrics: Metrics;
  readonly nodeMetrics: Metrics;
}

export const observationEndpoints = (watched: Watched): readonly Endpoint[] => [
  { path: '/healthz', isOpen: () => true, answer: () => plain(200, 'ok\n') },
  { path: '/readyz', isOpen: () => true, answer: () => readiness(watched.checks()) },
  { path: SITE_PATH, isOpen: () => true, answer: (request) => siteAnswer(watched.site(request)) },
  metricsEndpoint('/metrics', watched.metrics, watched.config),
  metricsEndpoint('/metrics/nodes', watched.nodeMetrics, watched.config),
];

const metricsEndpoint = (path: string, metrics: Metrics, config: Watched['config']): Endpoint => ({
  path,
  isOpen: (address) => isScraper(config.metrics.allow_from, address),
  answer: () => plain(200, metrics.text(), 'text/plain; version=0.0.4; charset=utf-8'),
});

const plain = (status: number, content: string, type = 'text/plain; charset=utf-8'): Answer => ({
  status,
  content,
  headers: { 'content-type': type, 'cache-control': 'no-store' },
});

const siteAnswer = (site: string | undefined): Answer =>
  site === undefined
    ? plain(403, 'only the hosts of this site, which have the key in [standby] key_file, get an answer\n')
    : plain(200, site, 'application/json');

const readiness = (checks: readonly Check[]): Answer => {
  const ready = checks.every(({ ok }) => ok);
  const content = JSON.stringify({ status: ready ? 'ok' : 'failing', checks });
  return plain(ready ? 200 : 503, content, 'application/json');
};

function isScraper(networks: readonly string[], address: string | null): boolean {
  const canonical = canonicalIp(address ?? '');
  return canonical !== undefined && networks.some((network) => isInSubnet(canonical, network));
}
