// Machines from the factory whose BMCs get their addresses from the daemon, by a list that names no addresses.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { expectedCommand } from '../../../daemon/cli/zero-touch/expected-command.ts';
import { type Stage, stages } from '../../../daemon/model/zero-touch/stages.ts';
import { systemClock } from '../../../daemon/lib/clock.ts';
import { DhcpRelay } from '../../../daemon/simulator/dhcp-relay.ts';
import { plugInFactoryRack } from '../../../daemon/simulator/factory-rack.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { fakeClock } from '../../fakes/clock.ts';
import { runCommand } from '../../fakes/clients/run-command.ts';
import { foundBmcsOf, newRack, RACK_NETWORK, withoutRoot } from './new-rack.ts';

const COMMAND = join(import.meta.dirname, '../../../daemon/cli/ironic-edge');
const SERVER = `${RACK_NETWORK}.254`;
const SIZE = 6;

const isTakenIn = (stage: Stage): boolean => stages.indexOf(stage) > stages.indexOf('identified');

test(
  'BMCs of rack --factory --dhcp are found by their requests, and their machines by the MAC address on the list',
  { skip: withoutRoot },
  async (t) => {
    const { daemon } = await newRack(t, 0, {
      IRONIC_DEFAULT__MY_IP: SERVER,
      IRONIC_DHCP_SERVER__SUBNET: `${RACK_NETWORK}.0/24 range=${RACK_NETWORK}.10-${RACK_NETWORK}.50`,
    });
    const folder = mkdtempSync(join(tmpdir(), 'dhcp-rack-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const list = join(folder, 'list.csv');
    const network = ['--bmc-network', `${RACK_NETWORK}.0/24`, '--dhcp', SERVER];
    const child = spawn(COMMAND, ['rack', String(SIZE), '--factory', ...network, '--list', list], {
      env: { ...process.env, OS_ENDPOINT: daemon.url },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    const lines: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) if (lines.push(line) === SIZE) break;
    assert.equal(lines.length, SIZE, 'the rack is plugged in');
    const [head, ...rows] = readFileSync(list, 'utf8').trim().split('\n');
    assert.equal(head, 'name,serial_number,bmc_mac,bmc_username,bmc_password');
    const { out } = await runCommand((context) => expectedCommand(['import', list], context), {
      OS_ENDPOINT: daemon.url,
    });
    assert.equal(out, `${SIZE} added, 0 changed, 0 as before\n`);

    let found = await foundBmcsOf(daemon);
    while (found.length < SIZE || !found.every(({ stage }) => isTakenIn(stage))) {
      // a BMC is first asked some seconds after its request
      const stopped = found.find(
        ({ reason, stage, protocols }) => reason !== null && protocols.length > 0 && !isTakenIn(stage),
      );
      assert.equal(stopped?.reason, undefined);
      await setTimeout(200);
      found = await foundBmcsOf(daemon);
    }
    const inOrder = found.toSorted((a, b) => String(a.mac).localeCompare(String(b.mac)));
    assert.deepEqual(
      inOrder.map(({ mac, sources }) => [mac, sources]),
      rows.map((row) => [row.split(',')[2], ['dhcp']]),
    );
    assert.deepEqual(
      inOrder.map(({ hostname, vendor_class: vendorClass }) => [hostname, vendorClass]),
      [
        [null, null],
        ['iDRAC-SERIAL3', 'iDRAC'],
        ['iDRAC-SERIAL4', 'iDRAC'],
        ['ILOSERIAL5', 'CPQRIB3'],
        [null, null],
        ['XCC-7Z73-SERIAL7', null],
      ],
    );
    const printed = lines.map((line) => /BMC https:\/\/([\d.]+):443$/.exec(line)?.[1]);
    assert.deepEqual(
      inOrder.map(({ address }) => address),
      printed,
    );
    child.kill('SIGTERM');
    await once(child, 'exit');
  },
);

test(
  'a DHCP server that does not answer is named, with the BMC and the relay',
  { skip: withoutRoot },
  async () => {
    const [address, server] = [`${RACK_NETWORK}.1`, `${RACK_NETWORK}.253`];
    const clock = fakeClock();
    using relay = await DhcpRelay.open({ address, server, clock });
    const refused = assert.rejects(
      relay.lease({ mac: '52:54:00:00:00:01', hostName: null, vendorClass: null }),
      new RegExp(
        `^Error: The DHCP server ${server} did not answer 10 requests of 52:54:00:00:00:01 through the relay ${address}: expected `,
      ),
    );
    await clock.advance(10_000);
    await refused;
    await assert.rejects(
      DhcpRelay.open({ address, server, clock }),
      new RegExp(`^Error: The DHCP relay cannot use port 67 of ${address}: .*EADDRINUSE`),
    );
  },
);

test('a rack of which one BMC gets no address is not plugged in', async () => {
  const settings = {
    addressOf: async (number: number) => {
      if (number === 2) throw new Error('there is no second address');
      return `${RACK_NETWORK}.1`;
    },
    port: await freeTcpPort(),
    url: 'http://127.0.0.1:1',
    bootUrl: 'http://127.0.0.1:1',
    clock: systemClock,
    tell: () => undefined,
  };
  await assert.rejects(plugInFactoryRack({ ...settings, size: 2 }), /no second address/);
  // the address and the port are free again
  const [only] = await plugInFactoryRack({ ...settings, size: 1 });
  only?.machine.unplug();
});
