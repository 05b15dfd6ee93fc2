// Reads what most tabs of a machine show.
import { bootWork } from '../../conductor/timeline/boot-times.ts';
import { readConsole } from '../../conductor/hardware/console.ts';
import { keepsInventories } from '../../conductor/inspection/stored-inventory.ts';
import { type SavedLog, savedLogs } from '../../conductor/ramdisk/ramdisk-logs.ts';
import { equalConditions } from '../../db/tables/table.ts';
import type { WorkTime } from '../../db/tables/work-times.ts';
import type { Visit } from '../../http/pages.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Indicator, IndicatorState } from '../../model/machine/indicators.ts';
import { lastBoot } from '../../model/machine/boots.ts';
import { type Hop, hops, type MachineEvent } from '../../model/records/machine-event.ts';
import type { NodeHistory } from '../../model/records/node-history.ts';
import type { Node } from '../../model/records/node.ts';
import { isUnstable } from '../../model/states/provision-states.ts';
import { isLate } from '../../model/usual-time.ts';
import { refusalText } from '../actions/perform.ts';
import { labelOf } from './machines.ts';
import { type MissingHop, missingHop } from './missing-hop.ts';
import { nodePlanOf } from './node/node-plan.ts';
import type { RunningTask } from './tasks.ts';
import { readUsualTimes } from './usual-times.ts';
import type { ReadServices } from './services.ts';

export interface Timeline {
  readonly node: string;
  readonly label: string;
  /** The events since the machine was last powered on or reset; all events if neither was seen. */
  readonly boot: readonly MachineEvent[];
  readonly earlier: readonly MachineEvent[];
  /** How many seconds after power-on each hop is usually first seen. */
  readonly usual: ReadonlyMap<Hop, number>;
  readonly missing: MissingHop | undefined;
}

export interface PlannedStepShown {
  /** The phase and the step: `clean deploy.erase_devices`. */
  readonly name: string;
  readonly place: 'done' | 'running' | 'next';
  /** How many seconds the step usually takes; undefined where too little is known. */
  readonly usual: number | undefined;
}

export interface Steps {
  readonly plan: readonly PlannedStepShown[];
  /** The age and the usual time of the running step, and whether the step is late. */
  readonly current: Pick<RunningTask, 'age' | 'usual' | 'late'>;
  readonly earlier: readonly WorkTime[];
  readonly usualOf: (work: string) => number | undefined;
}

/** What the console is: a serial line; the URL at which the BMC shows the screen; or absent. */
export type ConsoleKind = 'serial' | { readonly screen: string } | 'absent';

export interface ConsoleShown {
  readonly node: string;
  readonly label: string;
  readonly enabled: boolean;
  /** The end of what the machine showed. */
  readonly text: string;
}

export interface Logs {
  readonly node: string;
  /** The value of [agent] deploy_logs_collect. */
  readonly collect: string;
  readonly saved: readonly SavedLog[];
}

export interface IndicatorShown extends Pick<Indicator, 'readonly' | 'states'> {
  /** The indicator and its component: `led@chassis`. */
  readonly name: string;
  readonly state: IndicatorState | undefined;
}

const MOST_EVENTS = 200;
const MOST_HISTORY = 100;
const MOST_LOGS = 50;
const MOST_TIMES = 50;
const CONSOLE_CHARACTERS = 32_768;

export function readTimeline(services: ReadServices, node: Node): Timeline {
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

export const readInventory = (services: ReadServices, { uuid }: Node): JsonObject | undefined => {
  const stored = keepsInventories(services) ? services.db.inventory.inventoryOf(uuid) : undefined;
  return stored === undefined ? undefined : (JSON.parse(stored) as JsonObject);
};

export function readSteps(services: ReadServices, node: Node): Steps {
  const { db, workTimes, clock } = services;
  const { uuid } = node;
  const { steps, index } = nodePlanOf(node);
  const names = steps.map(({ work }) => work);
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

export const readHistory = ({ db: { history } }: ReadServices, { uuid }: Node): readonly NodeHistory[] =>
  history.list(history.columns, equalConditions<NodeHistory>({ node_uuid: uuid }), {
    limit: MOST_HISTORY,
    sortKey: 'id',
    descending: true,
  });

export async function readLogs({ config: { agent } }: ReadServices, { uuid }: Node): Promise<Logs> {
  const saved = await savedLogs(agent.deploy_logs_local_path, uuid, MOST_LOGS);
  return { node: uuid, collect: agent.deploy_logs_collect, saved };
}

export const readConsoleText = (services: ReadServices, node: Node): ConsoleShown => ({
  node: node.uuid,
  label: labelOf(node),
  enabled: node.console_enabled,
  text: readConsole({ services, caller: null }, node.uuid).slice(-CONSOLE_CHARACTERS),
});

export async function readConsoleKind({ call }: Visit, node: Node): Promise<ConsoleKind> {
  if (node.console_interface === 'no-console') return 'absent';
  if (!node.console_enabled) return 'serial';
  const answer = await call({ method: 'GET', path: `/v1/nodes/${node.uuid}/states/console` });
  if (!answer.ok) return 'serial';
  const { console_info: info } = (await answer.json()) as { readonly console_info: { url?: string } | null };
  return info?.url !== undefined && /^https?:\/\//.test(info.url) ? { screen: info.url } : 'serial';
}

interface ListedIndicators {
  readonly indicators: readonly IndicatorShown[];
  /** Why the indicators cannot be listed. */
  readonly refusal: string | undefined;
}

/** Reads the indicators from the BMC. */
export async function readIndicators({ call }: Visit, { uuid }: Node): Promise<ListedIndicators> {
  const path = `/v1/nodes/${uuid}/management/indicators`;
  const listed = await call({ method: 'GET', path });
  if (!listed.ok) return { indicators: [], refusal: await refusalText(listed) };
  const { indicators } = (await listed.json()) as { readonly indicators: readonly IndicatorShown[] };
  const shown: IndicatorShown[] = [];
  for (const { name, readonly: isReadOnly, states } of indicators) {
    const answer = await call({ method: 'GET', path: `${path}/${encodeURIComponent(name)}` });
    const { state } = answer.ok ? ((await answer.json()) as Pick<IndicatorShown, 'state'>) : {};
    shown.push({ name, readonly: isReadOnly, states, state });
  }
  return { indicators: shown, refusal: undefined };
}
