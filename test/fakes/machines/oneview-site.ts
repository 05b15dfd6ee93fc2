// The daemon, a simulated OneView appliance and the machines behind it on one clock, which advances when no request is in
// progress. The machines boot from the daemon's own boot server.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Services } from '../../../daemon/conductor/services.ts';
import {
  type ApplianceSettings,
  SimulatedAppliance,
  USERS,
} from '../../../daemon/simulator/oneview/appliance.ts';
import { plugInBlades } from '../../../daemon/simulator/oneview/machines.ts';
import { serverUri } from '../../../daemon/simulator/oneview/rack.ts';
import type { ApplianceServer } from '../../../daemon/simulator/oneview/state.ts';
import type { RackMachine } from '../../../daemon/simulator/rack.ts';
import { fakeClock, type FakeClock } from '../clock.ts';
import type { Ending } from '../daemon/in-process-daemon.ts';
import { startListening } from '../daemon/listening-daemon.ts';
import { steer, type Steering } from '../daemon/steered-clock.ts';

export interface OneviewSite extends Steering {
  readonly url: string;
  readonly services: Services;
  readonly clock: FakeClock;
  readonly appliance: SimulatedAppliance;
  readonly rack: readonly RackMachine[];
  readonly told: readonly string[];
  readonly log: () => string;
  /** UUID of the first node. */
  readonly first: string;
  /** The server of the first node. */
  readonly server: ApplianceServer;
  /** The daemon's requests to the appliance, without reads and logins; `SERVER` stands for the URI of `server`. */
  writes(): readonly string[];
  stop(): Promise<void>;
}

export interface SiteOptions {
  readonly machines?: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly appliance?: Partial<ApplianceSettings>;
}

export const IMAGE = { image_source: 'http://images.test/a.raw', image_checksum: 'a'.repeat(64) };

/** Creates a kernel and a ramdisk file; returns the options that name them. Their folder is removed when the test ends. */
export function ramdiskFiles(test: Ending): Readonly<Record<string, string>> {
  const folder = mkdtempSync(path.join(tmpdir(), 'oneview-site-'));
  test.after(async () => rmSync(folder, { recursive: true }));
  for (const name of ['kernel', 'ramdisk']) writeFileSync(path.join(folder, name), name);
  return {
    IRONIC_CONDUCTOR__DEPLOY_KERNEL: `file://${folder}/kernel`,
    IRONIC_CONDUCTOR__DEPLOY_RAMDISK: `file://${folder}/ramdisk`,
    IRONIC_CONDUCTOR__FILE_URL_ALLOWED_PATHS: folder,
  };
}

export const oneviewOptions = (url: string): Readonly<Record<string, string>> => ({
  IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'oneview',
  IRONIC_DEFAULT__MY_IP: '127.0.0.1',
  IRONIC_BOOT_HTTP__PORT: '0',
  IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
  IRONIC_ONEVIEW__MANAGER_URL: url,
  IRONIC_ONEVIEW__USERNAME: 'ironic',
  IRONIC_ONEVIEW__PASSWORD: USERS.ironic,
});

export async function oneviewSite(test: Ending, options: SiteOptions = {}): Promise<OneviewSite> {
  const clock = fakeClock();
  const appliance = await SimulatedAppliance.start({ clock, random: () => 0.5, ...options.appliance });
  test.after(async () => appliance.stop());
  const daemon = await startListening(test, {
    clock,
    environment: {
      ...oneviewOptions(appliance.url),
      ...ramdiskFiles(test),
      IRONIC_AGENT__REQUIRE_TLS: 'false',
      ...options.environment,
    },
  });
  const { url, services, log } = daemon;
  const told: string[] = [];
  const rack = await plugInBlades({
    appliance,
    url,
    clock,
    size: options.machines ?? 1,
    bootUrl: services.networkBoots.httpUrl ?? '',
    tls: false,
    bootSeconds: 20,
    random: () => 0.5,
    tell: (machine, what) => told.push(`${machine} ${what}`),
  });
  test.after(async () => {
    for (const { machine } of rack) machine.unplug();
  });
  const conversing = () => appliance.conversing || rack.some(({ machine }) => machine.conversing);
  const steering = steer(test, { url, services, clock, machines: rack, conversing, told });
  const server = appliance.state.servers.get(serverUri(1)) as ApplianceServer;
  return {
    url,
    services,
    clock,
    appliance,
    rack,
    told,
    log,
    server,
    first: rack[0]?.node ?? '',
    ...steering,
    writes: () =>
      appliance.journal
        .filter(
          ({ user, method, path: place }) =>
            user === 'ironic' && method !== 'GET' && !place.includes('login'),
        )
        .map(({ method, path: place }) => `${method} ${place.replace(server.uri, 'SERVER')}`),
    stop: () => daemon.stop(),
  };
}

/** Makes the first node available, with what a deployment needs. */
export function readyForInstance({ services, first }: OneviewSite, more: object = {}): void {
  services.db.nodes.update(first, {
    provision_state: 'available',
    power_state: 'power off',
    instance_info: IMAGE,
    ...more,
  });
}

/** Makes the first node available and requests an instance on it. */
export async function deploying(site: OneviewSite, more: object = {}): Promise<void> {
  readyForInstance(site, more);
  await site.provision(site.first, 'active');
}

/** Deploys an instance on the first node; resolves when the node is active. */
export async function deployed(site: OneviewSite): Promise<void> {
  await deploying(site);
  await site.reaches(site.first, 'active');
}
