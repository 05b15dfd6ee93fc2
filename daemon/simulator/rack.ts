// A rack of simulated machines, enrolled in a daemon through its API.
import { CREDENTIALS } from './bmc.ts';
import { type DaemonApi, enrolNode } from './enrol.ts';
import { type SimulatedMachineSettings, SimulatedMachine } from './machine.ts';

/** The hardware type of the machines' nodes. */
export const DRIVER = 'simulated';

export interface RackSettings extends Omit<SimulatedMachineSettings, 'mac' | 'apiUrl' | 'tell'>, DaemonApi {
  readonly size: number;
  readonly tell: (machine: string, what: string) => void;
}

export interface RackMachine {
  readonly name: string;
  /** The UUID of the machine's node. */
  readonly node: string;
  readonly machine: SimulatedMachine;
}

/** Resolves when the machines are enrolled; rejects if the daemon cannot be reached or refuses a request. */
export async function plugInRack(settings: RackSettings): Promise<readonly RackMachine[]> {
  const rack: RackMachine[] = [];
  for (let number = 1; number <= settings.size; number += 1) rack.push(await enrolMachine(settings, number));
  return rack;
}

async function enrolMachine(settings: RackSettings, number: number): Promise<RackMachine> {
  const { url, tell } = settings;
  const name = machineName('rack', number);
  const machine = await SimulatedMachine.plugIn({
    ...settings,
    mac: machineMac('5a', number),
    apiUrl: url,
    tell: (what) => tell(name, what),
  });
  const driver_info = {
    simulated_address: machine.bmcUrl,
    simulated_username: CREDENTIALS.username,
    simulated_password: CREDENTIALS.password,
  };
  return {
    name,
    machine,
    node: await enrolNode(settings, { name, driver: DRIVER, driver_info }, machine.mac),
  };
}

/** The name of a machine in a rack: `rack-001`. */
export const machineName = (rack: string, number: number): string =>
  `${rack}-${String(number).padStart(3, '0')}`;

/** The MAC address of a machine's first network card. `octet`: two hexadecimal digits that distinguish the racks. */
export const machineMac = (octet: string, number: number): string =>
  `52:54:00:${octet}:${[number >> 8, number & 0xff].map((part) => part.toString(16).padStart(2, '0')).join(':')}`;
