// Takes a message in which a BMC reports events: records the events in the node's timeline, and after a short delay reads the
// machine's power state and health. An event is only a hint: what the event says is not stored in the node.
import { fault, reasonOf } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import { availableInterface } from '../../plugin-host/compose.ts';
import { synchronize } from './power-sync.ts';
import type { LoopServices } from './services.ts';
import { withTaskUnlocked } from '../tasks/run-task.ts';
import { isEventToken } from '../bmc-events/event-token.ts';
import { bmcEventLimits } from '../limits.ts';

/** A BMC sends the event of a change some time before its resources show the change. */
const SETTLE_MILLISECONDS = 2000;

export interface Message {
  readonly node: string;
  readonly token: string;
  readonly body: JsonObject;
}

/** Throws NotFound both for an unknown node and for a wrong token. */
export function receiveEvent(services: LoopServices, { node: uuid, token, body }: Message): void {
  const node = services.db.nodes.get(uuid);
  if (node === undefined || !isEventToken(node, token)) throw fault('NotFound', {});
  const { unreadMessages } = services;
  const count = (unreadMessages.get(uuid) ?? 0) + 1;
  unreadMessages.set(uuid, count);
  if (count > bmcEventLimits.messages) return;
  void recordEvents(services, uuid, body);
  if (count > 1) return;
  services.clock.after(SETTLE_MILLISECONDS, () => {
    unreadMessages.delete(uuid);
    void synchronize(services, uuid, new Map());
  });
}

async function recordEvents(services: LoopServices, uuid: string, body: JsonObject): Promise<void> {
  const { log, timeline } = services;
  try {
    await withTaskUnlocked(services, uuid, async ({ driver, view }) => {
      const events = (await availableInterface(driver, 'management')?.readEvents?.(view, body)) ?? [];
      for (const event of events.slice(0, bmcEventLimits.eventsOfAMessage))
        timeline.record({ hop: 'bmc', node: uuid, text: `its BMC reported: ${event}` });
    });
  } catch (error) {
    log.warn({ node: uuid, reason: reasonOf(error) }, 'a message of the BMC could not be read');
  }
}
