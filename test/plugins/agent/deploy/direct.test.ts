import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type {
  Agent,
  AgentCommand,
  Driver,
  Json,
  JsonObject,
  Node,
} from '../../../../daemon/plugin-api/index.ts';
import { customAgentDeploy, directDeploy } from '../../../../plugins/agent/deploy/direct.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { fakeTask, type FakeTask } from '../../../fakes/task.ts';

interface Scene {
  readonly node?: Partial<Node>;
  /** The agent's answers by command; an Error is thrown. */
  readonly answers?: Readonly<Record<string, JsonObject | Error>>;
  /** The power states of successive readings; off after the last. */
  readonly power?: ('power on' | 'power off')[];
  readonly driver?: Partial<Driver>;
  readonly agent?: Readonly<Record<string, Json>>;
  readonly fastTrack?: boolean;
  /** What becomes of an instance whose kernel the agent has loaded. */
  readonly kexec?: 'runs' | 'failed';
}

const image: JsonObject = { image_source: 'http://images.test/a.raw', image_checksum: 'a'.repeat(64) };

function scene({
  node = {},
  answers = {},
  power = [],
  driver = {},
  agent = {},
  fastTrack = false,
  kexec,
}: Scene = {}) {
  const asked: [string, JsonObject][] = [];
  const answer = async (command: string, parameters: JsonObject): Promise<AgentCommand> => {
    asked.push([command, parameters]);
    const result = answers[command] ?? {};
    if (result instanceof Error) throw result;
    return { id: '1', name: command, status: 'SUCCEEDED', error: null, result };
  };
  const noted = (what: string) => async (): Promise<void> => void task.done.push(what);
  const task: FakeTask = fakeTask({
    node: { instance_info: image, ...node },
    ramdiskIsRunning: fastTrack,
    ...(kexec && { kexec }),
    configuration: {
      agent: {
        post_deploy_get_power_state_retries: 6,
        post_deploy_get_power_state_retry_interval: 5,
        image_download_source: 'http',
        ...agent,
      },
      deploy: { default_boot_mode: 'uefi', disk_erasure_concurrency: 4 },
    },
    agent: {
      start: answer,
      run: answer,
      startStep: async (phase, step) => answer(`${phase} step`, step),
    } satisfies Partial<Agent>,
    driver: {
      deploy: directDeploy,
      boot: {
        properties: {},
        validate() {},
        prepareRamdisk: async (_, parameters) =>
          void task.done.push(`prepare ramdisk ${parameters['ipa-api-url']}`),
        cleanUpRamdisk: noted('clean up ramdisk'),
        prepareInstance: noted('prepare instance'),
        cleanUpInstance: noted('clean up instance'),
      },
      management: {
        properties: {},
        validate() {},
        supportedBootDevices: async () => ['disk'],
        getBootDevice: async () => ({ boot_device: null, persistent: null }),
        setBootDevice: async (_, device, persistent) => void task.done.push(`boot ${device} ${persistent}`),
      },
      power: {
        properties: {},
        validate() {},
        supportedTargets: [],
        supportsPowerSync: true,
        getPowerState: async () => power.shift() ?? 'power off',
        setPowerState: async () => undefined,
      },
      ...driver,
    },
  });
  return { task, asked, step: (name: string) => directDeploy.steps?.[name]?.run(task, {}) };
}

const SAVED = 'save logs of deployment';
const PREPARED = 'prepare ramdisk http://10.0.0.1:6385';

test('a deployment powers the machine off, prepares the ramdisk and powers the machine on', async () => {
  const { task, step } = scene({ node: { power_state: 'power off' } });
  await directDeploy.prepare?.(task);
  assert.equal(await step('deploy'), 'wait');
  assert.deepEqual(task.done, ['set power off', PREPARED, 'set power on']);
});

test('a machine with disable_power_off is rebooted into the ramdisk', async () => {
  const { task, step } = scene({ node: { power_state: 'power on', disable_power_off: true } });
  await directDeploy.prepare?.(task);
  assert.equal(await step('deploy'), 'wait');
  assert.deepEqual(task.done, [PREPARED, 'set rebooting']);
});

