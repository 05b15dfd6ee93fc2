// The pages and files below /ui/nodes/NODE: a page for each tab, the timeline as text, saved logs, and one file with everything.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findNode } from '../conductor/records/find/find-node.ts';
import type { Services } from '../conductor/services.ts';
import type { Answer } from '../http/answer.ts';
import type { Visit } from '../http/pages.ts';
import { fault } from '../model/faults.ts';
import type { JsonObject } from '../model/json.ts';
import { MAXIMUM_MINOR } from '../model/microversions.ts';
import type { Node } from '../model/records/node.ts';
import { downloadAnswer, textAnswer } from './answers.ts';
import { labelOf, machineOf } from './read/machines.ts';
import {
  readConsoleText,
  readHistory,
  readIndicators,
  readInventory,
  readLogs,
  readSteps,
  readTimeline,
} from './read/node-tabs.ts';
import type { View } from './views/layout.ts';
import type { Markup } from './views/markup.ts';
import { inventoryTab, recordTab } from './views/node/inventory.ts';
import { consoleTab, indicatorsTab, logsTab, sensorsTab } from './views/node/machine-tabs.ts';
import { historyTab, nodeView, type TabName, TABS } from './views/node/node.ts';
import { stepsTab } from './views/node/steps.ts';
import { timelineTab, timelineText } from './views/node/timeline.ts';

interface Visited {
  readonly services: Services;
  readonly visit: Visit;
  readonly node: Node;
  readonly record: JsonObject;
}

const tabs: Readonly<Record<TabName, (visited: Visited) => Markup | Promise<Markup>>> = {
  '': ({ services, node }) => timelineTab(readTimeline(services, node)),
  inventory: ({ services, node }) => inventoryTab(readInventory(services, node)),
  steps: ({ services, node }) => stepsTab(readSteps(services, node)),
  history: ({ services, node }) => historyTab(readHistory(services, node)),
  logs: async ({ services, node }) => logsTab(await readLogs(services, node)),
  console: ({ services, node }) => consoleTab(readConsoleText(services, node)),
  sensors: ({ services, node }) =>
    sensorsTab(services.sensors.of(node.uuid), services.config.sensor_data.send_sensor_data),
  async indicators({ visit, node }) {
    const { indicators, refusal } = await readIndicators(visit, node);
    return indicatorsTab(node.uuid, indicators, refusal);
  },
  record: ({ record }) => recordTab(record),
};

/** The tabs that can change without an event, each with the seconds after which the page fetches it again. */
const REPEATED: Readonly<Partial<Record<TabName, number>>> = { '': 10, steps: 10, console: 3 };

/** `rest`: the segments of the path that follow the node. Throws NotFound, InvalidUuidOrName and NodeNotFound. */
export async function nodePage(
  services: Services,
  visit: Visit,
  [name = '', ...rest]: readonly string[],
): Promise<View | Answer> {
  const node = findNode(services, decoded(name), MAXIMUM_MINOR);
  const [part = '', file, ...more] = rest;
  if (part === 'logs' && file !== undefined && more.length === 0)
    return savedLog(services, node, decoded(file));
  if (file !== undefined) throw fault('NotFound', {});
  if (part === 'timeline.txt') return wholeTimeline(services, node);
  const visited = { services, visit, node, record: await recordOf(visit, node) };
  return part === 'bundle' ? bundle(visited) : tabPage(visited, part);
}

async function recordOf({ call }: Visit, { uuid }: Node): Promise<JsonObject> {
  const answer = await call({ method: 'GET', path: `/v1/nodes/${uuid}` });
  return (await answer.json()) as JsonObject;
}

async function tabPage(visited: Visited, part: string): Promise<View> {
  const tab = TABS.find(([each]) => each === part)?.[0];
  if (tab === undefined) throw fault('NotFound', {});
  const { services, node, record } = visited;
  const { db } = services;
  const vendor = db.inventory.vendorOf(node.uuid) ?? undefined;
  const body = nodeView({
    machine: machineOf(services, node, db.quarantine.of(node.uuid) !== undefined),
    record,
    vendor: vendor === undefined ? undefined : (JSON.parse(vendor) as JsonObject),
    macs: macsOf(services, node),
    tab,
    body: await tabs[tab](visited),
    every: REPEATED[tab],
  });
  return { title: labelOf(node), body, follows: { node: node.uuid } };
}

const macsOf = ({ db }: Services, { uuid }: Node): readonly string[] =>
  db.ports.ofNode(uuid).map(({ address }) => address);

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
