import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../daemon/plugin-api/index.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { inspectionReports } from '../../../fakes/inspection-hooks.ts';
import { readDump, startDumpedBmc } from '../../../fakes/machines/dumped-bmc.ts';
import { OPERATORS_MAC } from './dump-lab.ts';
import { dumpFiles, FIXTURES, nameOf } from './table.ts';

/** Asserts that a value has the type that the agent's value has; null is of any type. */
function assertLike(value: unknown, agents: unknown, place: string): void {
  if (value === null || agents === null || value === undefined || agents === undefined) return;
  assert.equal(typeof value, typeof agents, place);
  assert.equal(Array.isArray(value), Array.isArray(agents), place);
  if (Number.isInteger(agents)) assert.ok(Number.isInteger(value), `${place}: ${JSON.stringify(value)}`);
  if (Array.isArray(value)) {
    for (const each of value) assertLike(each, (agents as unknown[])[0], `${place}[]`);
  } else if (typeof value === 'object')
    for (const [key, each] of Object.entries(value))
      assertLike(each, (agents as JsonObject)[key], `${place}.${key}`);
}

test("a daemon manages and inspects each BMC; the inventory has the agent's types", async (t) => {
  const daemon = await startInProcess(t, {
    ini: 'enabled_hardware_types = redfish\nenabled_inspect_interfaces = redfish\n',
  });
  const { inventory: agents } = inspectionReports()['agent-12-uefi'] ?? {};
  assert.ok(agents !== undefined);
  for (const file of dumpFiles(FIXTURES)) {
    const bmc = await startDumpedBmc(readDump(file));
    t.after(() => bmc.stop());
    const { uuid } = await daemon.createNode({
      driver: 'redfish',
      driver_info: { redfish_address: bmc.address, redfish_username: 'admin', redfish_password: 'secret' },
    });
    // the only BMC without network cards
    if (nameOf(file).startsWith('intel')) await daemon.createPort(uuid, OPERATORS_MAC);
    for (const target of ['manage', 'inspect']) {
      await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target } });
      await daemon.idle();
    }
    const { provision_state, last_error, properties } = daemon.node(uuid);
    assert.deepEqual([provision_state, last_error], ['manageable', null], nameOf(file));
    assert.equal(properties['cpu_arch'], 'x86_64', nameOf(file));
    const { inventory } = (await daemon.request('GET', `/v1/nodes/${uuid}/inventory`)).body;
    assertLike(inventory, agents, nameOf(file));
    const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/ports`);
    assert.ok(body.ports.length > 0, nameOf(file));
  }
});
