import assert from 'node:assert/strict';
import { test } from 'node:test';
import { vendorSteps } from '../../../../plugins/redfish/management/vendor.ts';
import { redfishLab } from '../redfish-lab.ts';

test('a vendor of blanks is not recorded, nor does a recorded one count', async (t) => {
  const { bmc, task } = await redfishLab(t, { node: { properties: { vendor: ' ' } } });
  const { system } = bmc.paths;
  bmc.overrides.set('/redfish/v1', { '@odata.id': '/redfish/v1', Vendor: ' ' });
  bmc.overrides.set(system, { '@odata.id': system, Manufacturer: ' Acme\t' });
  await vendorSteps.record_vendor.run(task, {});
  assert.equal(task.node.properties['vendor'], 'Acme');
  const blank = await redfishLab(t);
  blank.bmc.overrides.set('/redfish/v1', { '@odata.id': '/redfish/v1', Vendor: ' ' });
  blank.bmc.overrides.set(system, { '@odata.id': system, Manufacturer: '' });
  await vendorSteps.record_vendor.run(blank.task, {});
  assert.equal(blank.task.node.properties['vendor'], undefined);
});
