import assert from 'node:assert/strict';
import test from 'node:test';
import { shapeNames } from '../../../../daemon/simulator/redfish/shapes.ts';
import { identifyByRedfish } from '../../../../plugins/redfish/management/identify.ts';
import { redfishLab } from '../redfish-lab.ts';

test('system and chassis of BMCs of all kinds say which machine it is', async (t) => {
  for (const shape of shapeNames) {
    const { task, machine } = await redfishLab(t, { shape, number: 6 });
    const { serialNumbers, uuids, macs, product } = await identifyByRedfish(task);
    const tag = shape.startsWith('dell') ? ['SKU7'] : [];
    assert.deepEqual(serialNumbers, ['SERIAL7', ...tag, 'CHASSIS7'], shape);
    assert.deepEqual(uuids, [machine.uuid]);
    assert.deepEqual(macs, [machine.mac(1), machine.mac(2)], shape);
    assert.equal(product, `${machine.shape.manufacturer} ${machine.shape.model}`);
  }
});

test('a machine without labels has none', async (t) => {
  const { task, bmc } = await redfishLab(t);
  const { system, chassis } = bmc.paths;
  bmc.overrides.set(system, { '@odata.type': '#ComputerSystem.v1_16_0.ComputerSystem', SerialNumber: null });
  bmc.overrides.set(chassis, { '@odata.type': '#Chassis.v1_14_0.Chassis', SerialNumber: ' ' });
  const none = { serialNumbers: [], uuids: [], macs: [], product: null };
  assert.deepEqual(await identifyByRedfish(task), none);
});
