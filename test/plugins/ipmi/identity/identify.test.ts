import assert from 'node:assert/strict';
import test from 'node:test';
import { startIpmiSim } from '../../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { isSameMachineUuid } from '../../../../daemon/model/machine/machine-identity.ts';
import { identifyByIpmi } from '../../../../plugins/ipmi/identity/identify.ts';
import { ipmiTask } from '../ipmi-task.ts';

/** The simulated BMC's, in the order of octets in which it sends it. */
const GUID = '6b3d3f2e-6f0b-4f5c-9a64-0d6f1c1f7a01';

test('the labels of FRU 0 and the GUID say which machine it is', async (t) => {
  const labels = { chassisSerial: 'CH-1', manufacturer: 'Contoso', product: 'Model 2', serial: 'SN 0042' };
  const sim = await startIpmiSim({ labels });
  t.after(() => sim.stop());
  const { uuids, ...found } = await identifyByIpmi(ipmiTask(sim));
  assert.deepEqual(found, { serialNumbers: ['SN 0042', 'CH-1'], macs: [], product: 'Contoso Model 2' });
  assert.deepEqual(
    uuids.map((uuid) => isSameMachineUuid(uuid, GUID)),
    [true],
  );
});

test('a BMC without a FRU shows its GUID; one that does not answer fails', async (t) => {
  const sim = await startIpmiSim();
  t.after(() => sim.stop());
  const { uuids, ...found } = await identifyByIpmi(ipmiTask(sim));
  assert.deepEqual(found, { serialNumbers: [], macs: [], product: null });
  assert.equal(uuids.length, 1);
  await sim.stop();
  await assert.rejects(identifyByIpmi(ipmiTask(sim)), { code: 'BmcFailure' });
});
