// The pages and files below /ui/nodes/NODE: a page for each tab, the timeline as text, saved logs, and one file with everything.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConsole } from '../conductor/hardware/console.ts';
import { findNode } from '../conductor/records/find-record.ts';
import type { Services } from '../conductor/services.ts';
import type { Answer } from '../http/answer.ts';
import type { Visit } from '../http/pages.ts';
import { fault } from '../model/faults.ts';
import type { JsonObject } from '../model/json.ts';
import { MAXIMUM_MINOR } from '../model/microversions.ts';
import type { Node } from '../model/records/node.ts';
import { type SettingName, settingsOf, type SettingValues } from './actions/settings.ts';
import { downloadAnswer, textAnswer } from './answers.ts';
import type { Markup } from './kit/markup.ts';
import { labelOf, machineOf } from './read/machines.ts';
import {
  readConsoleKind,
  readConsoleText,
  readHistory,
  readIndicators,
  readInventory,
  readLogs,
  readSteps,
} from './read/node-tabs.ts';
import { readOverview, readParts } from './read/node/overview.ts';
import { readWorkProgress } from './read/node/progress.ts';
import { readSensors } from './read/node/sensors.ts';
import type { PageView } from './views/layout.ts';
import { consoleTab } from './views/node/console.ts';
import { hardwareTab } from './views/node/hardware.ts';
import { indicatorsTab } from './views/node/indicators.ts';
import { logsTab } from './views/node/logs.ts';
import { nodeView } from './views/node/node.ts';
import { reportTab } from './views/node/report.ts';
import type { TabName } from './views/node/tab-names.ts';
import { overviewTab } from './views/node/overview.ts';
import { sensorsTab } from './views/node/sensors.ts';
import { disksIn, settingsTab } from './views/node/settings.ts';
import { timelineText } from './views/node/timeline.ts';
import { workTab } from './views/node/work.ts';

/** The tabs that are on the page to be printed. */
const REPORTED: readonly TabName[] = ['', 'hardware', 'sensors', 'work', 'logs'];

interface Visited {
  readonly services: Services;
  readonly visit: Visit;
  readonly node: Node;
  readonly record: JsonObject;
  /** What the form Settings shows after the API has refused some of it. */
  readonly given?: GivenSettings;
}

interface GivenSettings {
  readonly before: SettingValues;
  readonly shown: SettingValues;
  readonly wrong: Readonly<Partial<Record<SettingName, string>>>;
}

const tabs: Readonly<Record<TabName, (visited: Visited) => Markup | Promise<Markup>>> = {
  '': ({ services, node, record }) =>
    overviewTab({
      ...readOverview(services, node),
      machine: shownMachine(services, node),
      record,
      vendor: vendorOf(services, node),
    }),
  hardware: ({ services, node }) =>
    hardwareTab({
      ...readParts(services, node),
      firmware: services.db.firmwareComponents.ofNode(node.uuid),
    }),
  sensors: ({ services, node }) => sensorsTab(readSensors(services, node.uuid)),
  work: ({ services, node }) => workTab(readSteps(services, node), readHistory(services, node)),
  console: async ({ services, node, visit }) =>
    consoleTab({
      ...readConsoleText(services, node),
      kind: await readConsoleKind(visit, node),
      role: visit.caller.role,
    }),
  logs: async ({ services, node }) => logsTab(await readLogs(services, node)),
  settings,
  async indicators({ visit, node }) {
    const { indicators, refusal } = await readIndicators(visit, node);
    return indicatorsTab(node.uuid, indicators, refusal);
  },
  async report(visited) {
    const parts: Markup[] = [];
    for (const name of REPORTED) parts.push(await tabs[name](visited));
    return reportTab(parts, visited.record);
  },
};

function settings({ services, node, record, given, visit }: Visited): Markup {
  const now = settingsOf(record);
  return settingsTab({
    node: node.uuid,
    record,
    ...(given ?? { before: now, shown: now, wrong: {} }),
    isSaved: visit.url.searchParams.has('saved'),
    disks: disksIn(readInventory(services, node)),
    consoles: consoleNames(services, node),
  });
}

/** Returns the console interfaces that the node can have, beginning with its own; an empty text: none is chosen. */
function consoleNames({ registry }: Services, { driver, console_interface: own }: Node): readonly string[] {
  const possible = registry.hardwareTypes.get(driver)?.enabled.console ?? [];
  return [...new Set([own ?? '', ...possible])];
}

