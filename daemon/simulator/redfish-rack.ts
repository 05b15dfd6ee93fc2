// A rack of simulated machines with complete Redfish BMCs, enrolled in a daemon through its API.
import type { BootOverride } from './bmc.ts';
import { enrolNode } from './enrol.ts';
import { SimulatedMachine } from './machine.ts';
import { machineName, type RackMachine, type RackSettings } from './rack.ts';
import { type BootSource, type ShapeName, shapeNames, startFakeRedfish } from './redfish/fake-redfish.ts';

const POWER_SECONDS = 5;
const CREDENTIALS = { username: 'admin', password: 'simulated' };

export interface RedfishRackSettings extends RackSettings {
  readonly shape: ShapeName | 'all';
  /** The URL of the daemon's boot HTTP server. */
  readonly bootUrl: string;
}

export interface RedfishRackMachine extends Omit<RackMachine, 'machine'> {
  /** The machine that the BMC switches on and off. */
  readonly guest: SimulatedMachine;
  readonly machine: { readonly bmcUrl: string; unplug(): void };
}

/** The shapes, which are the kinds of BMC to simulate, such as `ami`. With `all`, the machines get all shapes in turn. */
export const rackShapes: readonly (ShapeName | 'all')[] = ['all', ...shapeNames];

/** Resolves when the machines are enrolled; rejects if the daemon cannot be reached or refuses a request. */
export async function plugInRedfishRack(
  settings: RedfishRackSettings,
): Promise<readonly RedfishRackMachine[]> {
  const rack: RedfishRackMachine[] = [];
  for (let number = 1; number <= settings.size; number += 1) rack.push(await plugIn(settings, number));
  return rack;
}

async function plugIn(settings: RedfishRackSettings, number: number): Promise<RedfishRackMachine> {
  const { shape, clock, url, bootSeconds = 0 } = settings;
  const name = machineName('redfish', number);
  const tell = (what: string) => settings.tell(name, what);
  const inTurn = shapeNames[(number - 1) % shapeNames.length] ?? 'plain';
  const fake = await startFakeRedfish({
    number,
    shape: shape === 'all' ? inTurn : shape,
    credentials: CREDENTIALS,
    clock,
    powerSeconds: POWER_SECONDS,
    postSeconds: bootSeconds,
    booted(source) {
      guest.boot = overrideOf(source);
      guest.reboot();
    },
    poweredOff: () => guest.powerOff(),
  });
  const mac = fake.machine.mac(1);
  const guest = await SimulatedMachine.plugIn({
    ...settings,
    mac,
    apiUrl: url,
    poweredOff: () => fake.machine.switchOff(),
    tell,
  });
  const driver_info = {
    redfish_address: fake.address,
    redfish_username: CREDENTIALS.username,
    redfish_password: CREDENTIALS.password,
  };
  return {
    name,
    guest,
    node: await enrolNode(settings, { name, driver: 'redfish', driver_info }, mac),
    machine: {
      bmcUrl: fake.address,
      unplug() {
        guest.unplug();
        void fake.stop();
      },
    },
  };
}

const overrideOf = ({ target, url }: BootSource): BootOverride => ({
  BootSourceOverrideTarget: url === null ? (target === 'Pxe' ? 'Pxe' : 'Hdd') : 'Cd',
  BootSourceOverrideEnabled: 'Continuous',
  HttpBootUri: url ?? '',
});
