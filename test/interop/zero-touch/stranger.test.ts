// Somebody on the machines' network sends reports in the name of a machine that is expected. Nothing comes of it, and the machine
// itself is taken in all the same.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { BMC_ACCOUNT } from '../../../daemon/conductor/ramdisk/in-band-account.ts';
import type { FactoryMachine } from '../../../daemon/simulator/factory-rack.ts';
import { inspectionReport } from '../../../daemon/simulator/ramdisk/inventory.ts';
import type { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import { sealedLogin } from '../../fakes/machines/sealed-login.ts';
import { RACK_NETWORK, newRack, postTo, refusedLogins, settledRack, withoutRoot } from './new-rack.ts';

const REPORTS = 1000;
const AT_ONCE = 8;
const PASSWORD = 'Zt7-quietRackXx1';
const WRONG_KEY = 'hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo';
/** The serial number of an expected machine whose login the operator knows. */
const LURED = 'LURED-1';
const OUTSIDE = RACK_NETWORK.replace(/^127\.\d+/, '127.200').concat('.1');

/** What a ramdisk says of the machine that it runs in, or what a stranger says. */
interface Told {
  readonly address: string;
  readonly mac: string;
  readonly serialNumber: string;
  readonly password: string;
}

const reportOf = ({ address, mac, serialNumber }: Told, bmc_login?: string) => {
  const { inventory, ...report } = inspectionReport({ mac, serialNumber });
  return { ...report, inventory: { ...(inventory as object), bmc_address: address }, bmc_login };
};

const sealedFor = ({ address, mac, serialNumber, password }: Told, key: string): string =>
  sealedLogin(
    {
      username: BMC_ACCOUNT,
      password,
      bmc_addresses: [address],
      macs: [mac],
      serial_number: serialNumber,
      system_uuid: null,
      time: Date.now() / 1000,
    },
    key,
  );

/** Returns what sends reports from an address of this host. */
function senderAt(t: TestContext, { url }: DaemonProcess, localAddress: string) {
  const dispatcher = new Agent({ localAddress });
  t.after(() => dispatcher.close());
  return async (report: object): Promise<number> => {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(report);
    const path = `${url}/v1/continue_inspection`;
    const answer = await fetch(path, { method: 'POST', headers, body, dispatcher });
    await answer.text();
    return answer.status;
  };
}

/** The key that each machine gets with its kernel. */
async function siteKeyOf(bootPort: number): Promise<string> {
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${bootPort}/ipxe/unknown`);
    const key = /ironic-edge-site-key=([\w-]+)/.exec(await answer.text())?.[1];
    if (key !== undefined) return key;
    await setTimeout(50);
  }
}

/** A host outside the networks of BMCs, which counts who connects. */
async function innocentHost(t: TestContext) {
  const connections: string[] = [];
  const server = createServer((socket) => {
    connections.push(String(socket.remoteAddress));
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(443, OUTSIDE, resolve));
  t.after(() => server.close());
  return connections;
}

const toldBy = ({ guest, fake }: FactoryMachine): Told => ({
  address: new URL(fake.address).hostname,
  mac: guest.mac,
  serialNumber: fake.machine.serialNumber,
  password: PASSWORD,
});

/** What the ramdisk of the machine does at its BMC. */
function makeAccount({ accounts }: FactoryMachine['fake']['bmc']['sessions']): void {
  const [emptySlot] = [...accounts.all].find(([, { username }]) => username === '') ?? ['77'];
  accounts.all.set(emptySlot, {
    username: BMC_ACCOUNT,
    password: PASSWORD,
    role: 'Administrator',
    isEnabled: true,
    mustChange: false,
  });
}

/** The forged reports in turn; `number` makes each of them another one. */
function forgedReport(number: number, { real, other, key, replayed }: Site): object {
  const invented = { ...real, password: `invented-${number}` };
  const elsewhere = `${RACK_NETWORK}.${100 + (number % 100)}`;
  const lured = { ...other, serialNumber: LURED, password: `invented-${number}` };
  const kinds = [
    () => reportOf(lured, sealedFor(lured, key)),
    () => reportOf({ ...real, address: elsewhere }),
    () => reportOf({ ...real, address: OUTSIDE }, sealedFor({ ...invented, address: OUTSIDE }, key)),
    () => replayed,
    () => reportOf(real, sealedFor({ ...invented, serialNumber: 'OTHER' }, key)),
    () => reportOf(real, sealedFor(invented, WRONG_KEY)),
    () => reportOf(real, sealedFor(invented, key)),
    () => reportOf({ ...real, address: elsewhere }, sealedFor({ ...invented, address: elsewhere }, key)),
    () =>
      reportOf({ ...real, serialNumber: 'OTHER' }, sealedFor({ ...invented, serialNumber: 'OTHER' }, key)),
  ];
  return kinds[number % kinds.length]?.() ?? {};
}

interface Site {
  readonly real: Told;
  readonly other: Told;
  readonly key: string;
  readonly replayed: object;
}

test(
  'a thousand reports of a stranger make no node, ask nobody elsewhere, and do not keep the machine from being taken in',
  { skip: withoutRoot },
  async (t) => {
    const { daemon, rack, bootPort } = await newRack(t, 2);
    const [machine, bystander] = rack as [FactoryMachine, FactoryMachine];
    const connections = await innocentHost(t);
    const real = toldBy(machine);
    await postTo(daemon, '/v1/hardware_classes', { name: 'web', erase_disks: true });
    await postTo(daemon, '/v1/expected_machines', {
      name: 'wanted',
      serial_number: real.serialNumber,
      resource_class: 'web',
    });
    // whoever is sent this login takes it
    const { username, password } = bystander.fake.bmc.sessions.accounts.factory;
    await postTo(daemon, '/v1/expected_machines', {
      serial_number: LURED,
      bmc_username: username,
      bmc_password: password,
    });
    const key = await siteKeyOf(bootPort);
    const genuine = reportOf(real, sealedFor(real, key));
    const other = toldBy(bystander);
    const replayed = reportOf(other, sealedFor(other, key));
    const stranger = senderAt(t, daemon, '127.0.0.66');
    const send = async (from: number, to: number) => {
      for (let number = from; number < to; number += AT_ONCE)
        await Promise.all(
          Array.from({ length: AT_ONCE }, (_, each) =>
            stranger(forgedReport(number + each, { real, other, key, replayed })),
          ),
        );
    };
    await send(0, REPORTS / 2);
    assert.deepEqual((await daemon.request('GET', '/v1/nodes')).body, { nodes: [] });

    makeAccount(machine.fake.bmc.sessions);
    const second = send(REPORTS / 2, REPORTS);
    await senderAt(t, daemon, '127.0.0.7')(genuine);
    await second;
    const ends = await settledRack(daemon);
    assert.deepEqual(
      ends.filter(({ address }) => address === real.address).map(({ stage, reason }) => [stage, reason]),
      [['available', null]],
    );
    const { body } = await daemon.request<{ nodes: { name: string }[] }>('GET', '/v1/nodes');
    assert.deepEqual(
      body.nodes.map(({ name }) => name),
      ['wanted'],
    );
    assert.deepEqual(connections, [], 'nobody outside bmc_networks is asked');
    assert.deepEqual([machine, bystander].map(refusedLogins), [1, 1], 'the stranger has one try at each');
    const told = JSON.stringify(bystander.fake.bmc.requests);
    assert.ok(
      told.includes('invented-') && !told.includes(password),
      'a stranger lures no login of an operator',
    );
  },
);
