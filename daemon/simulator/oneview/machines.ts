// Simulated machines behind a simulated OneView appliance, enrolled in a daemon as nodes of the hardware type oneview.
import { enrolNode } from '../enrol.ts';
import { SimulatedMachine } from '../machine.ts';
import { machineName, type RackMachine, type RackSettings } from '../rack.ts';
import { SimulatedAppliance, USERS } from './appliance.ts';
import { BLADE_TYPE, GROUP, serverMac, serverUri, TEMPLATES } from './rack.ts';
import type { SwitchedMachine } from './state.ts';

export interface OneviewRackSettings extends RackSettings {
  readonly appliance: SimulatedAppliance;
  /** The daemon's boot HTTP server. */
  readonly bootUrl: string;
}

const capabilities = Object.entries({
  server_hardware_type_uri: BLADE_TYPE,
  server_profile_template_uri: TEMPLATES.good,
  enclosure_group_uri: GROUP,
})
  .map((pair) => pair.join(':'))
  .join(',');

/** Starts an appliance, tells what a daemon needs to reach it, and enrols its machines as `plugInBlades` does. */
export async function plugInWithAppliance({
  appliancePort: port,
  ...settings
}: Omit<OneviewRackSettings, 'appliance'> & { readonly appliancePort: number }): Promise<
  readonly RackMachine[]
> {
  const { clock, tell } = settings;
  const appliance = await SimulatedAppliance.start({ clock, port, tell: (what) => tell('oneview', what) });
  tell('oneview', `listens on ${appliance.url}; [oneview] username = ironic, password = ${USERS.ironic}`);
  return plugInBlades({ ...settings, appliance });
}

/** Resolves when the machines are enrolled; rejects if the daemon cannot be reached or refuses a request. */
export async function plugInBlades(settings: OneviewRackSettings): Promise<readonly RackMachine[]> {
  const rack: RackMachine[] = [];
  for (let number = 1; number <= settings.size; number += 1) rack.push(await plugInBlade(settings, number));
  return rack;
}

async function plugInBlade(settings: OneviewRackSettings, number: number): Promise<RackMachine> {
  const { url, tell, appliance } = settings;
  const name = machineName('blade', number);
  const machine = await SimulatedMachine.plugIn({
    ...settings,
    mac: serverMac(number),
    apiUrl: url,
    tell: (what) => tell(name, what),
  });
  appliance.addServer(number, { machine: switchable(machine) });
  const node = {
    name,
    driver: 'oneview',
    driver_info: { server_hardware_uri: serverUri(number) },
    properties: { capabilities },
  };
  return { name, machine, node: await enrolNode(settings, node, machine.mac) };
}

const switchable = (machine: SimulatedMachine): SwitchedMachine => ({
  get powerState() {
    return machine.powerState;
  },
  switchOn(device) {
    machine.boot = {
      ...machine.boot,
      BootSourceOverrideTarget: device === 'PXE' ? 'Pxe' : 'Hdd',
      BootSourceOverrideEnabled: 'Continuous',
    };
    machine.reboot();
  },
  switchOff: () => machine.powerOff(),
});
