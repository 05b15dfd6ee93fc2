// A hundred machines come from the factory: those that are expected become available by themselves, the others wait with a reason,
// and no BMC locks anybody out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { FoundBmc } from '../../../daemon/model/zero-touch/found-bmc.ts';
import type { FactoryMachine } from '../../../daemon/simulator/factory-rack.ts';
import type { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import {
  RACK_NETWORK,
  bmcAddressOf,
  expectedAs,
  newRack,
  postTo,
  refusedLogins,
  settledRack,
  withoutRoot,
} from './new-rack.ts';

test(
  'of a hundred new machines, those that are expected become available, and the others wait with a reason',
  { skip: withoutRoot },
  async (t) => {
    const size = 100;
    const { daemon, rack } = await newRack(t, size, { IRONIC_ZERO_TOUCH__MAX_MACHINES: '40' });
    const [wrongPassword, otherSerial, good, unexpected] = [
      rack.slice(0, 5),
      rack.slice(5, 10),
      rack.slice(10, 90),
      rack.slice(90),
    ];
    await postTo(daemon, '/v1/hardware_classes', { name: 'web', erase_disks: true });
    await postTo(daemon, '/v1/expected_machines/import', [
      ...wrongPassword.map((machine) => ({ ...expectedAs(machine), bmc_password: 'Not-this-0ne' })),
      ...otherSerial.map((machine) => ({ ...expectedAs(machine), serial_number: `OTHER-${machine.name}` })),
      ...good.map(expectedAs),
    ]);
    const started = performance.now();
    await postTo(daemon, '/v1/found_bmcs/scan', { networks: [`${RACK_NETWORK}.0/25`] });
    const bmcs = await settledRack(daemon, size);
    t.diagnostic(
      `${size} machines: ${((performance.now() - started) / 1000).toFixed(1)} s from the scan to the last decision`,
    );
    const of = (machines: readonly FactoryMachine[]) => {
      const addresses = new Set(machines.map(bmcAddressOf));
      return bmcs.filter(({ address }) => addresses.has(address ?? ''));
    };
    assert.deepEqual(
      new Set(of(good).map(({ stage, reason }) => `${stage} ${reason}`)),
      new Set(['available null']),
    );
    for (const { reason, node_uuid: node } of of(wrongPassword)) {
      assert.match(
        reason ?? '',
        /^its BMC does not take the password that is known for user root: .*not tried again before/,
      );
      assert.equal(node, null);
    }
    for (const { reason, node_uuid: node } of of(otherSerial)) {
      assert.match(
        reason ?? '',
        /^its BMC says that its serial number is \w+.*, and the expected machine has OTHER-FACTORY-/,
      );
      assert.equal(node, null);
    }
    for (const { reason, stage } of of(unexpected))
      assert.deepEqual([stage, reason?.slice(0, 35)], ['seen', 'no expected machine matches it: acc']);

    assert.deepEqual(
      rack.map(refusedLogins),
      rack.map((_, index) => (index < 5 ? 1 : 0)),
      'nothing is guessed',
    );
    for (const { method, path, login } of unexpected.flatMap(({ fake }) => fake.bmc.requests))
      assert.match(`${method} ${path} ${login}`, /^GET \/redfish\/v1\/? -$/, 'nobody logs in to it');
    for (const { fake } of rack) assert.equal(fake.bmc.sessions.accounts.lockouts, 0);
    const passwords = await Promise.all(
      good.map(async ({ name, fake }) => {
        const { body } = await daemon.request<{ username: string; password: string }>(
          'GET',
          `/v1/nodes/${name}/bmc_password`,
        );
        assert.equal(body.username, 'ironic-edge');
        assert.notEqual(fake.bmc.sessions.accounts.accepting(body.username, body.password), undefined, name);
        return body.password;
      }),
    );
    assert.equal(new Set(passwords).size, good.length, 'each BMC has a password of its own');
    const told = JSON.stringify(daemon.log);
    for (const password of [...passwords, ...rack.map((machine) => expectedAs(machine).bmc_password ?? '')])
      assert.ok(!told.includes(password), 'no password is in the log');
  },
);

test(
  'a correction lets a machine go on, an operator accepts others, and a class says where machines wait',
  { skip: withoutRoot },
  async (t) => {
    const { daemon, rack } = await newRack(t, 3);
    const [wrong, accepted, classed] = rack as [FactoryMachine, FactoryMachine, FactoryMachine];
    await postTo(daemon, '/v1/hardware_classes', { name: 'web', erase_disks: true, stop_after: 'compared' });
    await postTo(daemon, '/v1/expected_machines/import', [
      { ...expectedAs(wrong), bmc_password: 'Not-this-0ne', resource_class: 'db' },
      expectedAs(classed),
    ]);
    await postTo(daemon, '/v1/found_bmcs/scan', { networks: [`${RACK_NETWORK}.0/29`] });
    await settledRack(daemon, 3);
    const seen = async (machine: FactoryMachine) =>
      (await daemon.request<FoundBmc>('GET', `/v1/found_bmcs/${bmcAddressOf(machine)}`)).body;
    const { stage, reason } = await seen(classed);
    assert.deepEqual(
      [stage, reason],
      ['compared', 'machines of class web wait here for an operator (stop_after): continue it'],
    );
    const failed = await seen(wrong);
    await postTo(daemon, `/v1/found_bmcs/${bmcAddressOf(wrong)}/continue`);
    await settledRack(daemon, 3);
    assert.deepEqual(
      [(await seen(wrong)).reason, refusedLogins(wrong)],
      [failed.reason, 1],
      'the same password is not tried again',
    );

    const { bmc_password: right } = expectedAs(wrong);
    await daemon.request('PATCH', `/v1/expected_machines/${wrong.name}`, [
      { op: 'replace', path: '/bmc_password', value: right },
    ]);
    await postTo(daemon, `/v1/found_bmcs/${bmcAddressOf(classed)}/continue`);
    const { bmc_username, bmc_password } = expectedAs(accepted);
    await postTo(daemon, `/v1/found_bmcs/${bmcAddressOf(accepted)}/accept`, {
      bmc_username,
      bmc_password,
      name: 'mine',
    });
    const again = await daemon.request('POST', `/v1/found_bmcs/${bmcAddressOf(accepted)}/accept`, {
      bmc_username,
      bmc_password,
    });
    assert.equal(again.status, 400, 'nobody accepts a machine twice');
    await settledRack(daemon, 3);
    const ends = await Promise.all(rack.map(seen));
    // without a class that allows it, what the disks may hold is not erased
    const data =
      /^its disks may hold data, which the inspection did not look for: continue it to erase the disks/;
    assert.deepEqual(
      ends.map((each) => each.stage),
      ['inspected', 'inspected', 'available'],
    );
    for (const each of ends.slice(0, 2)) assert.match(each.reason ?? '', data);
    for (const each of ends.slice(0, 2)) await postTo(daemon, `/v1/found_bmcs/${each.uuid}/continue`);
    assert.deepEqual(
      (await settledRack(daemon, 3)).map((each) => each.stage),
      ['available', 'available', 'available'],
    );
    const done = await daemon.request('POST', `/v1/found_bmcs/${bmcAddressOf(accepted)}/continue`);
    assert.equal(done.status, 400);
    assert.match(JSON.stringify(done.body), /belongs to node .* already \(stage available\)/);
  },
);

const KILLS = 5;

/** Resolves after so many lines of the log, or when there are none for a while: any moment is as good as another. */
async function goneOn(daemon: DaemonProcess, lines: number): Promise<void> {
  const wanted = daemon.log.length + lines;
  for (let rounds = 0; daemon.log.length < wanted && rounds < 40; rounds += 1) await setTimeout(50);
}

test(
  'the daemon is killed again and again, and each machine becomes available in the end',
  { skip: withoutRoot },
  async (t) => {
    const size = 8;
    const { daemon, rack, environment } = await newRack(t, size);
    await postTo(daemon, '/v1/hardware_classes', { name: 'web', erase_disks: true });
    await postTo(daemon, '/v1/expected_machines/import', rack.map(expectedAs));
    for (let kill = 0; kill < KILLS; kill += 1) {
      await goneOn(daemon, 5 + 4 * kill);
      await daemon.kill();
      await daemon.restart(environment);
    }
    const bmcs = await settledRack(daemon, size);
    // a login that was cut off three times is not tried again for an hour
    const stopped = bmcs.filter(({ stage }) => stage !== 'available');
    for (const { reason } of stopped)
      assert.match(reason ?? '', /^its BMC has taken none of 3 logins within an hour/);
    const { body } = await daemon.request<{ nodes: unknown[] }>('GET', '/v1/nodes');
    assert.equal(body.nodes.length, size - stopped.length);
    for (const { fake } of rack) assert.equal(fake.bmc.sessions.accounts.lockouts, 0);
  },
);
