// A rack of simulated machines with complete Redfish BMCs, enrolled in a daemon through its API.
import type { BootOverride } from './bmc.ts';
import { enrolNode } from './enrol.ts';
import { type PluggedMachine, SimulatedMachine } from './machine.ts';
import { machineName, type RackMachine, type RackSettings } from './rack.ts';
import {
  type BootSource,
  type FakeRedfish,
  type FakeRedfishSettings,
  type ShapeName,
  shapeNames,
  startFakeRedfish,
} from './redfish/fake-redfish.ts';

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
  readonly machine: PluggedMachine;
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
  const { shape } = settings;
  const kind = { shape: shape === 'all' ? shapeInTurn(number) : shape, credentials: CREDENTIALS };
  const name = machineName('redfish', number);
  const { guest, fake, machine } = await plugInRedfish(settings, { name, number, ...kind });
  const driver_info = {
    redfish_address: fake.address,
    redfish_username: CREDENTIALS.username,
    redfish_password: CREDENTIALS.password,
  };
  const node = await enrolNode(settings, { name, driver: 'redfish', driver_info }, guest.mac);
  return { name, guest, node, machine };
}

export const shapeInTurn = (number: number): ShapeName =>
  shapeNames[(number - 1) % shapeNames.length] ?? 'plain';

type OwnRedfish = Pick<FakeRedfishSettings, 'shape' | 'credentials' | 'certificate' | 'host' | 'port'> & {
  readonly name: string;
  /** 1 is the first. */
  readonly number: number;
};

/** Resolves when the BMC of the machine serves; the machine is not enrolled. */
export async function plugInRedfish(
  settings: Omit<RedfishRackSettings, 'shape' | 'size'>,
  { name, ...own }: OwnRedfish,
): Promise<Pick<RedfishRackMachine, 'guest' | 'machine'> & { readonly fake: FakeRedfish }> {
  const { clock, url, postSeconds = 0, bootSeconds = 0 } = settings;
  const tell = (what: string) => settings.tell(name, what);
  const fake = await startFakeRedfish({
    ...own,
    clock,
    powerSeconds: POWER_SECONDS,
    postSeconds: postSeconds + bootSeconds,
    booted(source) {
      guest.boot = overrideOf(source);
      guest.reboot();
    },
    poweredOff: () => guest.powerOff(),
  });
  const guest = await SimulatedMachine.plugIn({
    ...settings,
    mac: fake.machine.mac(1),
    serialNumber: fake.machine.serialNumber,
    apiUrl: url,
    poweredOff: () => fake.machine.switchOff(),
    tell,
  });
  return {
    guest,
    fake,
    machine: {
      bmcUrl: fake.address,
      boots: guest.boots,
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
