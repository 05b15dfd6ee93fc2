import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { intelManagement, profileRequests } from '../../../../plugins/ipmi/vendor/speed-select.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { type IpmiSim, startIpmiSim } from '../../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { ipmiTask } from '../ipmi-task.ts';

let sim: IpmiSim;
before(async () => {
  sim = await startIpmiSim();
});
after(() => sim.stop());

const step = intelManagement.steps?.['configure_intel_speedselect'];

test('each socket gets one request with the profile', () => {
  assert.deepEqual(profileRequests({ intel_speedselect_config: '0x02' }), [
    ['0x2c', '0x41', '0x04', '0x00', '0x00', '0x02'],
  ]);
  assert.deepEqual(
    profileRequests({ intel_speedselect_config: '0x01', socket_count: '11' }).map((octets) => octets[4]),
    ['0x00', '0x01', '0x02', '0x03', '0x04', '0x05', '0x06', '0x07', '0x08', '0x09', '0x0a'],
  );
});

test('unknown profiles and invalid numbers of sockets are refused', () => {
  for (const config of ['0x03', '1', 1, undefined])
    assert.throws(
      () => profileRequests({ ...(config !== undefined && { intel_speedselect_config: config }) }),
      /intel_speedselect_config: .* Expected one of 0x00, 0x01, 0x02/,
    );
  for (const socket_count of [0, -1, 1.5, 'two', 17, ''])
    assert.throws(
      () => profileRequests({ intel_speedselect_config: '0x00', socket_count }),
      /socket_count: .* Expected an integer/,
    );
});

test('a BMC that refuses the request for a profile fails the step with its answer', async () => {
  assert.ok(step);
  await rejectsFault(
    step.run(ipmiTask(sim), { intel_speedselect_config: '0x01' }),
    'BmcFailure',
    /Setting the Speed Select profile of socket 0 failed .*netfn=0x2c.*Invalid command/,
  );
});

test('the management interface intel-ipmitool can set the boot device', async () => {
  await intelManagement.setBootDevice(ipmiTask(sim), 'pxe', false);
  assert.equal(sim.bootDevice(), 'pxe');
});
