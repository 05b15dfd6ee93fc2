// Starts the servers that machines boot from and that the configuration enables: HTTP, TFTP, then DHCP, whose answers name the
// files on the other two.
import { isIPv4 } from 'node:net';
import type { Config } from '../config/sections/core-sections.ts';
import type { Clock } from '../lib/clock.ts';
import { Rates } from '../lib/limits/rates.ts';
import type { Links } from '../lib/network/links.ts';
import type { Logger } from '../lib/logger.ts';
import { passedSockets } from '../lib/passed-sockets.ts';
import type { Database } from '../db/database.ts';
import type { BootFor } from './boot-choice.ts';
import type { RecordBootEvent } from './boot-event.ts';
import type { BootLoops } from './boot-loops.ts';
import type { DhcpHint } from './dhcp/requests/bmc-hint.ts';
import { type DhcpParts, serveDhcp } from './dhcp/serve-dhcp.ts';
import { serveDhcp6 } from './dhcp6/serve-dhcp6.ts';
import { startBootHttp } from './http/start-boot-http.ts';
import { publishStartFiles } from './start-files.ts';
import { findLoaders, type FoundLoaders } from './loaders.ts';
import { loaderFiles } from './loader-files.ts';
import type { NetworkBoots } from './network-boots.ts';
import type { ServedFiles } from './served-files.ts';
import { awaitsReport, expectsUnknown, whatBoots } from './what-boots.ts';
import { startConfiguredTftpServer } from './tftp/configured-server.ts';

/** A boot makes some dozens of events; whoever sends more in a machine's name fills neither its timeline nor the log. */
const EVENTS_OF_A_MACHINE = { perSecond: 1, burst: 200 };

export interface BootServers {
  /** Where machines find boot files; undefined without an HTTP server. */
  readonly url: string | undefined;
  close(): Promise<void>;
}

interface Surroundings {
  readonly config: Config;
  readonly db: Database;
  readonly served: ServedFiles;
  readonly networkBoots: NetworkBoots;
  readonly timeline: { readonly record: RecordBootEvent };
  readonly bootLoops: BootLoops;
  readonly foundBmcs: { hear(hint: DhcpHint): void };
  readonly links: Links;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Rejects with an Error when a server cannot listen; the others are then closed. */
export async function startBootServers(
  { config, db, served, networkBoots, timeline, bootLoops, foundBmcs, links, clock, log }: Surroundings,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<BootServers> {
  const rates = new Rates(clock);
  const record: RecordBootEvent = (event) => {
    const { text, ...rest } = event;
    if (!rates.take(event.mac ?? event.address ?? '', EVENTS_OF_A_MACHINE)) return;
    log.info(rest, text);
    timeline.record(event);
  };
  const files = { files: served, record, links, reportMissing: links.report, clock, log };
  await using opened = new AsyncDisposableStack();
  const http = await startBootHttp(config, passedSockets('boot-http', environment)[0], files);
  if (http !== undefined) {
    opened.defer(() => http.close());
    publishStartFiles(served, foundLoaders(log), http.url);
    networkBoots.serveFrom(http.url);
  }
  // published after the loaders of the host's packages, so that the operator's files replace them
  served.publish('loader_file_paths', loaderFiles(config.pxe.loader_file_paths, log));
  const tftp = await startConfiguredTftpServer(config, environment, files);
  if (tftp !== undefined) opened.defer(async () => tftp.stop());
  const bootFor =
    (httpUrl: string | undefined): BootFor =>
    (question) =>
      whatBoots(question, {
        networkBoots: { of: (node) => networkBoots.of(node), httpUrl },
        served,
        nodes: db.nodes,
        fastTrack: config.deploy.fast_track,
      });
  const parts: DhcpParts = {
    config: config.dhcp_server,
    relayAddress: config.DEFAULT.my_ip,
    db,
    clock,
    log,
    record,
    loops: bootLoops,
    bmcNetworks: config.zero_touch.bmc_networks,
    hear: (hint) => foundBmcs.hear(hint),
    links,
    environment,
    servesUnknown: () => expectsUnknown(config, db),
    awaitsReport: () => awaitsReport(db),
    bootFor: bootFor(networkBoots.httpUrl),
  };
  const dhcp = await serveDhcp(parts);
  if (dhcp !== undefined) opened.defer(async () => dhcp.close());
  const dhcp6 = await serveDhcp6({ ...parts, bootFor: bootFor(overIpv6(networkBoots.httpUrl)) });
  if (dhcp6 !== undefined) opened.defer(async () => dhcp6.close());
  const close = opened.move();
  return { url: http?.url, close: () => close.disposeAsync() };
}

/** The URL, unless a machine with IPv6 alone cannot reach it, because it names an IPv4 address. */
const overIpv6 = (httpUrl: string | undefined): string | undefined =>
  httpUrl === undefined || isIPv4(new URL(httpUrl).hostname) ? undefined : httpUrl;

/** Finds the boot loaders on this host, and warns of those that are missing: machines that need one of them cannot boot. */
function foundLoaders(log: Logger): FoundLoaders {
  const loaders = findLoaders();
  const missing = Object.fromEntries(loaders.missing.map((loader) => [loader.name, loader.package]));
  if (loaders.missing.length > 0)
    log.warn({ missing }, 'boot loaders not found; install the packages of those that your machines need');
  return loaders;
}
