import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fakeClock } from '../../fakes/clock.ts';
import { CREDENTIALS } from '../../../daemon/simulator/bmc.ts';
import { SimulatedMachine } from '../../../daemon/simulator/machine.ts';

async function pluggedIn(t: { after(end: () => void): void }, postSeconds = 0, bootUrl?: string) {
  const clock = fakeClock();
  const told: string[] = [];
  const machine = await SimulatedMachine.plugIn({
    mac: '52:54:00:00:00:01',
    clock,
    apiUrl: 'http://127.0.0.1:1',
    postSeconds,
    bootSeconds: 20,
    ...(bootUrl !== undefined && { bootUrl }),
    tell: (what) => told.push(what),
  });
  t.after(() => machine.unplug());
  const login = Buffer.from(`${CREDENTIALS.username}:${CREDENTIALS.password}`).toString('base64');
  const ask = async (method: string, path: string, body?: object, authorization = `Basic ${login}`) => {
    const init = { method, headers: { authorization }, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(machine.bmcUrl + path, init);
    const text = await answer.text();
    return { status: answer.status, body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown> };
  };
  return { machine, clock, told, ask };
}

const SYSTEM = '/redfish/v1/Systems/1';
const RESET = `${SYSTEM}/Actions/ComputerSystem.Reset`;

test('the power state changes a second after the request, and then the machine boots', async (t) => {
  const { clock, told, ask } = await pluggedIn(t);
  const power = async () => (await ask('GET', SYSTEM)).body['PowerState'];
  assert.equal((await ask('POST', RESET, { ResetType: 'On' })).status, 204);
  assert.equal(await power(), 'Off');
  await clock.advance(1000);
  assert.equal(await power(), 'On');
  await clock.advance(20_000);
  assert.deepEqual(told, ['power on', 'booted nothing']);
  assert.equal((await ask('POST', RESET, { ResetType: 'ForceOff' })).status, 204);
  await clock.advance(1000);
  assert.equal(await power(), 'Off');
});

test('each power-on and reset is a boot, which the self test of the firmware delays', async (t) => {
  const { machine, clock, ask } = await pluggedIn(t, 100);
  machine.disk = { image_info: {}, configdrive: null };
  await ask('POST', RESET, { ResetType: 'On' });
  await clock.advance(100_000);
  assert.deepEqual(machine.boots, ['nothing']);
  await clock.advance(21_000);
  assert.deepEqual(machine.boots, ['disk']);
  await ask('POST', RESET, { ResetType: 'ForceRestart' });
  await clock.advance(50_000);
  await ask('POST', RESET, { ResetType: 'ForceRestart' });
  await clock.advance(121_000);
  assert.deepEqual(machine.boots, ['disk', 'nothing', 'disk']);
});

test('kexec runs the system on the disk without a boot, unless the power is cut meanwhile', async (t) => {
  const { machine, clock, ask } = await pluggedIn(t, 100);
  await ask('PATCH', SYSTEM, override('Once'));
  await ask('POST', RESET, { ResetType: 'On' });
  await clock.advance(121_000);
  machine.disk = { image_info: {}, configdrive: null };
  machine.kexec();
  assert.equal(machine.booted, 'nothing');
  await clock.advance(20_000);
  assert.deepEqual([machine.booted, machine.boots], ['disk', ['ramdisk']]);
  machine.kexec();
  machine.powerOff();
  await clock.advance(20_000);
  assert.deepEqual([machine.booted, machine.powerState], ['nothing', 'Off']);
});

const override = (enabled: string) => ({
  Boot: { BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: enabled },
});

test('a boot override applies once or to every boot', async (t) => {
  const { machine, clock, ask } = await pluggedIn(t);
  const boots = async (type: string) => {
    await ask('POST', RESET, { ResetType: type });
    await clock.advance(21_000);
    return machine.booted;
  };
  assert.equal((await ask('PATCH', SYSTEM, override('Once'))).status, 204);
  assert.deepEqual([await boots('On'), await boots('ForceRestart')], ['ramdisk', 'nothing']);
  await ask('PATCH', SYSTEM, override('Continuous'));
  assert.deepEqual([await boots('ForceRestart'), await boots('ForceRestart')], ['ramdisk', 'ramdisk']);
});

test('a boot from the network is tried again, on a new connection, until the server can answer', async (t) => {
  let asked = 0;
  let connections = 0;
  const server = createServer((_, response) => {
    asked += 1;
    if (asked === 1) response.destroy();
    response.statusCode = asked === 2 ? 503 : 200;
    response.end('#!ipxe\nkernel http://127.0.0.1:1/kernel quiet\n');
  }).on('connection', () => (connections += 1));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const { machine, clock, ask } = await pluggedIn(t, 0, `http://127.0.0.1:${port}`);
  await ask('PATCH', SYSTEM, override('Once'));
  await ask('POST', RESET, { ResetType: 'On' });
  while (machine.booted !== 'ramdisk') {
    await clock.advance(1000);
    await setImmediate();
  }
  assert.deepEqual([asked, connections, machine.boots], [3, 3, ['ramdisk']]);
});

test('a BMC refuses invalid requests', async (t) => {
  const { ask } = await pluggedIn(t);
  const refused = [
    await ask('GET', SYSTEM, undefined, 'Basic bm9ib2R5Og=='),
    await ask('GET', '/redfish/v1/Systems/2'),
    await ask('POST', RESET, { ResetType: 'Explode' }),
    await ask('POST', RESET, { ResetType: 'ForceOff' }),
    await ask('PATCH', SYSTEM, { AssetTag: 'x' }),
  ];
  assert.deepEqual(
    refused.map(({ status }) => status),
    [401, 404, 400, 409, 400],
  );
});