/**
 * The tabs that can change without an event, each with the seconds after which the page fetches it again; `never`: see
 * `NodePage.every`.
 */
const REPEATED: Readonly<Partial<Record<TabName, number | 'never'>>> = {
  '': 10,
  work: 10,
  console: 'never',
  settings: 'never',
};

/** `rest`: the segments of the path that follow the node. Throws NotFound, InvalidUuidOrName and NodeNotFound. */
export async function nodePage(
  services: Services,
  visit: Visit,
  [name = '', ...rest]: readonly string[],
): Promise<PageView | Answer> {
  const node = findNode(services, decoded(name), MAXIMUM_MINOR);
  const [part = '', file, ...more] = rest;
  if (part === 'logs' && file !== undefined && more.length === 0)
    return savedLog(services, node, decoded(file));
  if (file !== undefined) throw fault('NotFound', {});
  if (part === 'timeline.txt') return wholeTimeline(services, node);
  if (part === 'console.txt') return textAnswer(readConsole({ services, caller: null }, node.uuid));
  const visited = { services, visit, node, record: await recordOf(visit, node) };
  return part === 'bundle' ? bundle(visited) : tabPage(visited, part);
}

async function recordOf({ call }: Visit, { uuid }: Node): Promise<JsonObject> {
  const answer = await call({ method: 'GET', path: `/v1/nodes/${uuid}` });
  return (await answer.json()) as JsonObject;
}

async function tabPage(visited: Visited, part: string): Promise<PageView> {
  if (!Object.hasOwn(tabs, part)) throw fault('NotFound', {});
  const tab = part as TabName;
  const { services, node, record } = visited;
  const body = nodeView({
    machine: shownMachine(services, node),
    progress: readWorkProgress(services, node),
    isInspected: services.db.inventory.vendorOf(node.uuid) !== undefined,
    record,
    tab,
    body: await tabs[tab](visited),
    every: REPEATED[tab],
  });
  const modules = tab === 'console' ? ['console/console.js'] : [];
  return { title: labelOf(node), body, follows: { node: node.uuid }, modules };
}

/** The tab Settings again, with what was typed. */
export async function settingsPage(
  services: Services,
  visit: Visit,
  { node, ...given }: GivenSettings & { readonly node: Node },
): Promise<PageView> {
  const now = findNode(services, node.uuid, MAXIMUM_MINOR);
  return tabPage({ services, visit, node: now, record: await recordOf(visit, now), given }, 'settings');
}

const shownMachine = (services: Services, node: Node) =>
  machineOf(services, node, services.db.quarantine.of(node.uuid) !== undefined);

function vendorOf({ db }: Services, { uuid }: Node): JsonObject | undefined {
  const vendor = db.inventory.vendorOf(uuid) ?? undefined;
  return vendor === undefined ? undefined : (JSON.parse(vendor) as JsonObject);
}

export function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

async function savedLog(services: Services, node: Node, file: string): Promise<Answer> {
  const { saved } = await readLogs(services, node);
  if (!saved.some((log) => log.file === file)) throw fault('NotFound', {});
  const content = await readFile(join(services.config.agent.deploy_logs_local_path, file));
  return downloadAnswer(file, 'application/gzip', new Blob([content]).stream());
}

const MOST_EVENTS = 1000;

function wholeTimeline({ timeline, db }: Services, node: Node): Answer {
  timeline.flush();
  return textAnswer(timelineText(db.machineEvents.ofNode(node.uuid, { since: 0, limit: MOST_EVENTS })));
}

/**
 * One text with everything that helps to find a fault, to be sent to somebody. The secrets of the record are masked, as in the
 * API.
 */
async function bundle({ services, node, record }: Visited): Promise<Answer> {
  const { host, clock, db } = services;
  const { uuid } = node;
  services.timeline.flush();
  const { saved } = await readLogs(services, node);
  const all = {
    host,
    at: new Date(clock.now()).toISOString(),
    node: record,
    ports: db.ports.ofNode(uuid),
    inventory: readInventory(services, node) ?? null,
    history: readHistory(services, node),
    timeline: db.machineEvents.ofNode(uuid, { since: 0, limit: MOST_EVENTS }),
    times: db.workTimes.newest(uuid, MOST_EVENTS),
    sensors: services.sensors.of(uuid)?.sensors ?? null,
    console: readConsoleText(services, node),
    saved_logs: saved,
  };
  return downloadAnswer(`${uuid}.json`, 'application/json', JSON.stringify(all, null, 2));
}
