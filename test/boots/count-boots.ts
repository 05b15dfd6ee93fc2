// Counts the firmware boots of simulated machines: each goes through one journey, all at the same time on one simulated clock.
import type { SimulatedMachine } from '../../daemon/simulator/machine.ts';
import type { Ending } from '../fakes/daemon/in-process-daemon.ts';
import { simulatedSite, type SimulatedSite } from '../fakes/machines/simulated-site.ts';
import { instance, type Journey, type Request } from './journeys.ts';

/** What the counted requests cost. */
export interface Cost {
  /** Firmware boots. */
  readonly boots: number;
  /** Until the instance runs if there is one. */
  readonly seconds: number;
}

export interface CountedJourney {
  readonly journey: Journey;
  /** When each work boots its own ramdisk. */
  readonly own: Cost;
  /** Where the ramdisk is kept from one work to the next ([deploy] fast_track). */
  readonly inSession: Cost;
  /** Where that ramdisk also starts the instance ([deploy] kexec). */
  readonly byKexec: Cost;
}

/** The ways in which the machines of each journey are set up, in the order of the members of CountedJourney. */
const WAYS = [
  { fast_track: false, kexec: false },
  { fast_track: true, kexec: false },
  { fast_track: true, kexec: true },
] as const;

interface Traveller {
  readonly uuid: string;
  readonly machine: SimulatedMachine;
  readonly journey: Journey;
  boots: number;
  seconds: number;
}

/** `postSeconds`: how long the machines' self tests take. Rejects when a node does not get into a state of its journey. */
export async function countBoots(
  test: Ending,
  journeys: readonly Journey[],
  postSeconds: number,
): Promise<readonly CountedJourney[]> {
  const site = await simulatedSite(test, {
    machines: journeys.length * WAYS.length,
    postSeconds,
    environment: {
      IRONIC_DEFAULT__ENABLED_RESCUE_INTERFACES: 'agent',
      IRONIC_CONDUCTOR__MAX_CONCURRENT_CLEAN: '1000',
      // the instances of simulated machines ask for no address
      IRONIC_DEPLOY__KEXEC_TIMEOUT: '0',
    },
  });
  const travellers = await Promise.all(
    site.rack.map(async ({ node: uuid, machine }, index) => {
      const journey = journeys[Math.floor(index / WAYS.length)] as Journey;
      const { fast_track, kexec } = WAYS[index % WAYS.length] ?? WAYS[0];
      await site.request('PATCH', `/v1/nodes/${uuid}`, [
        { op: 'add', path: '/instance_info', value: instance },
        { op: 'add', path: '/driver_info/fast_track', value: fast_track },
        { op: 'add', path: '/driver_info/kexec', value: kexec },
      ]);
      return { uuid, machine, journey, boots: 0, seconds: 0 };
    }),
  );
  const rounds = Math.max(...journeys.map(({ before, counted }) => before.length + counted.length));
  for (let round = 0; round < rounds; round += 1) await travel(site, travellers, round);
  return journeys.map((journey, index) => {
    const cost = (way: number): Cost => travellers[index * WAYS.length + way] as Traveller;
    return { journey, own: cost(0), inSession: cost(1), byKexec: cost(2) };
  });
}

async function travel(site: SimulatedSite, all: readonly Traveller[], round: number): Promise<void> {
  const moving = all.flatMap((traveller) => {
    const { before, counted } = traveller.journey;
    const request = [...before, ...counted][round];
    return request === undefined ? [] : [{ traveller, request, isCounted: round >= before.length }];
  });
  const began = site.clock.now();
  for (const { traveller, request } of moving) {
    request.trouble?.(traveller.machine);
    traveller.boots -= traveller.machine.boots.length;
    await ask(site, traveller, request);
  }
  const arrived = new Set<Traveller>();
  await site.until(() => {
    for (const { traveller, request } of moving) {
      if (arrived.has(traveller) || !hasEnded(site, traveller, request)) continue;
      arrived.add(traveller);
      traveller.seconds += (site.clock.now() - began) / 1000;
    }
    return arrived.size === moving.length;
  });
  for (const { traveller, request, isCounted } of moving) {
    traveller.boots += traveller.machine.boots.length;
    request.repair?.(traveller.machine);
    // an operator looks at what has failed
    if (site.node(traveller.uuid).maintenance)
      await site.request('DELETE', `/v1/nodes/${traveller.uuid}/maintenance`);
    if (!isCounted) [traveller.boots, traveller.seconds] = [0, 0];
  }
}

const POWER = 'power ';

async function ask(site: SimulatedSite, { uuid }: Traveller, { target, more }: Request): Promise<void> {
  if (target.startsWith(POWER)) await site.request('PUT', `/v1/nodes/${uuid}/states/power`, { target });
  else await site.provision(uuid, target, more);
}

function hasEnded(site: SimulatedSite, { uuid, machine }: Traveller, { target, ends }: Request): boolean {
  const node = site.node(uuid);
  if (node.provision_state !== ends || site.services.locks.holderOf(uuid) !== null) return false;
  if (target.startsWith(POWER)) return node.power_state === target;
  // an adopted instance need not run
  return ends !== 'active' || target === 'adopt' || machine.booted === 'disk';
}
