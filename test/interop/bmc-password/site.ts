// A real daemon and simulated BMCs for the tests of logins.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import {
  type FakeRedfish,
  type FakeRedfishSettings,
  startFakeRedfish,
} from '../../../daemon/simulator/redfish/fake-redfish.ts';
import { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';

export const ENVIRONMENT = {
  IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish,ipmi',
  IRONIC_REDFISH__READ_TIMEOUT: '30',
  IRONIC_REDFISH__CONNECTION_RETRY_INTERVAL: '0',
  IRONIC_IPMI__MIN_COMMAND_INTERVAL: '0',
};
/** A password in the form that is tried first. */
export const FORM = /^[A-Za-z0-9._-]{16}$/;

export interface ShownLogin {
  readonly username: string;
  readonly password: string;
  readonly pending: string | null;
  readonly pending_username: string | null;
}

export async function startDaemon(t: TestContext): Promise<DaemonProcess> {
  const daemon = await DaemonProcess.start(ENVIRONMENT);
  t.after(() => daemon[Symbol.asyncDispose]());
  return daemon;
}

export async function startBmc(t: TestContext, settings: FakeRedfishSettings = {}): Promise<FakeRedfish> {
  const bmc = await startFakeRedfish(settings);
  t.after(() => bmc.stop());
  return bmc;
}

export async function enrol(daemon: DaemonProcess, name: string, { address }: FakeRedfish): Promise<void> {
  const driver_info = { redfish_address: address, redfish_username: 'admin', redfish_password: 'secret' };
  const { status, body } = await daemon.request('POST', '/v1/nodes', {
    name,
    driver: 'redfish',
    driver_info,
  });
  assert.equal(status, 201, JSON.stringify(body));
}

/** `username`: the user to make; not set: the daemon's user gets a new password. */
export const rotate = (daemon: DaemonProcess, node: string, username?: string) =>
  daemon.request('PUT', `/v1/nodes/${node}/bmc_password`, username === undefined ? {} : { username });

export const loginOf = async (daemon: DaemonProcess, node: string): Promise<ShownLogin> =>
  (await daemon.request<ShownLogin>('GET', `/v1/nodes/${node}/bmc_password`)).body;

export const isAccepted = ({ bmc }: FakeRedfish, { username, password }: ShownLogin): boolean =>
  bmc.sessions.accounts.accepting(username, password) !== undefined;
