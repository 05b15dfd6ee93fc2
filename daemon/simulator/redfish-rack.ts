// A rack of machines with Redfish BMCs and nothing else, enrolled in a daemon through its API.
import type { Clock } from '../lib/clock.ts';
import { type DaemonApi, enrolNode } from './enrol.ts';
import { type ShapeName, shapeNames, startFakeRedfish } from './redfish/fake-redfish.ts';

/** How long a power change and the power-on self test take. */
const POWER_SECONDS = 5;
const POST_SECONDS = 30;
const CREDENTIALS = { username: 'admin', password: 'simulated' };

export interface RedfishRackSettings extends DaemonApi {
  readonly size: number;
  readonly shape: ShapeName | 'all';
  readonly clock: Clock;
  readonly tell: (machine: string, what: string) => void;
}

export interface RedfishMachine {
  readonly name: string;
  /** UUID of its node. */
  readonly node: string;
  readonly machine: { readonly bmcUrl: string; unplug(): void };
}

/** The names of the shapes, and `all` for each in turn. */
export const rackShapes: readonly (ShapeName | 'all')[] = ['all', ...shapeNames];

/** Resolves when the machines are enrolled; rejects with the API's error. */
export async function plugInRedfishRack(settings: RedfishRackSettings): Promise<readonly RedfishMachine[]> {
  const rack: RedfishMachine[] = [];
  for (let number = 1; number <= settings.size; number += 1) rack.push(await plugIn(settings, number));
  return rack;
}

async function plugIn(settings: RedfishRackSettings, number: number): Promise<RedfishMachine> {
  const { shape, clock, tell } = settings;
  const name = `redfish-${String(number).padStart(3, '0')}`;
  const inTurn = shapeNames[(number - 1) % shapeNames.length] ?? 'plain';
  const fake = await startFakeRedfish({
    shape: shape === 'all' ? inTurn : shape,
    credentials: CREDENTIALS,
    clock,
    powerSeconds: POWER_SECONDS,
    postSeconds: POST_SECONDS,
    booted: ({ target, url }) => tell(name, `power on, boots ${url ?? target}`),
    poweredOff: () => tell(name, 'power off'),
  });
  const driver_info = {
    redfish_address: fake.address,
    redfish_username: CREDENTIALS.username,
    redfish_password: CREDENTIALS.password,
  };
  return {
    name,
    node: await enrolNode(settings, { name, driver: 'redfish', driver_info }, undefined),
    machine: { bmcUrl: fake.address, unplug: () => void fake.stop() },
  };
}