test('fast track reuses the running ramdisk', async () => {
  const { task, step } = scene({ fastTrack: true });
  await directDeploy.prepare?.(task);
  assert.equal(await step('deploy'), 'done');
  assert.equal(await directDeploy.prepareCleaning?.(task), 'ready');
  await directDeploy.tearDownCleaning?.(task);
  assert.deepEqual(task.done, ['update']);
});

test('write_image sends the image and the config drive to the agent', async () => {
  const given = gzipSync('a config drive').toString('base64');
  const { step, asked } = scene({ node: { instance_info: { ...image, configdrive: given } } });
  assert.equal(await step('write_image'), 'wait for agent');
  const [[command, { interface: type, step: name, args }]] = asked as [[string, JsonObject]];
  assert.deepEqual([command, type, name], ['deploy step', 'deploy', 'write_image']);
  const { image_info, configdrive } = args as { image_info: JsonObject; configdrive: Json };
  assert.deepEqual([image_info['urls'], configdrive], [['http://images.test/a.raw'], given]);
});

test('a rebuild that preserves the ephemeral partition is refused when a partition would change its size', async () => {
  const parts = { ...image, image_type: 'partition', root_gb: 10, ephemeral_gb: 2 };
  const { task, step } = scene({ node: { instance_info: parts } });
  await step('write_image');
  const rebuild = async (more: object) => {
    await task.update({ instance_info: { ...parts, preserve_ephemeral: true, ...more } });
    await directDeploy.validate(task);
  };
  await rebuild({});
  await assert.rejects(
    rebuild({ root_gb: 11 }),
    /would change from .*10240.* to .*11264.*set root_gb, swap_mb/,
  );
  await rebuild({ root_gb: 11, preserve_ephemeral: false });
  await directDeploy.tearDown?.(task);
  await rebuild({ root_gb: 11 });
});

const partitions = { 'root uuid': '0x1', 'efi system partition uuid': 'E' };
const bios = { capabilities: 'boot_mode:bios' };

for (const [what, node, installs] of [
  ['a disk image on UEFI', {}, true],
  ['a disk image on BIOS', { properties: bios }, false],
  [
    'a partition image on BIOS',
    { properties: bios, instance_info: { ...image, image_type: 'partition' } },
    true,
  ],
  [
    'software RAID on BIOS',
    { properties: bios, target_raid_config: { logical_disks: [{ controller: 'software' }] } },
    true,
  ],
] as const) {
  test(`prepare_instance_boot ${installs ? 'calls' : 'does not call'} image.install_bootloader for ${what}`, async () => {
    const { task, step, asked } = scene({ node, answers: { 'standby.get_partition_uuids': partitions } });
    assert.equal(await step('prepare_instance_boot'), 'done');
    assert.equal(task.node.driver_internal_info['root_uuid_or_disk_id'], '0x1');
    assert.deepEqual(task.done, ['update', 'prepare instance']);
    const expected = {
      root_uuid: '0x1',
      efi_system_part_uuid: 'E',
      prep_boot_part_uuid: null,
      target_boot_mode: 'properties' in node && node.properties === bios ? 'bios' : 'uefi',
    };
    assert.deepEqual(asked.slice(1), installs ? [['image.install_bootloader', expected]] : []);
  });
}

test('an agent that reports no disk fails the deployment', async () => {
  const { step } = scene();
  await rejectsFault(step('prepare_instance_boot') as Promise<unknown>, 'AgentFailed', /reports no disk/);
});

test('tear_down_agent waits a while for the ramdisk to power the machine off, then always has the BMC do it', async () => {
  const on = 'power on' as const;
  const soon = scene({ power: [on, on] });
  assert.equal(await soon.step('tear_down_agent'), 'done');
  assert.deepEqual(soon.task.done, [SAVED, 'sleep 500', 'sleep 1000', 'set power off']);
  const never = scene({
    power: Array(20).fill(on) as (typeof on)[],
  });
  assert.equal(await never.step('tear_down_agent'), 'done');
  assert.deepEqual(never.task.done, [
    'save logs of deployment',
    ...[500, 1000, 2000, 4000, ...Array(4).fill(5000), 2500].map((pause) => `sleep ${pause}`),
    'set power off',
  ]);
  const dead = scene({ answers: { 'standby.power_off': new Error('no route') } });
  assert.equal(await dead.step('tear_down_agent'), 'done');
  assert.deepEqual(dead.task.done, [SAVED, 'set power off']);
});

