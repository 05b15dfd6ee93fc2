import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Driver, Node, Port } from '../../../daemon/plugin-api/index.ts';
import { httpBoot, httpIpxeBoot, ipxeBoot, pxeBoot } from '../../../plugins/pxe/boot.ts';
import { ramdiskImages } from '../../../daemon/plugin-api/index.ts';
import { fakeTask, notingBootDevices } from '../../fakes/task.ts';

const interfaces = { ipxe: ipxeBoot, pxe: pxeBoot, 'http-ipxe': httpIpxeBoot, http: httpBoot };
const ramdisk = { deploy_kernel: 'http://i/kernel', deploy_ramdisk: 'http://i/ramdisk' };
const options = {
  pxe: { kernel_append_params: 'nofb vga=normal' },
  deploy: { default_boot_mode: 'uefi' },
  conductor: {},
  DEFAULT: { debug: false },
};

interface Case {
  readonly node?: Partial<Node>;
  readonly conductor?: Readonly<Record<string, unknown>>;
  readonly management?: Partial<Driver['management']>;
  readonly bootObstacle?: string;
  readonly ports?: readonly Port[];
}

function taskFor({ node = {}, conductor = {}, management = {}, ...more }: Case = {}) {
  const devices: string[] = [];
  const task = fakeTask({
    node: { driver_info: ramdisk, provision_state: 'cleaning', ...node },
    configuration: { ...options, conductor },
    driver: { management: { ...notingBootDevices(devices), ...management } },
    ...more,
  });
  return { task, devices };
}

describe('the network boot interfaces', () => {
  it('serve the ramdisk over their protocol and boot from the network once', async () => {
    for (const [protocol, boot] of Object.entries(interfaces)) {
      const { task, devices } = taskFor();
      await boot.prepareRamdisk?.(task, { 'ipa-api-url': 'http://10.0.0.1:6385' });
      assert.deepEqual(task.done, [`serve ${protocol} http://i/kernel http://i/ramdisk`]);
      assert.deepEqual(devices, ['pxe']);
    }
  });

  it('use UEFI HTTP if the BMC offers it and the boot interface is http, not ipxe', async () => {
    const { task, devices } = taskFor({
      management: { supportedBootDevices: async () => ['pxe', 'uefihttp'] },
    });
    await httpBoot.prepareRamdisk?.(task, {});
    await ipxeBoot.prepareRamdisk?.(task, {});
    assert.deepEqual(devices, ['uefihttp', 'pxe']);
  });

  it('set the expected boot mode where the machine has another one', async () => {
    const set: string[] = [];
    const management = {
      getBootMode: async () => 'bios' as const,
      setBootMode: async (_: unknown, mode: string) => void set.push(mode),
    };
    await ipxeBoot.prepareRamdisk?.(taskFor({ management }).task, {});
    const bios = { driver_info: ramdisk, properties: { capabilities: 'boot_mode:bios' } };
    await ipxeBoot.prepareRamdisk?.(taskFor({ management, node: bios }).task, {});
    assert.deepEqual(set, ['uefi']);
  });

  it('boot the disk when the instance is ready, for every boot unless force_persistent_boot_device is Never', async () => {
    for (const [value, device] of [
      [undefined, 'disk persistently'],
      ['Never', 'disk'],
      ['always', 'disk persistently'],
    ] as const) {
      const { task, devices } = taskFor({
        node: { driver_info: { ...ramdisk, ...(value && { force_persistent_boot_device: value }) } },
      });
      await ipxeBoot.prepareInstance?.(task);
      assert.deepEqual([task.done, devices], [['withdraw the network boot'], [device]]);
    }
  });

  it('leave the boot device of a Lenovo machine alone at the end of a deployment in boot mode uefi', async () => {
    const lenovo = { vendor: 'Lenovo' };
    for (const [provision_state, properties, expected] of [
      ['deploying', lenovo, []],
      ['deploying', { ...lenovo, capabilities: 'boot_mode:bios' }, ['disk persistently']],
      ['unrescuing', lenovo, ['disk persistently']],
    ] as const) {
      const { task, devices } = taskFor({ node: { driver_info: ramdisk, provision_state, properties } });
      await ipxeBoot.prepareInstance?.(task);
      assert.deepEqual(devices, expected);
    }
  });

  it('go on after a deployment in boot mode uefi when the BMC cannot set the boot device', async () => {
    const management = { setBootDevice: async () => Promise.reject(new Error('not me')) };
    for (const [provision_state, capabilities, fails] of [
      ['deploying', 'boot_mode:uefi', false],
      ['deploying', 'boot_mode:bios', true],
      ['unrescuing', 'boot_mode:uefi', true],
    ] as const) {
      const node = { driver_info: ramdisk, provision_state, properties: { capabilities } };
      const prepared = ipxeBoot.prepareInstance?.(taskFor({ management, node }).task);
      if (fails) await assert.rejects(async () => prepared, /not me/);
      else await prepared;
    }
  });

  it('refuse a missing ramdisk, a daemon that serves no files and wrong kernel parameters, and say what to set', async () => {
    await assert.rejects(
      async () => ipxeBoot.validate(taskFor({ node: { driver_info: {} } }).task),
      /deploy_kernel, deploy_ramdisk.*\[conductor\] deploy_kernel.*agent-image build/,
    );
    const { task } = taskFor({ bootObstacle: 'the daemon serves no boot files: set [boot_http] port' });
    await assert.rejects(async () => ipxeBoot.validate(task), /serves no boot files: set \[boot_http\] port/);
    await assert.rejects(
      async () =>
        ipxeBoot.validate(
          taskFor({ node: { driver_info: { ...ramdisk, kernel_append_params: 'a="b' } } }).task,
        ),
      /kernel_append_params.*NAME=VALUE/,
    );
  });

  it('refuse the inspection of a node without a port or without a ramdisk as unsupported', async () => {
    const withoutPort = taskFor().task;
    const withoutImage = taskFor({ node: { driver_info: {} }, ports: [{} as Port] }).task;
    for (const [task, reason] of [
      [withoutPort, /no port yet/],
      [withoutImage, /no ramdisk is configured/],
    ] as const)
      await assert.rejects(async () => ipxeBoot.validateInspection?.(task), {
        code: 'UnsupportedDriverExtension',
        message: reason,
      });
  });
});

