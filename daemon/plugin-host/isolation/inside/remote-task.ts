// The task in a plugin's process: reads what the daemon sent last, and asks the daemon for everything else.
import { sleep, systemClock } from '../../../lib/clock.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { Configuration, Task } from '../../../plugin-api/index.ts';
import { isRow, type TaskRows, taskRows } from '../../../plugin-api/contract/task.ts';
import { memberAt, type Place } from '../border/described.ts';
import type { Peer } from '../border/peer.ts';
import type { Conversations } from './conversations.ts';
import type { Ask, RemoteDrivers } from './remote-drivers.ts';

/** The values of a task's members at one moment; `taskRows` lists the members. A driver's vendor method gets no snapshot. */
export type Snapshot = JsonObject;

/** How many log lines of one call are sent to the daemon; the rest is dropped. */
export const MOST_LOG_LINES = 1000;

interface Surroundings {
  readonly peer: Peer;
  readonly configuration: Configuration;
  readonly conversations: Conversations;
  readonly drivers: RemoteDrivers;
}

export interface RemoteCall {
  readonly id: number;
  readonly snapshot: Snapshot | undefined;
  /** The number of the description of the node's driver. */
  readonly driver: number | undefined;
  readonly signal: AbortSignal;
}

/** `ask`: calls a function of the daemon on behalf of the task. */
export function remoteTask(
  call: RemoteCall,
  surroundings: Surroundings,
): { readonly task: Task; readonly ask: Ask } {
  const { peer, configuration, conversations, drivers } = surroundings;
  let current = call.snapshot;
  const ask = async (place: Place, ...given: readonly unknown[]): Promise<never> => {
    const { value } = await peer.ask({ value: { call: call.id, place, given } });
    const { result, snapshot } = value as { readonly result: never; readonly snapshot?: Snapshot };
    current = snapshot ?? current;
    return result;
  };
  const base = {
    log: remoteLog(lineWriter(peer, call.id), {}),
    signal: call.signal,
    configuration,
    clock: {
      ...systemClock,
      sleep: (milliseconds: number) => sleep(systemClock, milliseconds, call.signal),
    },
  };
  // a driver's vendor method has no node, so it needs no more members
  if (current === undefined) return { task: base as unknown as Task, ask };
  const own: PropertyDescriptorMap = {
    ...Object.getOwnPropertyDescriptors(base),
    driver: { enumerable: true, get: () => drivers.driver(call.driver, ask) },
    bmc: { enumerable: true, value: bmcOf(conversations, ask) },
  };
  return { task: membersOf({ rows: taskRows, place: [], values: () => current, ask }, own) as Task, ask };
}

const bmcOf =
  (conversations: Conversations, ask: Ask): Task['bmc'] =>
  (address, options, converse) =>
    conversations.hold({ options, converse }, (conversation) => ask(['bmc'], address, conversation));

interface Part {
  readonly rows: TaskRows;
  readonly place: Place;
  readonly values: () => unknown;
  readonly ask: Ask;
}

/** Makes an object with the members of the rows: its functions ask the daemon, its values come from the snapshot. `own` comes first. */
function membersOf({ rows, place, values, ask }: Part, own: PropertyDescriptorMap = {}): object {
  const descriptors = Object.entries(rows).map(([name, row]): [string, PropertyDescriptor] => {
    const inner = [...place, name];
    const value = () => memberAt(values(), [name]);
    if (!isRow(row))
      return [name, { enumerable: true, value: membersOf({ rows: row, place: inner, values: value, ask }) }];
    if (row.kind === 'value') return [name, { enumerable: true, get: value }];
    return [name, { enumerable: true, value: (...given: readonly unknown[]) => ask(inner, ...given) }];
  });
  return Object.defineProperties({}, { ...Object.fromEntries(descriptors), ...own });
}

type WriteLine = (level: string, fields: object, message: string | undefined) => void;

function lineWriter(peer: Peer, call: number): WriteLine {
  let lines = 0;
  return (level, fields, message) => {
    lines += 1;
    if (lines > MOST_LOG_LINES) return;
    peer.tell({ call, log: level, fields: plain(fields), message: message?.slice(0, 4096) ?? null });
  };
}

function remoteLog(write: WriteLine, always: object): Logger {
  const at = (level: string) => (fields: object, message?: string) =>
    write(level, { ...always, ...fields }, message);
  return {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    child: (fields) => remoteLog(write, { ...always, ...fields }),
  };
}

/** Turns errors among the fields into text, because JSON cannot hold them. */
const plain = (fields: object): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? (value.stack ?? value.message) : (value as never),
    ]),
  );
