// Lets something happen to each of many simulated machines while it goes through its life in one ramdisk session, at a moment of its
// own. Whenever a node is at rest, its operator looks whether the machine is what the node claims.
import type { Clock } from '../../daemon/lib/clock.ts';
import { isAtRest } from '../../daemon/model/states/provision-states.ts';
import type { SimulatedMachine } from '../../daemon/simulator/machine.ts';
import type { Ending } from '../fakes/daemon/in-process-daemon.ts';
import { simulatedSite, type SimulatedSite } from '../fakes/machines/simulated-site.ts';
import { Operator } from './operator.ts';

const TROUBLE_SECONDS = 120;
/** About as long as the longest work takes. */
const LONGEST_DELAY_SECONDS = 60;
/** How often the operators look, on the simulated clock. */
const LOOK_MILLISECONDS = 1000;
/** How many orders a life without trouble has. */
const ORDERS = 6;

type Happening = (machine: SimulatedMachine, clock: Clock) => void;

const happenings: Readonly<Record<string, Happening>> = {
  'its agent dies': (machine) => machine.endAgent(),
  'it is pulled': (machine) => machine.unplug(),
  'it is switched off by hand': (machine) => machine.powerOff(),
  'it is reset by hand': (machine) => machine.reboot(),
  'the agent of another machine answers at its address': ({ troubles }, clock) => {
    troubles.foreignToken = 'o'.repeat(43);
    clock.after(TROUBLE_SECONDS * 1000, () => void (troubles.foreignToken = undefined));
  },
  'it has no network for a while': ({ troubles }, clock) => {
    troubles.networkDown = true;
    clock.after(TROUBLE_SECONDS * 1000, () => void (troubles.networkDown = false));
  },
};

interface TroubledLife {
  readonly operator: Operator;
  readonly what: string;
  /** How many orders are given before it happens. */
  readonly orders: number;
  /** How long after the order it happens; 0: right before the next order. */
  readonly delaySeconds: number;
  given: number;
  hasHappened: boolean;
  /** Whether the machine is gone and its node has said so. */
  isLost: boolean;
}

/**
 * Resolves to how often each thing happened, when each machine has reached the end of its life or is gone. Rejects as soon as a node
 * claims what its machine is not. `random` returns a number between 0 and 1.
 */
export async function troubledLives(
  test: Ending,
  runs: number,
  random: () => number,
): Promise<ReadonlyMap<string, number>> {
  const site = await simulatedSite(test, {
    machines: runs,
    environment: {
      IRONIC_DEPLOY__FAST_TRACK: 'true',
      IRONIC_DEPLOY__KEXEC_TIMEOUT: '0',
      IRONIC_CONDUCTOR__MAX_CONCURRENT_CLEAN: '1000',
      ...Object.fromEntries(
        ['CLEAN_CALLBACK', 'DEPLOY_CALLBACK', 'INSPECT_WAIT'].map((wait) => [
          `IRONIC_CONDUCTOR__${wait}_TIMEOUT`,
          '300',
        ]),
      ),
    },
  });
  const names = Object.keys(happenings);
  const lives = site.rack.map(({ name, node: uuid, machine }, index): TroubledLife => ({
    operator: new Operator({ name, uuid, machine }),
    what: names[index % names.length] ?? '',
    orders: 1 + Math.floor(random() * ORDERS),
    delaySeconds: Math.max(0, Math.floor((random() * 1.5 - 0.5) * LONGEST_DELAY_SECONDS)),
    given: 0,
    hasHappened: false,
    isLost: false,
  }));
  while (lives.some(isGoingOn)) {
    for (const life of lives.filter(isGoingOn)) await order(site, life);
    let looked = Number.NEGATIVE_INFINITY;
    await site.until(() => {
      if (site.clock.now() - looked < LOOK_MILLISECONDS) return false;
      looked = site.clock.now();
      return lives.every((life) => !isGoingOn(life)) || lives.some((life) => isDue(site, life));
    });
  }
  return new Map(
    names.map((name) => [name, lives.filter(({ what, hasHappened }) => what === name && hasHappened).length]),
  );
}

const isGoingOn = ({ operator, isLost }: TroubledLife): boolean => !operator.hasReachedAll && !isLost;

function seen(site: SimulatedSite, { operator }: TroubledLife) {
  const { uuid } = operator.operated;
  return { ...site.node(uuid), isLocked: site.services.locks.holderOf(uuid) !== null };
}

/** Whether the operator has something to ask for. */
function isDue(site: SimulatedSite, life: TroubledLife): boolean {
  const node = seen(site, life);
  life.operator.judge(node);
  const isPulled = life.hasHappened && life.what === 'it is pulled';
  life.isLost ||= isPulled && !node.isLocked && isAtRest(node.provision_state) && node.last_error !== null;
  return isGoingOn(life) && life.operator.next(node) !== undefined;
}

async function order(site: SimulatedSite, life: TroubledLife): Promise<void> {
  const { operator } = life;
  const node = seen(site, life);
  const wanted = operator.next(node);
  if (wanted === undefined) return;
  if (life.given === life.orders && life.delaySeconds === 0) happen(site, life);
  const path = `/v1/nodes/${node.uuid}`;
  if (node.maintenance) await site.request('DELETE', `${path}/maintenance`);
  if (wanted.patch.length > 0) await site.request('PATCH', path, wanted.patch);
  await site.provision(node.uuid, wanted.target);
  operator.accepted(wanted);
  life.given += 1;
  if (life.given === life.orders && life.delaySeconds > 0)
    site.clock.after(life.delaySeconds * 1000, () => happen(site, life));
}

function happen(site: SimulatedSite, life: TroubledLife): void {
  if (life.hasHappened || life.operator.hasReachedAll) return;
  life.hasHappened = true;
  happenings[life.what]?.(life.operator.operated.machine, site.clock);
}