const images = (given: Case) =>
  ramdiskImages(taskFor({ ...given, node: { driver_info: {}, ...given.node } }).task);

describe('the ramdisk of a node', () => {
  const conductor = {
    deploy_kernel: 'http://all/k',
    deploy_ramdisk: 'http://all/r',
    deploy_kernel_by_arch: ['aarch64:http://arm/k'],
    deploy_ramdisk_by_arch: ['aarch64:http://arm/r'],
  };

  it('the ramdisk is taken from the node, else from the options for its architecture, else from those for all nodes', () => {
    assert.deepEqual(images({ conductor }), { kernel: 'http://all/k', ramdisk: 'http://all/r' });
    const arm = { properties: { cpu_arch: 'aarch64' } };
    assert.deepEqual(images({ conductor, node: arm }), { kernel: 'http://arm/k', ramdisk: 'http://arm/r' });
    assert.deepEqual(images({ conductor, node: { ...arm, driver_info: ramdisk } }), {
      kernel: 'http://i/kernel',
      ramdisk: 'http://i/ramdisk',
    });
  });

  it('a node that names only a kernel gets kernel and ramdisk from the options', () => {
    const half = { driver_info: { deploy_kernel: 'http://mine/k' } };
    assert.deepEqual(images({ conductor, node: half }), { kernel: 'http://all/k', ramdisk: 'http://all/r' });
  });

  it('a rescue boots the rescue ramdisk, or that of deployments where no rescue ramdisk is set', () => {
    const rescuing = { provision_state: 'rescuing' } as const;
    const rescue = { ...conductor, rescue_kernel: 'http://rescue/k', rescue_ramdisk: 'http://rescue/r' };
    assert.deepEqual(images({ conductor: rescue, node: rescuing }).kernel, 'http://rescue/k');
    assert.deepEqual(images({ conductor, node: rescuing }).kernel, 'http://all/k');
    assert.deepEqual(images({ conductor: rescue }).kernel, 'http://all/k');
  });
});
