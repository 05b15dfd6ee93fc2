// Takes a message in which a BMC reports events: records the events in the node's timeline, and after a short delay reads the
// machine's power state and health. An event is only a hint: what the event says is not stored in the node.
import { fault, reasonOf } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import { availableInterface } from '../../plugin-host/compose.ts';
import { synchronize } from '../loops/power-sync.ts';
import { withTaskUnlocked } from '../tasks/run-task.ts';
import type { Services } from '../services.ts';
import { isEventToken } from './event-token.ts';

/** A BMC sends the event of a change some time before its resources show the change. */
const SETTLE_MILLISECONDS = 2000;
/** How many messages of a node's BMC are read before the machine's power state is read again; further messages are dropped. */
const MOST_MESSAGES = 20;
/** How many events of one message are recorded; further events are dropped. */
const MOST_EVENTS = 20;

export interface Message {
  readonly node: string;
  readonly token: string;
  readonly body: JsonObject;
}

/** Throws NotFound both for an unknown node and for a wrong token. */
export function receiveEvent(services: Services, { node: uuid, token, body }: Message): void {
  const node = services.db.nodes.get(uuid);
  if (node === undefined || !isEventToken(node, token)) throw fault('NotFound', {});
  const { unreadMessages } = services;
  const count = (unreadMessages.get(uuid) ?? 0) + 1;
  unreadMessages.set(uuid, count);
  if (count > MOST_MESSAGES) return;
  void recordEvents(services, uuid, body);
  if (count > 1) return;
  services.clock.after(SETTLE_MILLISECONDS, () => {
    unreadMessages.delete(uuid);
    void synchronize(services, uuid, new Map());
  });
}

async function recordEvents(services: Services, uuid: string, body: JsonObject): Promise<void> {
  const { log, timeline } = services;
  try {
    await withTaskUnlocked(services, uuid, async ({ driver, view }) => {
      const events = (await availableInterface(driver, 'management')?.readEvents?.(view, body)) ?? [];
      for (const event of events.slice(0, MOST_EVENTS))
        timeline.record({ hop: 'bmc', node: uuid, text: `its BMC reported: ${event}` });
    });
  } catch (error) {
    log.warn({ node: uuid, reason: reasonOf(error) }, 'a message of the BMC could not be read');
  }
}
