// Watches the other hosts of the site ([standby] peers): when one of them serves a newer generation of the records, this daemon
// must stop, so that two daemons do not act on the same machines.
import { askPeer, RecordsReplaced } from '../../lib/peer-site.ts';
import type { Services } from '../services.ts';
import { startPeriodic, type StopLoop } from './periodic.ts';

/** How often peers are asked. Two daemons may both act for this long after their hosts can reach each other again. */
const INTERVAL_SECONDS = 30;

/**
 * Called when the daemon starts. Rejects with RecordsReplaced when a peer already serves the records of this site in the same or
 * a newer generation: of two daemons with the same generation, the one that starts later stops.
 */
export async function giveWayToPeers(services: Services): Promise<void> {
  const replaced = await replacedBy(services, (theirs, own) => theirs >= own);
  if (replaced !== undefined) throw replaced;
}

export interface PeerWatch {
  /** Resolves when a peer serves a newer generation of this site's records. */
  readonly replaced: Promise<RecordsReplaced>;
  readonly stop: StopLoop;
}

export function watchPeers(services: Services): PeerWatch {
  const { promise: replaced, resolve } = Promise.withResolvers<RecordsReplaced>();
  const interval = services.config.standby.peers.length === 0 ? 0 : INTERVAL_SECONDS;
  const stop = startPeriodic(services, 'look at peers', interval, async () => {
    const found = await replacedBy(services, (theirs, own) => theirs > own);
    if (found === undefined) return;
    services.log.error({ reason: found.message }, 'another host serves newer records');
    resolve(found);
  });
  return { replaced, stop };
}

async function replacedBy(
  { db, config, clock, log }: Services,
  isNewer: (theirs: number, own: number) => boolean,
): Promise<RecordsReplaced | undefined> {
  const own = db.quarantine.site();
  if (own === undefined) return undefined;
  const answers = await Promise.all(
    config.standby.peers.map(async (url) => ({ url, answer: await askPeer(url, clock) })),
  );
  for (const { url, answer } of answers) {
    if (answer.kind === 'foreign')
      log.warn({ peer: url, reason: answer.reason }, 'the peer is not a daemon of this site');
    if (answer.kind !== 'serves' || answer.site.uuid !== own.uuid) continue;
    const { generation } = answer.site;
    if (isNewer(generation, own.generation))
      return new RecordsReplaced(
        `${url} serves generation ${generation} of this site's records, and those of this host are generation ${own.generation}. ` +
          'Only one daemon may act on the machines, so this one stops. Let this host wait as the standby, or stop the other daemon first.',
      );
  }
  return undefined;
}
