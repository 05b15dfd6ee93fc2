// Counts the firmware boots that OpenStack's Ironic makes of simulated machines with IPMI BMCs: one by its defaults, one with fast
// track, side by side.
import { readFileSync, mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../daemon/lib/clock.ts';
import { freeTcpPort } from '../../daemon/simulator/free-port.ts';
import { type IpmiRackMachine, plugInIpmiRack } from '../../daemon/simulator/ipmi/rack.ts';
import { IronicProcess, type Options } from '../differential/ironic-process.ts';

const HOST = '127.0.0.1';
const LIMIT_MILLISECONDS = 300_000;
const POLL_MILLISECONDS = 500;
/** How long an instance takes to boot, and more. */
const SETTLE_MILLISECONDS = 5000;
const CONTENT = 'what machines download';
const SHA256 = createHash('sha256').update(CONTENT).digest('hex');

const VERBS = [
  ['manage', 'manageable'],
  ['inspect', 'manageable'],
  ['provide', 'available'],
  ['active', 'active'],
  ['rebuild', 'active'],
  ['deleted', 'available'],
] as const;

export interface IronicsBoots {
  readonly verb: string;
  /** null: the verb fails. */
  readonly boots: number | null;
  readonly bootsInSession: number | null;
}

export async function countIronicsBoots(): Promise<readonly IronicsBoots[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ironic-boots-'));
  const [apiPort, httpPort] = [await freeTcpPort(), await freeTcpPort()];
  const server = createServer((request, response) => {
    const content = contentOf(folder, request.url ?? '');
    response.setHeader('content-length', Buffer.byteLength(content)).end(content);
  });
  await once(server.listen(httpPort, HOST), 'listening');
  const http = `http://${HOST}:${httpPort}`;
  await using ironic = await IronicProcess.start('newest', {
    options: (directory) => optionsFor({ directory, folder, http, api: `http://${HOST}:${apiPort}` }),
    host: HOST,
    port: apiPort,
  });
  const rack = await plugInIpmiRack({
    size: 2,
    url: ironic.url,
    bootUrl: http,
    clock: systemClock,
    // Ironic awaits the machine only when its BMC has confirmed the change of power
    postSeconds: 20,
    bootSeconds: 0,
    stepSeconds: 0.5,
    tell: (machine, what) => console.error(machine, what),
  });
  try {
    const site = { url: ironic.url, image: `${http}/image.raw` };
    const [own = [], inSession = []] = await Promise.all(
      rack.map((machine, index) => bootsOf(site, machine, index === 1)),
    );
    return VERBS.map(([verb], index) => ({
      verb,
      boots: own[index] ?? null,
      bootsInSession: inSession[index] ?? null,
    }));
  } finally {
    for (const { machine } of rack) machine.unplug();
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  }
}

/** Kernel, ramdisk and image have the same content; the script for a network card is the one that Ironic has written. */
function contentOf(folder: string, url: string): string {
  if (!url.startsWith('/ipxe/')) return CONTENT;
  try {
    return readFileSync(join(folder, 'pxelinux.cfg', basename(url)), 'utf8');
  } catch {
    return '';
  }
}

interface Site {
  readonly url: string;
  readonly image: string;
}

/** Resolves to the boots for each of VERBS; null for one that fails. */
async function bootsOf(
  site: Site,
  { node, machine }: IpmiRackMachine,
  isFastTrack: boolean,
): Promise<readonly (number | null)[]> {
  const path = `${site.url}/v1/nodes/${node}`;
  const instance_info = { image_source: site.image, image_checksum: SHA256, image_disk_format: 'raw' };
  await ask('PATCH', path, [
    { op: 'add', path: '/driver_info/fast_track', value: isFastTrack },
    { op: 'add', path: '/instance_info', value: instance_info },
  ]);
  const counts: (number | null)[] = [];
  for (const [target, state] of VERBS) {
    const before = machine.boots.length;
    await ask('PUT', `${path}/states/provision`, { target });
    const isReached = await reaches(path, state);
    await wait(SETTLE_MILLISECONDS);
    counts.push(isReached ? machine.boots.length - before : null);
  }
  return counts;
}

/** Resolves to false when the work of the node fails. */
async function reaches(path: string, state: string): Promise<boolean> {
  const deadline = performance.now() + LIMIT_MILLISECONDS;
  for (;;) {
    const node = (await ask('GET', path)) as Readonly<Record<string, string | null>>;
    const { provision_state: now, target_provision_state: target, last_error: error } = node;
    if (now === state && target === null && node['reservation'] === null) return true;
    if (/failed$|^error$/.test(now ?? '') && node['reservation'] === null) {
      console.error(`${node['name']}: ${now}: ${error}`);
      return false;
    }
    if (performance.now() > deadline) throw new Error(`expected ${state}, the node is in ${now}: ${error}`);
    await wait(POLL_MILLISECONDS);
  }
}

async function ask(method: string, url: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    headers: { 'x-openstack-ironic-api-version': 'latest', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

interface Place {
  readonly directory: string;
  readonly folder: string;
  readonly http: string;
  readonly api: string;
}

function optionsFor({ directory, folder, http, api }: Place): Options {
  for (const name of ['pxelinux.cfg', 'tftp']) mkdirSync(join(folder, name), { recursive: true });
  return {
    DEFAULT: {
      auth_strategy: 'noauth',
      my_ip: HOST,
      enabled_hardware_types: 'ipmi',
      enabled_boot_interfaces: 'ipxe',
      enabled_deploy_interfaces: 'direct',
      enabled_inspect_interfaces: 'agent',
      enabled_management_interfaces: 'ipmitool',
      enabled_power_interfaces: 'ipmitool',
      enabled_network_interfaces: 'noop',
      enabled_rescue_interfaces: 'no-rescue',
      enabled_console_interfaces: 'no-console',
      enabled_raid_interfaces: 'no-raid',
      enabled_bios_interfaces: 'no-bios',
      enabled_firmware_interfaces: 'no-firmware',
      enabled_vendor_interfaces: 'no-vendor',
      enabled_storage_interfaces: 'noop',
    },
    service_catalog: { auth_type: 'none', endpoint_override: api },
    dhcp: { dhcp_provider: 'none' },
    api: { ramdisk_heartbeat_timeout: 30 },
    conductor: {
      automated_clean: 'true',
      deploy_kernel: `${http}/agent.kernel`,
      deploy_ramdisk: `${http}/agent.ramdisk`,
    },
    deploy: { http_url: http, http_root: folder, default_boot_mode: 'bios' },
    ipmi: { min_command_interval: 1 },
    agent: {
      image_download_source: 'http',
      certificates_path: join(directory, 'certificates'),
      deploy_logs_collect: 'never',
    },
    inspector: { require_managed_boot: 'true', callback_endpoint_override: api },
    inventory: { data_backend: 'database' },
    pxe: {
      tftp_server: HOST,
      tftp_root: join(folder, 'tftp'),
      tftp_master_path: join(directory, 'master/tftp'),
      images_path: join(directory, 'master/images'),
      instance_master_path: join(directory, 'master/instance'),
    },
  };
}
