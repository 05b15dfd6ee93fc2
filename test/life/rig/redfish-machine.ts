// A machine with a Redfish BMC: a guest of libvirt behind OpenStack's Redfish emulator.
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Console } from './console.ts';
import type { MachineDescription } from './machine.ts';
import { connectMachine, disconnectMachine, macOf } from './network.ts';
import { secureFirmware, virsh, type Virtualization } from './virtualization.ts';

const DISK_BYTES = 8 * 1024 ** 3;

export interface RedfishMachineDescription extends Omit<
  MachineDescription,
  'firmware' | 'diskGibibytes' | 'bmcAddress'
> {
  readonly firmware: 'bios' | 'uefi';
}

export class RedfishMachine implements AsyncDisposable {
  readonly mac: string;
  readonly number: number;
  readonly driver = 'redfish';
  readonly driverInfo: Readonly<Record<string, string>>;
  readonly console: Console;
  /** The file that holds the content of its disk. */
  readonly disk: string;
  readonly #name: string;

  private constructor({ number, folder }: RedfishMachineDescription, { redfishAddress }: Virtualization) {
    [this.mac, this.number, this.#name] = [macOf(number), number, `machine-${number}`];
    this.driverInfo = {
      redfish_address: redfishAddress,
      redfish_system_id: `/redfish/v1/Systems/${uuidOf(number)}`,
    };
    [this.console, this.disk] = [new Console(folder), join(folder, 'disk.raw')];
  }

  /** Connects a new machine, which is off, to the network. */
  static async add(
    description: RedfishMachineDescription,
    virtualization: Virtualization,
  ): Promise<RedfishMachine> {
    const { number, folder } = description;
    mkdirSync(folder, { recursive: true });
    const machine = new RedfishMachine(description, virtualization);
    writeFileSync(machine.disk, '');
    truncateSync(machine.disk, DISK_BYTES);
    const file = join(folder, 'domain.xml');
    writeFileSync(file, domain(description, machine.disk, connectMachine(number)));
    await virsh('define', file);
    return machine;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // the guest may be off already
    await virsh('destroy', this.#name).catch(() => undefined);
    await virsh('undefine', '--nvram', this.#name);
    disconnectMachine(this.number);
  }
}

const uuidOf = (number: number) => `22222222-2222-4222-8222-${String(number).padStart(12, '0')}`;

const domain = (
  { number, firmware, memoryMebibytes, folder }: RedfishMachineDescription,
  disk: string,
  tap: string,
) => `<domain type='qemu'>
  <name>machine-${number}</name>
  <uuid>${uuidOf(number)}</uuid>
  <memory unit='MiB'>${memoryMebibytes}</memory>
  <vcpu>2</vcpu>
  <!-- emulated guests with five-level paging sometimes hang before the first line of the kernel -->
  <cpu mode='maximum'><feature policy='disable' name='la57'/></cpu>
  <os>
    <type arch='x86_64' machine='q35'>hvm</type>
    ${firmware === 'bios' ? '' : loader(join(folder, 'variables.nosecboot.fd'))}
  </os>
  <features><acpi/><apic/>${firmware === 'bios' ? '' : "<smm state='on'/>"}</features>
  <devices>
    <emulator>/usr/bin/qemu-system-x86_64</emulator>
    <controller type='scsi' model='virtio-scsi'/>
    <disk type='file' device='disk'>
      <driver name='qemu' type='raw' cache='unsafe' discard='unmap'/>
      <source file='${disk}'/>
      <target dev='sda' bus='scsi'/>
      <serial>RIGDISK${number}</serial>
    </disk>
    <interface type='ethernet'>
      <mac address='${macOf(number)}'/>
      <target dev='${tap}' managed='no'/>
      <model type='virtio'/>
    </interface>
    <serial type='unix'>
      <source mode='bind' path='${join(folder, 'console')}'/>
      <log file='${join(folder, 'console.log')}' append='on'/>
    </serial>
    <rng model='virtio'><backend model='random'>/dev/urandom</backend></rng>
  </devices>
</domain>
`;

const loader = (variables: string) =>
  `<loader type='pflash' readonly='yes' secure='no'>${secureFirmware.code}</loader>
    <nvram template='${secureFirmware.variables}'>${variables}</nvram>`;
