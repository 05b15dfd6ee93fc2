// A node's whole life cycle, and the example deploy templates of Ironic's specification, with the baremetal client.
// Debian's client has no command `node service`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ABLE_PLUGINS } from '../fakes/daemon/able-session.ts';
import { type Baremetal, baremetalShell } from '../fakes/clients/baremetal-client.ts';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { stepsFile } from '../fakes/steps-file.ts';
import { newestPython, skipWithoutNewestClient } from '../setup/newest-client.ts';
import { skipWithout } from '../setup/packages.ts';

const skip = skipWithout('python3-ironicclient');

interface Shown {
  readonly provision_state: string;
  readonly instance_info: object;
}

/** Runs a client command and waits for the resulting state, without the client's polling pauses. */
const verbs =
  (daemon: DaemonProcess, { done }: Baremetal) =>
  async (line: string, state: string): Promise<void> => {
    await done(line);
    const { last_error } = await daemon.nodeWhen(
      'n1',
      (node) => node.provision_state === state && node.target_provision_state === null,
    );
    assert.equal(last_error, null, line);
  };

test(
  'the baremetal client takes a fake machine through its whole life cycle',
  { skip: skipWithoutNewestClient() },
  async (t) => {
    await using daemon = await DaemonProcess.start();
    await using client = baremetalShell(daemon.url, newestPython);
    const { done, json } = client;
    const life = verbs(daemon, client);
    await done('node create --driver fake-hardware --name n1');
    await life('node manage n1', 'manageable');
    await life('node inspect n1', 'manageable');
    const settings = [{ name: 'Turbo', value: 'on' }];
    const apply = { interface: 'bios', step: 'apply_configuration', args: { settings } };
    await life(`node clean n1 --clean-steps ${stepsFile(t, [apply])}`, 'manageable');
    assert.equal(await done('node bios setting list n1 -f value'), 'Turbo on\n');
    await life('node provide n1', 'available');

    const reset = { interface: 'bios', step: 'factory_reset', args: {}, priority: 150 };
    await done(`deploy template create CUSTOM_PLAIN_BIOS --steps ${stepsFile(t, [reset])}`);
    await done('node add trait n1 CUSTOM_PLAIN_BIOS');
    await done(
      'node set n1 --instance-info traits=["CUSTOM_PLAIN_BIOS"] --instance-info image_source=http://a/b',
    );
    assert.match(await done('node validate n1'), /deploy +\| True/);
    await life('node deploy n1 --config-drive {"meta_data":{"hostname":"web-1"}}', 'active');
    assert.equal(await done('node bios setting list n1 -f value'), '');
    const { instance_info } = (await json('node show n1')) as Shown;
    assert.partialDeepStrictEqual(instance_info, { configdrive: '******' });

    await life('node rescue n1 --rescue-password s3cr3t', 'rescue');
    await life('node unrescue n1', 'active');
    await life('node rebuild n1', 'active');
    const log = { interface: 'vendor', step: 'log_passthrough' };
    await life(`node service n1 --service-steps ${stepsFile(t, [log])}`, 'active');
    const trigger = { interface: 'vendor', step: 'trigger_servicewait' };
    await done(`node service n1 --service-steps ${stepsFile(t, [trigger])}`);
    await daemon.nodeWhen('n1', (node) => node.provision_state === 'service wait');
    await done('node abort n1');
    await daemon.nodeWhen('n1', (node) => node.provision_state === 'active');

    await life('node undeploy n1', 'available');
    assert.deepEqual(((await json('node show n1')) as Shown).instance_info, {});
    await life('node manage n1', 'manageable');
    await life('node adopt n1', 'active');
    await life('node undeploy n1', 'available');
    const history = await done('node history list n1 --long');
    for (const flow of ['manual_cleaning', 'automated_cleaning', 'deployment', 'servicing'])
      assert.match(history, new RegExp(`${flow}_start[^]*${flow}_end`));
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

test('the traits of an instance select the deploy templates for its BIOS and RAID', { skip }, async (t) => {
  await using daemon = await DaemonProcess.start({
    IRONIC_PLUGINS__PATH: ABLE_PLUGINS,
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'stepping',
    IRONIC_CONDUCTOR__AUTOMATED_CLEAN: 'false',
  });
  await using client = baremetalShell(daemon.url);
  const { done, json, refused } = client;
  const life = verbs(daemon, client);
  for (const { name, steps } of templates)
    await done(`deploy template create ${name} --steps ${stepsFile(t, steps)}`);
  const [shown] = (await json('deploy template list --long')) as Record<string, unknown>[];
  assert.deepEqual(shown?.['Steps'], templates[0]?.steps);
  await done('node create --driver stepping --name n1');
  await life('node manage n1', 'manageable');
  await life('node provide n1', 'available');
  const traits = [...templates.map(({ name }) => name), 'CUSTOM_OTHER_TRAIT_I_AM_USUALLY_IGNORED'];
  await done(`node add trait n1 ${traits.join(' ')}`);
  for (const [flavour, bios, raid] of [
    [['CUSTOM_BM_CONFIG_BIOS_VMX_ON', 'CUSTOM_BM_CONFIG_RAID_DISK_MIRROR'], 'on', '1'],
    [['CUSTOM_BM_CONFIG_BIOS_VMX_OFF', 'CUSTOM_BM_CONFIG_RAID_DISK_STRIPE'], 'off', '0'],
  ] as const) {
    await done(`node set n1 --instance-info traits=${JSON.stringify(flavour)}`);
    await life('node deploy n1', 'active');
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
    await life('node undeploy n1', 'available');
  }
  await done('node set n1 --instance-info traits=["CUSTOM_NOT_ON_THE_NODE"]');
  assert.match(await done('node validate n1'), /deploy +\| False +\|.*CUSTOM_NOT_ON_THE_NODE/s);
  assert.match(await refused('node deploy n1'), /lacks traits .*CUSTOM_NOT_ON_THE_NODE/s);
});
