// What the timeline of a node holds, as short texts.
import type { InProcessDaemon } from './daemon/in-process-daemon.ts';

/** Each event as `hop text`, a failure as `!hop text`. */
export function timelineOf({ services }: Pick<InProcessDaemon, 'services'>, node: string): readonly string[] {
  services.timeline.flush();
  return services.db.machineEvents
    .ofNode(node, { since: 0, limit: 1000 })
    .map(({ hop, text, failed }) => `${failed ? '!' : ''}${hop} ${text}`);
}
