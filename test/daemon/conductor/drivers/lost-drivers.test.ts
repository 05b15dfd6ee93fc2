import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { warnOfLostDrivers } from '../../../../daemon/conductor/drivers/lost-drivers.ts';
import { vendorPlugin } from '../../../fakes/vendor-plugin.ts';

const lines = (log: string) =>
  log
    .split('\n')
    .filter((line) => line.includes('these nodes cannot be managed'))
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

test('the log names the nodes whose driver or interface is gone, with the reason', async (t) => {
  const path = vendorPlugin(t);
  const before = await startInProcess(t, {
    ini: `enabled_hardware_types = rackserver,fake-hardware,ipmi\nenabled_bios_interfaces = no-bios\n[plugins]\npath = ${path}\n`,
  });
  await before.createNode({ driver: 'rackserver', name: 'r1' });
  const { uuid } = await before.createNode({ driver: 'rackserver' });
  await before.createNode({ driver: 'ipmi', name: 'i1' });
  await before.createNode({ driver: 'fake-hardware', name: 'f1' });
  warnOfLostDrivers(before.services);
  assert.deepEqual(lines(before.log()), []);
  await before.stop();
  const { stateDirectory } = before;
  const after = await startInProcess(t, {
    stateDirectory,
    ini: 'enabled_hardware_types = fake-hardware,ipmi\nenabled_power_interfaces = fake,ipmitool\nenabled_management_interfaces = noop,fake\n',
  });
  warnOfLostDrivers(after.services);
  const [ipmi, rack, ...more] = lines(after.log());
  assert.deepEqual(more, []);
  assert.partialDeepStrictEqual(ipmi, { driver: 'ipmi', nodes: ['i1'], count: 1 });
  assert.match(String(ipmi?.['reason']), /management.*ipmitool/);
  assert.partialDeepStrictEqual(rack, { driver: 'rackserver', nodes: ['r1', uuid], count: 2 });
  assert.match(String(rack?.['reason']), /rackserver/);
});
