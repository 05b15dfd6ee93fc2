// Starts the servers that machines boot from and that the configuration enables: HTTP, TFTP, then DHCP, whose answers name the
// files on the other two.
import type { Config } from '../config/sections/core-sections.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { passedSockets } from '../lib/passed-sockets.ts';
import type { Database } from '../db/database.ts';
import type { RecordBootEvent } from './boot-event.ts';
import type { BootLoops } from './boot-loops.ts';
import type { ReportParts } from './dhcp/reports.ts';
import { serveDhcp } from './dhcp/serve-dhcp.ts';
import { startBootHttp } from './http/start-boot-http.ts';
import { publishStartFiles } from './start-files.ts';
import { findLoaders, type FoundLoaders } from './loaders.ts';
import { loaderFiles } from './loader-files.ts';
import type { NetworkBoots } from './network-boots.ts';
import type { ServedFiles } from './served-files.ts';
import { expectsUnknown, whatBoots } from './what-boots.ts';
import { startConfiguredTftpServer } from './tftp/configured-server.ts';

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
  readonly clock: Clock;
  readonly log: Logger;
}

/** Rejects with an Error when a server cannot listen; the others are then closed. */
export async function startBootServers(
  { config, db, served, networkBoots, timeline, bootLoops, clock, log }: Surroundings,
  endLoop: ReportParts['endLoop'],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<BootServers> {
  const record: RecordBootEvent = (event) => {
    const { text, ...rest } = event;
    log.info(rest, text);
    timeline.record(event);
  };
  const files = { files: served, record, clock, log };
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
  const dhcp = await serveDhcp({
    config: config.dhcp_server,
    db,
    clock,
    log,
    record,
    loops: bootLoops,
    endLoop,
    environment,
    servesUnknown: () => expectsUnknown(config, db),
    bootFor: (question) =>
      whatBoots(question, { networkBoots, served, nodes: db.nodes, fastTrack: config.deploy.fast_track }),
  });
  if (dhcp !== undefined) opened.defer(async () => dhcp.close());
  const close = opened.move();
  return { url: http?.url, close: () => close.disposeAsync() };
}

/** Finds the boot loaders on this host, and warns of those that are missing: machines that need one of them cannot boot. */
function foundLoaders(log: Logger): FoundLoaders {
  const loaders = findLoaders();
  const missing = Object.fromEntries(loaders.missing.map((loader) => [loader.name, loader.package]));
  if (loaders.missing.length > 0)
    log.warn({ missing }, 'boot loaders not found; install the packages of those that your machines need');
  return loaders;
}