test('disable_power_off locks the ramdisk down and reboots; deploy_forces_oob_reboot power-cycles the machine', async () => {
  const locked = scene({ node: { disable_power_off: true } });
  await locked.step('tear_down_agent');
  await locked.step('boot_instance');
  assert.deepEqual([locked.asked, locked.task.done], [[['system.lockdown', {}]], [SAVED, 'set rebooting']]);
  for (const flag of [true, 'True']) {
    const forced = scene({ node: { driver_info: { deploy_forces_oob_reboot: flag } } });
    await forced.step('tear_down_agent');
    await forced.step('boot_instance');
    assert.deepEqual(
      [forced.asked, forced.task.done],
      [[['standby.sync', {}]], [SAVED, 'set power off', 'set power on']],
    );
  }
});

test('with kexec the machine stays on, and is reset only if its instance does not run', async () => {
  const STARTED = 'start the kernel of the instance';
  const running = scene({ kexec: 'runs' });
  assert.equal(await running.step('tear_down_agent'), 'done');
  assert.equal(await running.step('boot_instance'), 'done');
  assert.deepEqual([running.asked, running.task.done], [[], [SAVED, STARTED]]);
  const lost = scene({ kexec: 'failed' });
  await lost.step('tear_down_agent');
  await lost.step('boot_instance');
  assert.deepEqual(lost.task.done, [SAVED, STARTED, 'set power off', 'set power on']);
  const alwaysOn = scene({ kexec: 'failed', node: { disable_power_off: true } });
  await alwaysOn.step('tear_down_agent');
  await alwaysOn.step('boot_instance');
  assert.deepEqual(alwaysOn.task.done, [SAVED, STARTED, 'set rebooting']);
});

test('cleaning records disk_erasure_concurrency, boots the ramdisk and finally powers the machine off', async () => {
  const { task } = scene({ node: { power_state: 'power on', provision_state: 'cleaning' } });
  assert.equal(await directDeploy.prepareCleaning?.(task), 'wait');
  assert.equal(task.node.driver_internal_info['disk_erasure_concurrency'], 4);
  await directDeploy.tearDownCleaning?.(task);
  const expected = ['update', 'set power off', PREPARED, 'set power on', 'set power off', 'clean up ramdisk'];
  assert.deepEqual(task.done, expected);
});

test('failed cleaning cleans up the ramdisk and does not change the power state', async () => {
  const { task } = scene({ node: { provision_state: 'clean failed' } });
  await directDeploy.tearDownCleaning?.(task);
  assert.deepEqual(task.done, ['clean up ramdisk']);
});

test('service boots the ramdisk in place of the instance, then the instance again', async () => {
  const { task } = scene({ node: { provision_state: 'servicing' } });
  assert.equal(await directDeploy.prepareService?.(task), 'wait');
  await directDeploy.tearDownService?.(task);
  const before = ['set power off', 'clean up instance', PREPARED, 'set power on'];
  assert.deepEqual(task.done, [
    ...before,
    'set power off',
    'clean up ramdisk',
    'prepare instance',
    'set power on',
  ]);
});

test('tear down powers the machine off, and take over changes nothing on a machine that boots its disk', async () => {
  const gone = scene();
  await directDeploy.tearDown?.(gone.task);
  assert.deepEqual(gone.task.done, ['set power off', 'clean up ramdisk', 'clean up instance']);
  const adopted = scene();
  await directDeploy.takeOver?.(adopted.task);
  assert.deepEqual(adopted.task.done, []);
});

test('direct requires an image and ramdisk boot; custom-agent requires only ramdisk boot', async () => {
  const imageless = scene({ node: { instance_info: {} } }).task;
  await rejectsFault(Promise.resolve(directDeploy.validate(imageless)), 'InvalidParameter', /image_source/);
  await customAgentDeploy.validate(imageless);
  const unbootable = scene({ driver: { boot: { properties: {}, validate() {} } } }).task;
  for (const deploy of [directDeploy, customAgentDeploy])
    await rejectsFault(
      Promise.resolve(deploy.validate(unbootable)),
      'UnsupportedDriverExtension',
      /booting a ramdisk/,
    );
  assert.equal(customAgentDeploy.steps?.['write_image'], undefined);
});
