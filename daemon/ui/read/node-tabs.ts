// Reads what most tabs of a machine show.
import { bootWork } from '../../conductor/timeline/boot-times.ts';
import { plannedSteps, stepIndex } from '../../conductor/flows/steps/flow-record.ts';
import { readConsole } from '../../conductor/hardware/console.ts';
import { keepsInventories } from '../../conductor/inspection/stored-inventory.ts';
import { savedLogs } from '../../conductor/ramdisk/ramdisk-logs.ts';
import type { Services } from '../../conductor/services.ts';
import { equalConditions } from '../../db/tables/table.ts';
import type { Visit } from '../../http/pages.ts';
import type { JsonObject } from '../../model/json.ts';
import { lastBoot } from '../../model/machine/boots.ts';
import { hops } from '../../model/records/machine-event.ts';
import type { NodeHistory } from '../../model/records/node-history.ts';
import type { Node } from '../../model/records/node.ts';
import { isUnstable, permissionIn } from '../../model/states/provision-states.ts';
import { stepName } from '../../model/steps/step-lists.ts';
import { isLate } from '../../model/usual-time.ts';
import { refusalOf } from '../actions/perform.ts';
import type { ConsoleShown, IndicatorShown, Logs } from '../views/node/machine-tabs.ts';
import type { Steps } from '../views/node/steps.ts';
import type { Timeline } from '../views/node/timeline.ts';
import { labelOf } from './machines.ts';
import { missingHop } from './missing-hop.ts';
import { readUsualTimes } from './usual-times.ts';

const MOST_EVENTS = 200;
const MOST_HISTORY = 100;
const MOST_LOGS = 50;
const MOST_TIMES = 50;
const CONSOLE_CHARACTERS = 32_768;

export function readTimeline(services: Services, node: Node): Timeline {
  const { db, timeline, clock } = services;
  timeline.flush();
  const { uuid } = node;
  const events = db.machineEvents.ofNode(uuid, { since: 0, limit: MOST_EVENTS });
  const boot = lastBoot(events);
  const usualOf = readUsualTimes(
    services,
    hops.map((hop) => ({ node: uuid, work: bootWork(hop) })),
  );
  const usual = new Map(
    hops.flatMap((hop) => {
      const seconds = usualOf(uuid, bootWork(hop));
      return seconds === undefined ? [] : [[hop, seconds] as const];
    }),
  );
  const [start] = boot;
  const awaited = isUnstable(node.provision_state) && start?.hop === 'power';
  return {
    node: uuid,
    label: labelOf(node),
    boot,
    earlier: events.slice(0, events.length - boot.length),
    usual,
    missing: awaited ? missingHop(boot, usual, clock.age(Date.parse(start.at)) / 1000) : undefined,
  };
}

export const readInventory = (services: Services, { uuid }: Node): JsonObject | undefined => {
  const stored = keepsInventories(services) ? services.db.inventory.inventoryOf(uuid) : undefined;
  return stored === undefined ? undefined : (JSON.parse(stored) as JsonObject);
};

export function readSteps(services: Services, node: Node): Steps {
  const { db, workTimes, clock } = services;
  const { uuid } = node;
  const phase = permissionIn(node.provision_state, 'steps');
  const names =
    phase === undefined ? [] : plannedSteps(node, phase).map((step) => `${phase} ${stepName(step)}`);
  const index = phase === undefined ? 0 : stepIndex(node, phase);
  const earlier = db.workTimes.newest(uuid, MOST_TIMES);
  const works = new Set([...names, ...earlier.map(({ work }) => work)]);
  const usualOf = readUsualTimes(
    services,
    [...works].map((work) => ({ node: uuid, work })),
  );
  const running = workTimes.of(uuid);
  const age = running === undefined ? null : Math.max(0, clock.age(running.since) / 1000);
  const usual = running && usualOf(uuid, running.name);
  return {
    plan: names.map((name, at) => ({
      name,
      place: at < index ? 'done' : at === index ? 'running' : 'next',
      usual: usualOf(uuid, name),
    })),
    current: { age, usual, late: age !== null && usual !== undefined && isLate(age, usual) },
    earlier,
    usualOf: (work) => usualOf(uuid, work),
  };
}

export const readHistory = ({ db: { history } }: Services, { uuid }: Node): readonly NodeHistory[] =>
  history.list(history.columns, equalConditions<NodeHistory>({ node_uuid: uuid }), {
    limit: MOST_HISTORY,
    sortKey: 'id',
    descending: true,
  });

export async function readLogs({ config: { agent } }: Services, { uuid }: Node): Promise<Logs> {
  const saved = await savedLogs(agent.deploy_logs_local_path, uuid, MOST_LOGS);
  return { node: uuid, collect: agent.deploy_logs_collect, saved };
}

export const readConsoleText = (services: Services, node: Node): ConsoleShown => ({
  label: labelOf(node),
  enabled: node.console_enabled,
  text: readConsole({ services, caller: null }, node.uuid).slice(-CONSOLE_CHARACTERS),
});

interface ListedIndicators {
  readonly indicators: readonly IndicatorShown[];
  /** Why the indicators cannot be listed. */
  readonly refusal: string | undefined;
}

/** Reads the indicators from the BMC. */
export async function readIndicators({ call }: Visit, { uuid }: Node): Promise<ListedIndicators> {
  const path = `/v1/nodes/${uuid}/management/indicators`;
  const listed = await call({ method: 'GET', path });
  if (!listed.ok) return { indicators: [], refusal: await refusalOf(listed) };
  const { indicators } = (await listed.json()) as { readonly indicators: readonly IndicatorShown[] };
  const shown: IndicatorShown[] = [];
  for (const { name, readonly: isReadOnly, states } of indicators) {
    const answer = await call({ method: 'GET', path: `${path}/${encodeURIComponent(name)}` });
    const { state } = answer.ok ? ((await answer.json()) as Pick<IndicatorShown, 'state'>) : {};
    shown.push({ name, readonly: isReadOnly, states, state });
  }
  return { indicators: shown, refusal: undefined };
}
