// A machine: a QEMU guest that its BMC switches on and off.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IPMI_CREDENTIALS, startBmc } from '../../../daemon/simulator/ipmi/machine-bmc.ts';
import type { Mark, Worker } from '../who-works.ts';
import { Console } from './console.ts';
import { type Firmware, type FirmwareKind, firmwareFor } from './firmware.ts';
import { connectMachine, disconnectMachine, macOf, uuidOf } from './network.ts';

export interface MachineDescription {
  /** Numbers count from 1, and no two machines of a run have the same. */
  readonly number: number;
  readonly firmware: FirmwareKind;
  readonly memoryMebibytes: number;
  /** 0: the machine has no disk. */
  readonly diskGibibytes: number;
  /** Whether its BMC has no user yet. */
  readonly hasBlankBmc?: boolean;
  readonly bmcAddress: string;
  /** Where its console, disk and firmware variables are. */
  readonly folder: string;
}

// ipmi_sim's names; it says `default` for a boot from disk
type BootDevice = 'none' | 'pxe' | 'default' | 'cdrom' | 'bios';

const FOLLOW_MILLISECONDS = 200;

const systemInterfacePort = (number: number): number => 27_700 + number;

export class Machine implements AsyncDisposable {
  readonly mac: string;
  readonly number: number;
  readonly driver = 'ipmi';
  readonly driverInfo: Readonly<Record<string, string | number>>;
  readonly console: Console;
  /** The file that holds the content of its disk. */
  readonly disk: string;
  readonly #emulator: Firmware['emulator'];
  readonly #arguments: (isNetworkFirst: boolean) => readonly string[];
  readonly #bmcAddress: string;
  readonly #stopBmc: () => Promise<void>;
  /** Who has worked on the machine, each with the moment at which the work began. */
  readonly marks: Mark[] = [];
  #bootDevice: BootDevice = 'none';
  #guest: ChildProcess | undefined;
  #follower: NodeJS.Timeout | undefined;

  private constructor(description: MachineDescription, stopBmc: () => Promise<void>, tap: string) {
    const { number, folder, bmcAddress } = description;
    this.#bmcAddress = bmcAddress;
    [this.mac, this.number] = [macOf(number), number];
    this.driverInfo = {
      ipmi_address: bmcAddress,
      ipmi_username: IPMI_CREDENTIALS.username,
      ipmi_password: IPMI_CREDENTIALS.password,
      // the newest cipher suite that ipmi_sim supports
      ipmi_cipher_suite: 3,
    };
    [this.console, this.disk] = [new Console(folder), diskIn(folder)];
    this.#stopBmc = stopBmc;
    const firmware = firmwareFor(description.firmware, folder);
    this.#emulator = firmware.emulator;
    const own = guestArguments(description, firmware, tap);
    this.#arguments = (isNetworkFirst) => [...own(isNetworkFirst), ...this.console.arguments];
  }

  /** Connects a new machine, which is off, to the network. */
  static async add(description: MachineDescription): Promise<Machine> {
    const { number, folder, bmcAddress, diskGibibytes, hasBlankBmc = false } = description;
    mkdirSync(folder, { recursive: true });
    writeFileSync(diskIn(folder), '');
    truncateSync(diskIn(folder), diskGibibytes * 2 ** 30);
    const tap = connectMachine(number, bmcAddress);
    const place = {
      address: bmcAddress,
      port: 623,
      systemInterfacePort: systemInterfacePort(number),
      guid: uuidOf(number),
      isBlank: hasBlankBmc,
    };
    const stopBmc = await startBmc(place, {
      power: () => (machine.isOn ? 'on' : 'off'),
      bootDevice: () => machine.#bootDevice,
      setBootDevice: (device) => void (machine.#bootDevice = device as BootDevice),
      switchOn: () => machine.#switchOn(),
      switchOff: () => machine.#switchOff(),
    });
    const machine: Machine = new Machine(description, stopBmc, tap);
    return machine;
  }

  /** Switches the machine on without its BMC. */
  pressPowerButton(): void {
    this.#switchOn();
  }

  get isOn(): boolean {
    return this.#guest !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#switchOff();
    await this.#stopBmc();
    disconnectMachine(this.number, this.#bmcAddress);
  }

  #switchOn(): void {
    if (this.#guest !== undefined) return;
    const isNetworkFirst = this.#bootDevice !== 'default';
    const words = this.#arguments(isNetworkFirst);
    this.#mark(isNetworkFirst ? 'firmware' : 'instance');
    if (isNetworkFirst) this.#followRamdisk();
    const guest = spawn(this.#emulator, words, { stdio: ['ignore', 'ignore', 'inherit'] });
    guest.once('exit', () => {
      clearInterval(this.#follower);
      this.#mark('daemon');
      if (this.#guest === guest) this.#guest = undefined;
    });
    this.#guest = guest;
  }

  #mark(worker: Worker): void {
    this.marks.push({ milliseconds: performance.now(), worker });
  }

  /** Marks when the ramdisk's init and its agent start, as the console tells. */
  #followRamdisk(): void {
    const from = this.console.text.length;
    const expected: [string, Worker][] = [
      ['finding devices', 'ramdisk'],
      ['starting the agent', 'agent'],
    ];
    this.#follower = setInterval(() => {
      const [words = '', worker = 'agent'] = expected[0] ?? [];
      if (words === '' || !this.console.text.includes(words, from)) return;
      expected.shift();
      this.#mark(worker);
    }, FOLLOW_MILLISECONDS);
  }

  async #switchOff(): Promise<void> {
    const guest = this.#guest;
    if (guest === undefined) return;
    const ended = once(guest, 'exit');
    guest.kill('SIGKILL');
    await ended;
  }
}

const diskIn = (folder: string): string => join(folder, 'disk.raw');

function guestArguments(
  { number, folder, memoryMebibytes, diskGibibytes }: MachineDescription,
  { arguments: own, hasSystemInterface, cardOptions }: Firmware,
  tap: string,
) {
  const drive = `if=none,id=disk,file=${diskIn(folder)},format=raw,cache=unsafe,discard=unmap`;
  const disk = (position: number) => [
    ['-device', 'virtio-scsi-pci', '-drive', drive],
    ['-device', `scsi-hd,drive=disk,serial=RIGDISK${number},bootindex=${position}`],
  ];
  const card = `virtio-net-pci,netdev=network,mac=${macOf(number)}${cardOptions}`;
  const bmc = [
    ['-chardev', `socket,id=ipmi,host=127.0.0.1,port=${systemInterfacePort(number)},reconnect=10`],
    ['-device', 'ipmi-bmc-extern,id=bmc,chardev=ipmi', '-device', 'isa-ipmi-kcs,bmc=bmc'],
  ];
  return (isNetworkFirst: boolean): readonly string[] =>
    [
      ['-accel', 'tcg,tb-size=256', '-smp', '2', '-m', String(memoryMebibytes), ...own],
      ['-display', 'none', '-monitor', 'none', '-device', 'virtio-rng-pci'],
      ['-uuid', uuidOf(number)],
      ['-smbios', `type=1,manufacturer=Rig,product=Guest,serial=RIG${number}`],
      ...(hasSystemInterface ? bmc : []),
      ['-netdev', `tap,id=network,ifname=${tap},script=no,downscript=no`],
      ['-device', `${card},bootindex=${isNetworkFirst ? 1 : 2}`],
      ...(diskGibibytes === 0 ? [] : disk(isNetworkFirst ? 2 : 1)),
    ].flat();
}
