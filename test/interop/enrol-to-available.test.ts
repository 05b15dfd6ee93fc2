import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { baremetalShell } from '../fakes/clients/baremetal-client.ts';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { type IpmiSim, startIpmiSim } from '../../daemon/simulator/ipmi/ipmi-sim.ts';
import { skipWithout } from '../setup/packages.ts';

const skip = skipWithout('python3-ironicclient') || skipWithout('openipmi') || skipWithout('ipmitool');

/** The report of a real agent in a QEMU guest with the MAC address `MAC`. */
const report = readFileSync(join(import.meta.dirname, '../fixtures/inspection/agent-12-bios.json'));
const MAC = '52:54:00:aa:bb:01';

const shortWaits = { IRONIC_IPMI__MIN_COMMAND_INTERVAL: '1', IRONIC_IPMI__COMMAND_RETRY_TIMEOUT: '4' };

type Connection = Pick<IpmiSim, 'address' | 'port' | 'username' | 'password'>;

const driverInfo = ({ address, port, username, password }: Connection) =>
  [
    `ipmi_address=${address}`,
    `ipmi_port=${port}`,
    `ipmi_username=${username}`,
    `ipmi_password=${password}`,
    'ipmi_cipher_suite=3',
  ]
    .map((pair) => `--driver-info ${pair}`)
    .join(' ');

describe('the baremetal client', { concurrency: true, skip }, () => {
  test('the client takes the node of a machine with an IPMI BMC from enroll to available', async (t) => {
    await using daemon = await DaemonProcess.start(shortWaits);
    const bmc = await startIpmiSim({ password: 's3cr3t-of-rack1' });
    t.after(() => bmc.stop());
    await using baremetal = baremetalShell(daemon.url);
    const { done, json, refused } = baremetal;
    const show = () => json('node show rack1-node1');

    const created = await json(`node create --driver ipmi --name rack1-node1 ${driverInfo(bmc)}`);
    assert.partialDeepStrictEqual(created, { provision_state: 'enroll', power_state: null });
    const { uuid } = await daemon.node('rack1-node1');
    const port = await json(`port create ${MAC} --node ${uuid}`);
    assert.partialDeepStrictEqual(port, { address: MAC, node_uuid: uuid, pxe_enabled: true });

    await done('node manage rack1-node1 --wait 30');
    assert.partialDeepStrictEqual(await show(), { provision_state: 'manageable', power_state: 'power off' });

    await done('node power on rack1-node1');
    await daemon.nodeWhen(uuid, (node) => node.target_power_state === null);
    assert.equal(bmc.power(), 'on');
    await done('node reboot rack1-node1');
    await daemon.nodeWhen(uuid, (node) => node.target_power_state === null);
    assert.deepEqual(bmc.changes().slice(-2), ['set power 0', 'set power 1']);

    const supported = await json('node boot device show rack1-node1 --supported');
    assert.deepEqual(supported, { supported_boot_devices: 'pxe, disk, bios, safe, cdrom' });
    await done('node boot device set rack1-node1 cdrom');
    assert.equal(bmc.bootDevice(), 'cdrom');
    assert.partialDeepStrictEqual(await json('node boot device show rack1-node1'), {
      boot_device: 'cdrom',
    });

    await done('node power off rack1-node1');
    await daemon.nodeWhen(uuid, (node) => node.target_power_state === null);
    assert.equal(bmc.power(), 'off');

    await done('node inspect rack1-node1');
    const waiting = await daemon.nodeWhen(uuid, (node) => node.provision_state === 'inspect wait');
    assert.equal(waiting.last_error, null);
    assert.deepEqual([bmc.power(), bmc.bootDevice()], ['on', 'pxe']);
    const posted = await fetch(`${daemon.url}/v1/continue_inspection`, { method: 'POST', body: report });
    assert.deepEqual([posted.status, await posted.json()], [202, { uuid }]);
    await daemon.nodeWhen(uuid, (node) => node.provision_state === 'manageable');
    assert.equal(bmc.power(), 'off');
    assert.partialDeepStrictEqual(await show(), { properties: { cpu_arch: 'x86_64' }, last_error: null });
    const inventory = await daemon.request('GET', `/v1/nodes/${uuid}/inventory`);
    const { inventory: reported } = JSON.parse(report.toString()) as { inventory: object };
    assert.deepEqual(inventory.body['inventory'], reported);

    await done('node set rack1-node1 --deploy-interface no-deploy');
    assert.match(await refused('node provide rack1-node1'), /must be cleaned .*automated_clean=false/);
    await done('node set rack1-node1 --no-automated-clean');
    await done('node provide rack1-node1 --wait 30');
    assert.partialDeepStrictEqual(await json('node list'), [
      { Name: 'rack1-node1', 'Provisioning State': 'available', 'Power State': 'power off' },
    ]);
    assert.deepEqual(
      daemon.log.filter(({ level }) => level === 'error' || level === 'warn'),
      [],
    );
    assert.doesNotMatch(JSON.stringify([daemon.log, await show()]), new RegExp(bmc.password));
  });

  test('last_error says that the BMC refuses the password, and the node returns to enroll', async (t) => {
    await using daemon = await DaemonProcess.start(shortWaits);
    const bmc = await startIpmiSim();
    t.after(() => bmc.stop());
    await using baremetal = baremetalShell(daemon.url);
    const { done, refused } = baremetal;
    const wrong = { ...bmc, password: 'wrong' };
    await done(`node create --driver ipmi --name locked ${driverInfo(wrong)}`);
    assert.match(await refused('node manage locked --wait 30'), /unexpected stable state enroll/);
    const node = await daemon.node('locked');
    assert.equal(node.provision_state, 'enroll');
    assert.match(node.last_error ?? '', new RegExp(`${bmc.port}.*password`));
    await done(`node set locked --driver-info ipmi_password=${bmc.password}`);
    await done('node manage locked --wait 30');
    assert.equal((await daemon.node('locked')).last_error, null);
  });

  test('last_error says that the BMC does not answer, and the node returns to enroll', async () => {
    await using daemon = await DaemonProcess.start(shortWaits);
    await using baremetal = baremetalShell(daemon.url);
    const { done, json, refused } = baremetal;
    const absent = { address: '127.0.0.1', port: 9, username: 'admin', password: 'password' };
    await done(`node create --driver ipmi --name dark ${driverInfo(absent)}`);
    await refused('node manage dark --wait 30');
    const node = await daemon.node('dark');
    assert.equal(node.provision_state, 'enroll');
    assert.match(
      node.last_error ?? '',
      /127\.0\.0\.1.*:9\b.*does not answer; check driver_info\/ipmi_address/,
    );
    const history = await json('node history list dark --long');
    assert.partialDeepStrictEqual(history, [{ Severity: 'ERROR', 'Event Origin Type': 'verify' }]);
  });
});
