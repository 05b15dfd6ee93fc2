// libvirt, and OpenStack's Redfish emulator in front of libvirt's guests. Both run in the namespaces of this process, apart from
// any libvirt of the host.
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sushyEmulator } from '../../setup/sushy-tools.ts';
import { HOST } from './network.ts';

const PORT = 8001;
const START_SECONDS = 60;
const POLL_MILLISECONDS = 200;
const DIRECTORIES = ['/etc', '/run', '/var/cache', '/var/lib', '/var/log'].map((each) => `${each}/libvirt`);
const OVMF = '/usr/share/OVMF';

/** Firmware that can do Secure Boot, and its variables with and without the keys for it. */
export const secureFirmware = {
  code: `${OVMF}/OVMF_CODE_4M.secboot.fd`,
  variables: `${OVMF}/OVMF_VARS_4M.fd`,
  variablesWithKeys: `${OVMF}/OVMF_VARS_4M.ms.fd`,
} as const;

// QEMU runs without cgroups, and without services that systemd would start
const QEMU_CONFIGURATION = `user = "root"
group = "root"
dynamic_ownership = 0
security_driver = "none"
namespaces = []
cgroup_controllers = []
stdio_handler = "file"
`;

export class Virtualization implements AsyncDisposable {
  readonly redfishAddress = `http://${HOST}:${PORT}`;
  readonly #started = new AsyncDisposableStack();

  private constructor() {}

  /** The files and logs of libvirt and the emulator are in `folder`. */
  static async start(folder: string): Promise<Virtualization> {
    mkdirSync(join(folder, 'pool'), { recursive: true });
    const virtualization = new Virtualization();
    const started = virtualization.#started;
    hideDirectories(folder, started);
    // libvirt waits until a guest's process is gone; process 1 of the rig does not reap orphaned processes, tini does
    run(started, folder, 'tini', ['-s', '--', 'libvirtd', '--pid-file', join(folder, 'libvirtd.pid')]);
    await until('libvirtd answers', () => virsh('version'));
    await virsh('pool-create-as', 'default', 'dir', '--target', join(folder, 'pool'));
    run(started, folder, sushyEmulator, ['--config', emulatorConfiguration(folder)]);
    await until('the emulator answers', () => fetch(`${virtualization.redfishAddress}/redfish/v1/`));
    return virtualization;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#started.disposeAsync();
  }
}

export const virsh = (...words: readonly string[]) =>
  promisify(execFile)('virsh', ['--quiet', '--connect', 'qemu:///system', ...words]);

/**
 * Mounts empty folders over the fixed places where libvirt keeps files. Also mounts copies of passwd and group, with the user and
 * the groups that libvirt needs, over the host's.
 */
function hideDirectories(folder: string, started: AsyncDisposableStack): void {
  const mount = (place: string, ...words: readonly string[]) => {
    execFileSync('mount', [...words, place]);
    started.defer(() => void execFileSync('umount', ['--lazy', place]));
  };
  for (const place of DIRECTORIES) {
    mkdirSync(place, { recursive: true });
    mount(place, '-t', 'tmpfs', 'tmpfs');
  }
  for (const [name, ...lines] of [
    ['passwd', 'libvirt-qemu:x:64055:64055::/:/usr/sbin/nologin'],
    ['group', 'libvirt-qemu:x:64055:', 'kvm:x:64056:'],
  ]) {
    const copy = join(folder, name ?? '');
    copyFileSync(`/etc/${name}`, copy);
    const known = readFileSync(copy, 'utf8').split('\n');
    const isNew = (line: string) =>
      !known.some((each) => each.startsWith(line.slice(0, line.indexOf(':') + 1)));
    appendFileSync(
      copy,
      lines
        .filter(isNew)
        .map((line) => `${line}\n`)
        .join(''),
    );
    mount(`/etc/${name}`, '--bind', copy);
  }
  writeFileSync('/etc/libvirt/qemu.conf', QEMU_CONFIGURATION);
}

function emulatorConfiguration(folder: string): string {
  const settings = {
    LIBVIRT_URI: 'qemu:///system',
    LISTEN_IP: HOST,
    LISTEN_PORT: PORT,
    STATE_DIR: folder,
    BOOT_LOADER_MAP: { UEFI: { x86_64: secureFirmware.code }, Legacy: {} },
    SECURE_BOOT_ENABLED_NVRAM: secureFirmware.variablesWithKeys,
    SECURE_BOOT_DISABLED_NVRAM: secureFirmware.variables,
  };
  const file = join(folder, 'emulator.conf');
  const lines = Object.entries(settings).map(
    // these values are the same text in JSON and in Python
    ([name, value]) => `SUSHY_EMULATOR_${name} = ${JSON.stringify(value)}\n`,
  );
  writeFileSync(file, lines.join(''));
  return file;
}

function run(started: AsyncDisposableStack, folder: string, program: string, words: readonly string[]): void {
  const log = openSync(join(folder, 'virtualization.log'), 'a');
  const child = spawn(program, words, { stdio: ['ignore', log, log] });
  started.defer(async () => {
    if (child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill();
    await ended;
  });
}

async function until(what: string, succeeds: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + START_SECONDS * 1000;
  for (;;) {
    try {
      return void (await succeeds());
    } catch (error) {
      if (performance.now() > deadline)
        throw new Error(`expected that ${what} within ${START_SECONDS} s`, { cause: error });
      await wait(POLL_MILLISECONDS);
    }
  }
}
