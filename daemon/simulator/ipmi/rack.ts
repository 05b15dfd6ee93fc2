// A rack of simulated machines with IPMI BMCs, enrolled in a daemon through its API.
import { setMaxListeners } from 'node:events';
import { type BootOverride, noOverride } from '../bmc.ts';
import { enrolNode } from '../enrol.ts';
import { type PluggedMachine, SimulatedMachine } from '../machine.ts';
import { machineMac, machineName, type RackMachine, type RackSettings } from '../rack.ts';
import { freeUdpPort } from '../free-port.ts';
import { type SimulatedChassis, IPMI_CREDENTIALS, startBmc } from './machine-bmc.ts';

const ADDRESS = '127.0.0.1';
/** Boot devices of the simulated machine, by ipmi_sim's names. */
const BOOT_TARGETS: Readonly<Record<string, BootOverride['BootSourceOverrideTarget']>> = {
  pxe: 'Pxe',
  default: 'Hdd',
};

export interface IpmiRackSettings extends RackSettings {
  /** The daemon's boot HTTP server. */
  readonly bootUrl: string;
}

export interface IpmiRackMachine extends Omit<RackMachine, 'machine'> {
  readonly machine: PluggedMachine;
}

/**
 * Resolves when the machines are enrolled; rejects if the daemon cannot be reached or refuses a request, or if ipmi_sim or
 * ipmitool is not installed.
 */
export async function plugInIpmiRack(settings: IpmiRackSettings): Promise<readonly IpmiRackMachine[]> {
  // each BMC listens for the end of the process
  setMaxListeners(settings.size + 10, process);
  const rack: IpmiRackMachine[] = [];
  for (let number = 1; number <= settings.size; number += 1) rack.push(await plugIn(settings, number));
  return rack;
}

async function plugIn(settings: IpmiRackSettings, number: number): Promise<IpmiRackMachine> {
  const name = machineName('ipmi', number);
  const mac = machineMac('1b', number);
  const tell = (what: string) => settings.tell(name, what);
  const guest = await SimulatedMachine.plugIn({ ...settings, mac, apiUrl: settings.url, tell });
  const port = await freeUdpPort();
  const stop = await startBmc({ address: ADDRESS, port }, chassisOf(guest));
  const { username, password } = IPMI_CREDENTIALS;
  const driver_info = {
    ipmi_address: ADDRESS,
    ipmi_port: port,
    ipmi_username: username,
    ipmi_password: password,
    // negotiating a cipher suite with ipmi_sim takes seconds
    ipmi_cipher_suite: '3',
  };
  return {
    name,
    node: await enrolNode(settings, { name, driver: 'ipmi', driver_info }, mac),
    machine: {
      bmcUrl: `ipmi://${ADDRESS}:${port}`,
      boots: guest.boots,
      unplug() {
        guest.unplug();
        void stop();
      },
    },
  };
}

function chassisOf(guest: SimulatedMachine): SimulatedChassis {
  let bootDevice = 'none';
  return {
    power: () => (guest.powerState === 'On' ? 'on' : 'off'),
    bootDevice: () => bootDevice,
    setBootDevice(device) {
      bootDevice = device;
      const target = BOOT_TARGETS[device];
      guest.boot =
        target === undefined
          ? noOverride
          : { ...noOverride, BootSourceOverrideTarget: target, BootSourceOverrideEnabled: 'Continuous' };
    },
    switchOn() {
      if (guest.powerState === 'Off') guest.reboot();
    },
    switchOff: async () => guest.powerOff(),
  };
}
