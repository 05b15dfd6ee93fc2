import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import type { NodeVendorMethod } from '../../../../daemon/plugin-api/index.ts';
import { octetsIn } from '../../../../plugins/ipmi/vendor/raw-request.ts';
import { ipmitoolVendor } from '../../../../plugins/ipmi/vendor/vendor.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { type IpmiSim, startIpmiSim } from '../../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { ipmiTask } from '../ipmi-task.ts';

let sim: IpmiSim;
before(async () => {
  sim = await startIpmiSim();
});
after(() => sim.stop());

const taskThatAllows = (...methods: readonly string[]) =>
  ipmiTask(sim, {}, { ipmi: { vendor_methods: methods } });
const methodOf = (name: string): NodeVendorMethod => {
  const method = ipmitoolVendor.nodeMethods?.[name];
  assert.ok(method);
  return method;
};
const GET_DEVICE_ID = { raw_bytes: '0x06 0x01' };

test('an allowed raw request is sent, and the answer of the BMC is in the history of the node', async () => {
  const task = taskThatAllows('send_raw');
  await methodOf('send_raw').call(task, GET_DEVICE_ID, 'POST');
  assert.equal(await ipmitoolVendor.steps?.['send_raw']?.run(task, GET_DEVICE_ID), 'done');
  const notes = task.done.filter((line) => line.startsWith('note: '));
  assert.equal(notes.length, 2);
  assert.match(notes[0] ?? '', /The BMC answered 0x06 0x01 with: 00 03 09 08 02 9f 91 12 /);
});

test('a request that the BMC refuses fails with its answer', async () => {
  const refused = methodOf('send_raw').call(taskThatAllows('send_raw'), { raw_bytes: '0x2c 0x41' }, 'POST');
  await rejectsFault(
    refused,
    'BmcFailure',
    /it refused: .*netfn=0x2c.*cmd=0x41.*Request data length invalid/,
  );
});

test('a cold reset is carried out, and a warm reset, which the simulated BMC does not support, fails', async () => {
  const task = taskThatAllows('bmc_reset');
  await methodOf('bmc_reset').call(task, { warm: 'false' }, 'POST');
  await rejectsFault(
    methodOf('bmc_reset').call(task, {}, 'POST'),
    'BmcFailure',
    /Resetting the BMC \(warm\) failed .*Invalid command/,
  );
});

test('raw bytes are at least two octets in decimal or hexadecimal, and anything else is refused', () => {
  assert.deepEqual(octetsIn('0x06  1 0xFF'), ['0x06', '1', '0xFF']);
  for (const wrong of ['6', '6 256', '6 0x100', '6 -1', 'raw 6', '6 1;reboot', '6 1 '.repeat(200), 6])
    assert.throws(() => octetsIn(wrong), { code: 'InvalidParameter' }, String(wrong));
  for (const missing of [undefined, null, ''])
    assert.throws(() => octetsIn(missing), { code: 'MissingParameter' });
});

test('through the API, methods work only where the site allows them, and wrong arguments are refused', async (t) => {
  const ini = 'enabled_hardware_types = ipmi\n';
  const outcome = async (more: string, method: string, body: object) => {
    const daemon = await startInProcess(t, { ini: ini + more });
    const { address: ipmi_address, port: ipmi_port, username, password } = sim;
    const { uuid } = await daemon.createNode({
      driver: 'ipmi',
      driver_info: {
        ipmi_address,
        ipmi_port,
        ipmi_username: username,
        ipmi_password: password,
        ipmi_cipher_suite: 3,
      },
    });
    const path = `/v1/nodes/${uuid}/vendor_passthru/${method}`;
    const { status, text } = await daemon.request('POST', path, { body });
    await daemon.idle();
    return `${status} ${text} ${JSON.stringify(daemon.node(uuid).last_error)}`;
  };
  assert.match(await outcome('', 'send_raw', GET_DEVICE_ID), /^400 .*add it to \[ipmi\] vendor_methods/);
  const allowed = '[ipmi]\nvendor_methods = send_raw,bmc_reset\n';
  assert.match(await outcome(allowed, 'send_raw', GET_DEVICE_ID), /^202 .* null$/);
  assert.match(await outcome(allowed, 'send_raw', {}), /^400 .*raw_bytes/);
  assert.match(await outcome(allowed, 'bmc_reset', { warm: 'tepid' }), /^400 .*Expected true or false/);
});
