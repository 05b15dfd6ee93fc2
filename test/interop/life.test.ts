// The whole life of a node, and the deploy templates of their specification, through the baremetal client.
// Debian's has no verb for service.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ABLE_PLUGINS } from '../fakes/able-session.ts';
import { baremetalShell } from '../fakes/baremetal-client.ts';
import { DaemonProcess } from '../fakes/daemon-process.ts';
import { stepsFile } from '../fakes/steps-file.ts';
import { newestPython, skipWithoutNewestClient } from '../setup/newest-client.ts';
import { skipWithout } from '../setup/packages.ts';

const skip = skipWithout('python3-ironicclient');

interface Shown {
  readonly provision_state: string;
  readonly instance_info: object;
}

test(
  'a fake machine lives its whole life through the baremetal client',
  { skip: skipWithoutNewestClient() },
  async (t) => {
    await using daemon = await DaemonProcess.start();
    await using client = baremetalShell(daemon.url, newestPython);
    const { done, json } = client;
    const is = async (state: string) => {
      const { provision_state, last_error } = await daemon.node('n1');
      assert.deepEqual([provision_state, last_error], [state, null]);
    };
    await done('node create --driver fake-hardware --name n1');
    await done('node manage n1 --wait 20');
    await done('node inspect n1 --wait 20');
    await is('manageable');
    const settings = [{ name: 'Turbo', value: 'on' }];
    const apply = { interface: 'bios', step: 'apply_configuration', args: { settings } };
    await done(`node clean n1 --clean-steps ${stepsFile(t, [apply])} --wait 20`);
    assert.deepEqual(await json('node bios setting list n1'), [
      { 'BIOS setting name': 'Turbo', 'BIOS setting value': 'on' },
    ]);
    await done('node provide n1 --wait 20');
    await is('available');

    const reset = { interface: 'bios', step: 'factory_reset', args: {}, priority: 150 };
    await done(`deploy template create CUSTOM_PLAIN_BIOS --steps ${stepsFile(t, [reset])}`);
    await done('node add trait n1 CUSTOM_PLAIN_BIOS');
    await done(
      'node set n1 --instance-info traits=["CUSTOM_PLAIN_BIOS"] --instance-info image_source=http://a/b',
    );
    assert.match(await done('node validate n1'), /deploy +\| True/);
    await done('node deploy n1 --config-drive bm90aGluZw== --wait 20');
    await is('active');
    assert.deepEqual(await json('node bios setting list n1'), []);
    const { instance_info } = (await json('node show n1')) as Shown;
    assert.partialDeepStrictEqual(instance_info, { configdrive: '******' });

    await done('node rescue n1 --rescue-password s3cr3t --wait 20');
    await is('rescue');
    await done('node unrescue n1 --wait 20');
    await done('node rebuild n1 --wait 20');
    await is('active');
    const log = { interface: 'vendor', step: 'log_passthrough' };
    await done(`node service n1 --service-steps ${stepsFile(t, [log])} --wait 20`);
    await is('active');
    const trigger = { interface: 'vendor', step: 'trigger_servicewait' };
    await done(`node service n1 --service-steps ${stepsFile(t, [trigger])}`);
    await daemon.nodeWhen('n1', (node) => node.provision_state === 'service wait');
    await done('node abort n1');
    await daemon.nodeWhen('n1', (node) => node.provision_state === 'active');

    await done('node undeploy n1 --wait 20');
    assert.deepEqual(((await json('node show n1')) as Shown).instance_info, {});
    await done('node manage n1 --wait 20');
    await done('node adopt n1 --wait 20');
    await is('active');
    await done('node undeploy n1 --wait 20');
    const events = (await json('node history list n1 --long')) as { 'Event Origin Type': string }[];
    assert.deepEqual(
      new Set(events.map((event) => event['Event Origin Type'].replace(/_(start|end)$/, ''))),
      new Set(['manual_cleaning', 'automated_cleaning', 'deployment', 'servicing']),
    );
    await done('node delete n1');
    assert.deepEqual(await json('node list'), []);
    assert.ok(!JSON.stringify(daemon.log).includes('s3cr3t'));
  },
);

const raidTemplate = (name: string, raid_level: string) => ({
  name,
  steps: [
    {
      interface: 'raid',
      step: 'create_configuration',
      args: {
        logical_disks: [{ size_gb: 'MAX', raid_level, is_root_volume: true }],
        delete_configuration: true,
      },
      priority: 10,
    },
  ],
});
const biosTemplate = (name: string, value: string) => ({
  name,
  steps: [{ interface: 'bios', step: 'apply', args: { settings: [{ name: 'VMX', value }] }, priority: 150 }],
});
const templates = [
  raidTemplate('CUSTOM_BM_CONFIG_RAID_DISK_MIRROR', '1'),
  raidTemplate('CUSTOM_BM_CONFIG_RAID_DISK_STRIPE', '0'),
  biosTemplate('CUSTOM_BM_CONFIG_BIOS_VMX_ON', 'on'),
  biosTemplate('CUSTOM_BM_CONFIG_BIOS_VMX_OFF', 'off'),
];

test(
  "the deploy templates' specification: a flavour's traits choose the BIOS and RAID of its instance",
  { skip },
  async (t) => {
    await using daemon = await DaemonProcess.start({
      IRONIC_PLUGINS__PATH: ABLE_PLUGINS,
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'stepping',
      IRONIC_CONDUCTOR__AUTOMATED_CLEAN: 'false',
    });
    await using client = baremetalShell(daemon.url);
    const { done, json, refused } = client;
    for (const { name, steps } of templates)
      await done(`deploy template create ${name} --steps ${stepsFile(t, steps)}`);
    const [shown] = (await json('deploy template list --long')) as Record<string, unknown>[];
    assert.deepEqual(shown?.['Steps'], templates[0]?.steps);
    await done('node create --driver stepping --name n1');
    await done('node manage n1 --wait 20');
    await done('node provide n1 --wait 20');
    const traits = [...templates.map(({ name }) => name), 'CUSTOM_OTHER_TRAIT_I_AM_USUALLY_IGNORED'];
    await done(`node add trait n1 ${traits.join(' ')}`);
    for (const [flavour, bios, raid] of [
      [['CUSTOM_BM_CONFIG_BIOS_VMX_ON', 'CUSTOM_BM_CONFIG_RAID_DISK_MIRROR'], 'on', '1'],
      [['CUSTOM_BM_CONFIG_BIOS_VMX_OFF', 'CUSTOM_BM_CONFIG_RAID_DISK_STRIPE'], 'off', '0'],
    ] as const) {
      await done(`node set n1 --instance-info traits=${JSON.stringify(flavour)}`);
      await done('node deploy n1 --wait 20');
      const { driver_internal_info } = (await json('node show n1')) as {
        driver_internal_info: { notes: string[] };
      };
      assert.deepEqual(driver_internal_info.notes.slice(-5), [
        'prepare',
        `apply {"settings":[{"name":"VMX","value":"${bios}"}]}`,
        'deploy',
        'boot',
        `create_configuration {"logical_disks":[{"size_gb":"MAX","raid_level":"${raid}","is_root_volume":true}],"delete_configuration":true}`,
      ]);
      await done('node undeploy n1 --wait 20');
    }
    await done('node set n1 --instance-info traits=["CUSTOM_NOT_ON_THE_NODE"]');
    assert.match(await done('node validate n1'), /deploy +\| False +\|.*CUSTOM_NOT_ON_THE_NODE/s);
    assert.match(await refused('node deploy n1'), /lacks traits .*CUSTOM_NOT_ON_THE_NODE/s);
  },
);
