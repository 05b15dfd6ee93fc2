// A daemon that takes in machines by itself, and machines as they come from the factory, with BMCs at addresses of this host.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../../daemon/lib/clock.ts';
import type { ExpectedMachine } from '../../../daemon/model/zero-touch/expected-machine.ts';
import type { FoundBmc } from '../../../daemon/model/zero-touch/found-bmc.ts';
import { type FactoryMachine, plugInFactoryRack } from '../../../daemon/simulator/factory-rack.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';

/** The first three numbers of the addresses of BMCs; several runs on one host do not meet. */
export const RACK_NETWORK = `127.${64 + (process.pid % 64)}.${(process.pid >> 6) % 256}`;

export const withoutRoot = process.getuid?.() !== 0 && 'the BMCs listen on port 443, which needs root';

/** Starts a daemon that takes in the machines of RACK_NETWORK, and plugs in `size` of them, with BMCs of all shapes in turn. */
export async function newRack(t: TestContext, size: number, more: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'zero-touch-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['kernel', 'ramdisk']) writeFileSync(join(folder, name), name);
  const bootPort = await freeTcpPort();
  const apiPort = await freeTcpPort();
  const environment = {
    IRONIC_API__PORT: String(apiPort),
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish',
    IRONIC_DEFAULT__ENABLED_BOOT_INTERFACES: 'ipxe',
    IRONIC_DEFAULT__MY_IP: '127.0.0.1',
    IRONIC_BOOT_HTTP__PORT: String(bootPort),
    IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
    IRONIC_CONDUCTOR__DEPLOY_KERNEL: `file://${folder}/kernel`,
    IRONIC_CONDUCTOR__DEPLOY_RAMDISK: `file://${folder}/ramdisk`,
    IRONIC_CONDUCTOR__FILE_URL_ALLOWED_PATHS: folder,
    IRONIC_REDFISH__CONNECTION_RETRY_INTERVAL: '0',
    IRONIC_ZERO_TOUCH__BMC_NETWORKS: `${RACK_NETWORK}.0/24`,
    IRONIC_ZERO_TOUCH__SCAN_INTERVAL: '0',
    ...more,
  };
  const daemon = await DaemonProcess.start(environment);
  t.after(async () => {
    const said = daemon.log.filter(({ level }) => level === 'warn' || level === 'error');
    if ('passed' in t && t.passed === false)
      t.diagnostic(said.map((line) => JSON.stringify(line)).join('\n'));
    await daemon[Symbol.asyncDispose]();
  });
  const rack = await plugInFactoryRack({
    size,
    addressOf: (number) => `${RACK_NETWORK}.${number}`,
    url: daemon.url,
    bootUrl: `http://127.0.0.1:${bootPort}`,
    clock: systemClock,
    bootSeconds: 0,
    stepSeconds: 0,
    tell: () => undefined,
  });
  t.after(() => {
    for (const { machine } of rack) machine.unplug();
  });
  return { daemon, rack, environment, bootPort };
}

export async function postTo(daemon: DaemonProcess, path: string, body: unknown = {}): Promise<void> {
  const { status, body: answer } = await daemon.request('POST', path, body);
  assert.ok(status < 300, `${path}: ${JSON.stringify(answer)}`);
}

export const foundBmcsOf = async (daemon: DaemonProcess): Promise<readonly FoundBmc[]> =>
  (await daemon.request<{ found_bmcs: FoundBmc[] }>('GET', '/v1/found_bmcs?detail=true')).body.found_bmcs;

const isUnderWay = ({ stage, reason }: FoundBmc): boolean => stage !== 'available' && reason === null;

export const bmcAddressOf = ({ fake }: FactoryMachine): string => new URL(fake.address).hostname;

/** Resolves when so many BMCs are found and no machine is under way. */
export async function settledRack(daemon: DaemonProcess, size = 0): Promise<readonly FoundBmc[]> {
  for (;;) {
    const bmcs = await foundBmcsOf(daemon);
    if (bmcs.length >= size && !bmcs.some(isUnderWay)) return bmcs;
    await setTimeout(200);
  }
}

export const expectedAs = ({ name, fake }: FactoryMachine): Partial<ExpectedMachine> => {
  const { username, password } = fake.bmc.sessions.accounts.factory;
  return {
    name,
    serial_number: fake.machine.serialNumber,
    bmc_address: new URL(fake.address).hostname,
    bmc_username: username,
    bmc_password: password,
    resource_class: 'web',
  };
};

export const refusedLogins = ({ fake: { bmc } }: FactoryMachine): number =>
  bmc.requests.filter(
    ({ method, path, status }) => method === 'POST' && path.endsWith('/Sessions') && status >= 400,
  ).length;
