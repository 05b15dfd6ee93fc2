// A vendor's plugin in its own folder, used with the operators' client.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { startServiceProcessor } from '../../daemon/plugin-kit/template/http/service-processor.ts';
import { baremetalShell } from '../fakes/clients/baremetal-client.ts';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { startIpmiSim } from '../../daemon/simulator/ipmi/ipmi-sim.ts';
import { vendorPlugin } from '../fakes/vendor-plugin.ts';
import { skipWithout } from '../setup/packages.ts';

const skip = skipWithout('python3-ironicclient') || skipWithout('openipmi') || skipWithout('ipmitool');

const report = readFileSync(join(import.meta.dirname, '../fixtures/inspection/agent-12-bios.json'));
const MAC = '52:54:00:aa:bb:01';

describe("a vendor's plugin outside the project", { skip }, () => {
  test('a plugin manages, inspects and cleans a machine with its own interfaces and those of the daemon', async (t) => {
    const [rack, bmc] = await Promise.all([startServiceProcessor(), startIpmiSim()]);
    t.after(async () => {
      rack.stop();
      await bmc.stop();
    });
    await using daemon = await DaemonProcess.start({
      IRONIC_PLUGINS__PATH: vendorPlugin(t),
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'rackserver',
      IRONIC_DEFAULT__ENABLED_POWER_INTERFACES: 'rackpower,ipmitool',
      IRONIC_INSPECTOR__HOOKS: '$default_hooks,rack-position',
      IRONIC_RACKPOWER__ROW: 'B',
      IRONIC_IPMI__MIN_COMMAND_INTERVAL: '1',
    });
    await using baremetal = baremetalShell(daemon.url);
    const { done, json, refused } = baremetal;

    assert.partialDeepStrictEqual(await json('driver show rackserver'), {
      type: 'dynamic',
      default_power_interface: 'rackpower',
      default_management_interface: 'ipmitool',
      default_vendor_interface: 'rackpower',
    });
    const properties = JSON.stringify(await json('driver property list rackserver'));
    assert.match(properties, /rackpower_url.*URL of the controller\. Required\./);
    assert.match(properties, /ipmi_address/);
    assert.match(JSON.stringify(await json('driver passthru list rackserver')), /"row"/);
    // Debian's client cannot show the answer of a driver's vendor method
    const row = await daemon.request<string>('GET', '/v1/drivers/rackserver/vendor_passthru/row');
    assert.equal(row.body, 'B');

    await done('node create --driver rackserver --name r1');
    const invalid = JSON.stringify(await json('node validate r1'));
    assert.match(invalid, /rackpower_url.*missing|missing.*rackpower_url/);
    const ipmi = { address: bmc.address, port: bmc.port, username: bmc.username, password: bmc.password };
    const fields = Object.entries({ ...ipmi, cipher_suite: '3' }).map(
      ([name, value]) => `ipmi_${name}=${value}`,
    );
    const driverInfo = [...fields, `rackpower_url=${rack.address}`, 'rackpower_token=r4ck-s3cret'];
    await done(`node set r1 ${driverInfo.map((field) => `--driver-info ${field}`).join(' ')}`);
    await done('node manage r1 --wait 30');
    const shown = await json('node show r1');
    assert.partialDeepStrictEqual(shown, { power_state: 'power off' });
    assert.doesNotMatch(JSON.stringify(shown), /r4ck-s3cret/);

    await done('node power on r1');
    await daemon.nodeWhen('r1', (node) => node.power_state === 'power on');
    assert.deepEqual(rack.events, ['started', 'power on']);
    assert.equal(bmc.power(), 'off', 'the power is not switched over IPMI');
    await done('node boot device set r1 pxe');
    assert.equal(bmc.bootDevice(), 'pxe');
    assert.match(await done('node passthru call r1 events --http-method GET'), /started.*power on/);

    const { uuid } = await daemon.node('r1');
    await done(`port create ${MAC} --node ${uuid}`);
    await done('node inspect r1');
    await daemon.nodeWhen('r1', (node) => node.provision_state === 'inspect wait');
    const posted = await fetch(`${daemon.url}/v1/continue_inspection`, { method: 'POST', body: report });
    assert.equal(posted.status, 202);
    const inspected = await daemon.nodeWhen('r1', (node) => node.provision_state === 'manageable');
    assert.match(JSON.stringify(inspected.extra), /"rack":"B-/);

    assert.ok(rack.events.length > 0);
    const step = '{"interface":"vendor","step":"clear_events","args":{"reason":"tidy"}}';
    await done(`node clean r1 --clean-steps [${step}] --wait 30`);
    const cleaned = await daemon.node('r1');
    assert.deepEqual([cleaned.provision_state, cleaned.last_error, rack.events], ['manageable', null, []]);
    await done('node set r1 --power-interface ipmitool');
    await done('node power on r1');
    await daemon.nodeWhen('r1', (node) => node.power_state === 'power on');
    assert.equal(bmc.power(), 'on', 'the power is switched over IPMI');
    await done('node unset r1 --power-interface');
    assert.equal((await daemon.node('r1')).power_interface, 'rackpower');

    await done('node passthru call r1 leak --arg drop=all');
    rack.stop();
    assert.match(
      await refused('--max-retries 0 node passthru call r1 events --http-method GET'),
      /fetch failed|BMC/,
    );
    const strays = () =>
      JSON.stringify(daemon.log.filter(({ msg }) => msg === 'failure outside any operation'));
    const both = ['forgotten by the rackpower plugin', 'dropped by the rackpower plugin'];
    await daemon.nodeWhen('r1', () => both.every((text) => strays().includes(text)));
    assert.equal((await daemon.node('r1')).name, 'r1', 'the daemon goes on');
    assert.doesNotMatch(JSON.stringify(daemon.log), /r4ck-s3cret/);
  });
});
