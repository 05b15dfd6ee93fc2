// Nodes whose machines report what they are made of.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

interface Report {
  inventory: {
    interfaces: { mac_address: string }[];
    disks: { serial: string | null; size: number; [more: string]: unknown }[];
    memory: { physical_mb: number };
    cpu: { model_name: string; count: number };
    system_vendor: { serial_number: string; firmware: { version: string } };
  };
  pci_devices: { class: string }[];
  dmi: { memory: { devices: object[] } };
}

export const report = (name = 'constructed-server') =>
  JSON.parse(
    readFileSync(new URL(`../../../fixtures/inspection/${name}.json`, import.meta.url), 'utf8'),
  ) as Report;

export const changed = (change: (report: Report) => void): Report => {
  const made = report();
  change(made);
  return made;
};

export async function inspectable(t: TestContext, options: Parameters<typeof startInProcess>[1] = {}) {
  const daemon = await startInProcess(t, options);
  const { uuid } = await daemon.createNode({ driver: 'lab', name: 'rack1-01' });
  await daemon.createPort(uuid, 'b0:7b:25:e1:44:10');
  return { daemon, uuid, inspect: (body: object) => inspectNode(daemon, uuid, body) };
}

export async function inspectNode(daemon: InProcessDaemon, uuid: string, body: object): Promise<void> {
  daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait', power_state: 'power on' });
  const sent = await daemon.request('POST', '/v1/continue_inspection', { version: null, body });
  assert.equal(sent.status, 202, sent.text);
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable', daemon.node(uuid).last_error ?? '');
}

interface Shown {
  readonly source: string;
  readonly compared_with: string | null;
  readonly changes: readonly string[];
  readonly compared: readonly string[];
  readonly not_compared: readonly string[];
  readonly class: string | null;
  readonly class_differences: readonly string[];
  readonly class_unchecked: readonly string[];
}

export const shown = async (daemon: InProcessDaemon, uuid: string): Promise<Shown> =>
  (await daemon.request('GET', `/v1/nodes/${uuid}/hardware`, { version: 1 })).json as Shown;
