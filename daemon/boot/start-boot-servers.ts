// Starts the servers that machines boot from, as the configuration asks: HTTP, TFTP, then DHCP, which names the others.
import type { Config } from '../config/sections/core-sections.ts';
import type { Clock } from '../lib/clock.ts';
import type { Logger } from '../lib/logger.ts';
import { passedSockets } from '../lib/passed-sockets.ts';
import type { Database } from '../db/database.ts';
import { statesThat } from '../model/states/provision-states.ts';
import { type BootChoice, type BootQuestion, firstBootFile } from './boot-choice.ts';
import type { RecordBootEvent } from './boot-event.ts';
import { serveDhcp } from './dhcp/serve-dhcp.ts';
import { startBootHttp } from './http/start-boot-http.ts';
import { publishStartFiles } from './start-files.ts';
import { findLoaders, type FoundLoaders } from './loaders.ts';
import { loaderFiles } from './loader-files.ts';
import type { NetworkBoots } from './network-boots.ts';
import { UNKNOWN_SCRIPT } from './scripts/ipxe.ts';
import type { ServedFiles } from './served-files.ts';
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
  readonly clock: Clock;
  readonly log: Logger;
}

/** Rejects with a sentence when one of them cannot listen; the others are then closed. */
export async function startBootServers(
  { config, db, served, networkBoots, timeline, clock, log }: Surroundings,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<BootServers> {
  const record: RecordBootEvent = (event) => {
    const { text, ...rest } = event;
    log.info(rest, text);
    timeline.record(event);
  };
  const files = { files: served, record, clock, log };
  served.publish('loader_file_paths', loaderFiles(config.pxe.loader_file_paths, log));
  await using opened = new AsyncDisposableStack();
  const http = await startBootHttp(config, passedSockets('boot-http', environment)[0], files);
  if (http !== undefined) {
    opened.defer(() => http.close());
    publishStartFiles(served, foundLoaders(log), http.url);
    networkBoots.serveFrom(http.url);
  }
  const tftp = await startConfiguredTftpServer(config, environment, files);
  if (tftp !== undefined) opened.defer(async () => tftp.stop());
  const dhcp = await serveDhcp({
    config: config.dhcp_server,
    db,
    clock,
    log,
    record,
    environment,
    servesUnknown: () => expectsUnknown(config, db),
    bootFor: (question) => bootOf(question, { networkBoots, served, httpUrl: http?.url }),
  });
  if (dhcp !== undefined) opened.defer(async () => dhcp.close());
  const close = opened.move();
  return { url: http?.url, close: () => close.disposeAsync() };
}

/** Warns of boot loaders that are not on this host; machines that need one get no answer. */
function foundLoaders(log: Logger): FoundLoaders {
  const loaders = findLoaders();
  for (const { name, package: debianPackage } of loaders.missing)
    log.warn({ loader: name, package: debianPackage }, 'boot loader not found; install its package');
  return loaders;
}

/** Whether a machine without a node may be the one that an inspection waits for, or is to be discovered. */
const expectsUnknown = ({ auto_discovery: discovery }: Config, { nodes }: Database): boolean =>
  discovery.enabled || nodes.countInStates(statesThat('inspectionReport')) > 0;

interface Site {
  readonly networkBoots: NetworkBoots;
  readonly served: ServedFiles;
  readonly httpUrl: string | undefined;
}

/**
 * A node boots what its boot interface has prepared. Without that it boots nothing from here, like an unknown machine for
 * which there is no ramdisk: its firmware gets no answer and tries the next boot device.
 */
function bootOf(question: BootQuestion, { networkBoots, served, httpUrl }: Site): BootChoice | undefined {
  const { node } = question;
  const boot = node && networkBoots.of(node.uuid);
  if (node === undefined ? served.find(UNKNOWN_SCRIPT) === undefined : boot === undefined) return undefined;
  return firstBootFile(question, httpUrl, boot?.protocol);
}
