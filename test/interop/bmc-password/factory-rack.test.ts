// Machines from the factory are enrolled with the login on their list, and get one of their own.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { systemClock } from '../../../daemon/lib/clock.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { expectedMachines, plugInFactoryRack } from '../../../daemon/simulator/factory-rack.ts';
import { shapeNames } from '../../../daemon/simulator/redfish/shapes.ts';
import { isAccepted, loginOf, rotate, startDaemon } from './site.ts';

test('each machine of a factory rack has an address and a login of its own, which its list names', async (t) => {
  const daemon = await startDaemon(t);
  const rack = await plugInFactoryRack({
    size: shapeNames.length,
    addressOf: (number) => `127.77.3.${number}`,
    port: await freeTcpPort(),
    url: daemon.url,
    bootUrl: 'http://127.0.0.1:1',
    clock: systemClock,
    tell: () => undefined,
  });
  t.after(() => {
    for (const { machine } of rack) machine.unplug();
  });
  const [head, ...rows] = expectedMachines(rack, { withAddresses: true }).trim().split('\n');
  assert.equal(head, 'name,serial_number,bmc_mac,bmc_address,bmc_username,bmc_password');
  assert.equal(new Set(rows.map((row) => row.split(',')[5])).size, shapeNames.length);
  for (const [index, row] of rows.entries()) {
    const [name = '', serial, mac, , username, password] = row.split(',');
    const { fake, guest } = rack[index]!;
    assert.equal(name, `factory-00${index + 1}`);
    assert.deepEqual([serial, mac], [fake.machine.serialNumber, fake.machine.mac(0)]);
    assert.equal(guest.serialNumber, serial, 'the firmware and the BMC agree');
    assert.ok(fake.address.startsWith(`https://127.77.3.${index + 1}:`));
    const driver_info = {
      redfish_address: fake.address,
      redfish_username: username,
      redfish_password: password,
      redfish_verify_ca: false,
    };
    const { status, body } = await daemon.request('POST', '/v1/nodes', {
      name,
      driver: 'redfish',
      driver_info,
    });
    assert.equal(status, 201, JSON.stringify(body));
    const made = await rotate(daemon, name, 'ironic');
    assert.equal(made.status, 204, `${shapeNames[index]}: ${JSON.stringify(made.body)}`);
    const login = await loginOf(daemon, name);
    assert.deepEqual([login.username, isAccepted(fake, login)], ['ironic', true]);
    await daemon.request('PUT', `/v1/nodes/${name}/states/provision`, { target: 'manage' });
    await daemon.nodeWhen(name, ({ provision_state: state }) => state === 'manageable');
  }
});

const isRoot = process.getuid?.() === 0;

test(
  'rack --factory writes the list for its owner only, and enrols nothing',
  { skip: !isRoot },
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'factory-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const list = join(folder, 'list.csv');
    const command = join(import.meta.dirname, '../../../daemon/cli/ironic-edge');
    const words = ['rack', '2', '--factory', '--bmc-network', '127.77.4.0/24', '--list', list];
    // no daemon is there to enrol with
    const environment = { ...process.env, OS_ENDPOINT: 'http://127.0.0.1:1' };
    const child = spawn(command, words, { env: environment, stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) === 2) break;
    assert.match(lines.join('\n'), /factory-001 has the BMC https:\/\/127\.77\.4\.1:443\n.*factory-002 /);
    assert.match(
      readFileSync(list, 'utf8'),
      /^name,.*\nfactory-001,SERIAL2,.*,root,[A-Z]{10}\nfactory-002,.*\n$/,
    );
    assert.equal(statSync(list).mode & 0o777, 0o600);
    child.kill('SIGTERM');
    await once(child, 'exit');
  },
);
