import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { freeUdpPort } from '../../../../daemon/simulator/free-port.ts';
import { missingPrograms } from '../../../../daemon/simulator/ipmi/ipmi-sim.ts';
import {
  type SimulatedChassis,
  IPMI_CREDENTIALS,
  serveChassis,
  startBmc,
} from '../../../../daemon/simulator/ipmi/machine-bmc.ts';

const ADDRESS = '127.0.0.1';
const chassis: SimulatedChassis = {
  power: () => 'off',
  bootDevice: () => 'none',
  setBootDevice: () => {},
  switchOn: () => {},
  switchOff: async () => {},
};
const brokenChassis: SimulatedChassis = {
  ...chassis,
  switchOn: async () => Promise.reject(new Error('no emulator')),
};

test(
  'when a machine fails to start, its BMC reports an error to the client and keeps answering',
  { skip: await missingPrograms() },
  async (t) => {
    const port = await freeUdpPort();
    const { username, password } = IPMI_CREDENTIALS;
    const stop = await startBmc({ address: ADDRESS, port }, brokenChassis);
    t.after(stop);
    const warned = once(process, 'warning');
    const ipmi = (...command: readonly string[]) =>
      promisify(execFile)('ipmitool', [
        ...`-I lanplus -C 3 -H ${ADDRESS} -p ${port} -U ${username} -P ${password}`.split(' '),
        ...command,
      ]);
    await assert.rejects(ipmi('power', 'on'), /Set Chassis Power Control to Up\/On failed/);
    const [{ message }] = (await warned) as [Error];
    assert.equal(
      message,
      'the machine with the BMC 127.0.0.1 failed to do "chassis set power 1": Error: no emulator',
    );
    assert.match((await ipmi('power', 'status')).stdout, /Chassis Power is off/);
  },
);

test(
  'a BMC with an IPv6 address says that it has no IPv4 address',
  { skip: await missingPrograms() },
  async (t) => {
    const port = await freeUdpPort();
    const { username, password } = IPMI_CREDENTIALS;
    t.after(await startBmc({ address: '::1', port }, chassis));
    const words = `-I lanplus -C 3 -H ::1 -p ${port} -U ${username} -P ${password} lan print 1`.split(' ');
    const { stdout } = await promisify(execFile)('ipmitool', words);
    assert.match(stdout, /^IP Address +: 0\.0\.0\.0$/m);
  },
);

test('the simulator survives a client that is killed before its first request or after an answer', async (t) => {
  const server = await serveChassis(chassis, ADDRESS);
  t.after(() => server.close());
  for (const line of ['', 'chassis get power\n']) {
    const accepted = once(server, 'connection');
    const program = connect((server.address() as AddressInfo).port, ADDRESS);
    const [socket] = (await accepted) as [Socket];
    const closed = new Promise((resolve) => socket.once('close', resolve));
    if (line !== '') {
      program.write(line);
      await once(program, 'data');
    }
    program.resetAndDestroy();
    await closed;
  }
});
