// Watches the other hosts of the site ([standby] peers): when one of them serves a newer generation of the records, this daemon
// must stop, so that two daemons do not act on the same machines. Without a key, no answer is believed, and nobody is asked.
import { askPeer, RecordsReplaced, siteKey, siteOf, type SiteOfRecords } from '../../lib/peer-site.ts';
import { startPeriodic, type StopLoop } from '../../lib/periodic.ts';
import type { LoopServices } from './services.ts';

/** How often peers are asked. When two hosts reach each other again, both daemons can go on acting for about this long. */
const INTERVAL_SECONDS = 30;

/**
 * Called when the daemon starts. Rejects with RecordsReplaced when a peer already serves the records of this site in the same or
 * a newer generation: of two daemons with the same generation, the one that starts later stops. Rejects with an Error when the
 * key cannot be used.
 */
export async function giveWayToPeers(services: LoopServices): Promise<void> {
  const replaced = await replacedBy(services, (theirs, own) => theirs.generation >= own.generation);
  if (replaced !== undefined) throw replaced;
}

export interface PeerWatch {
  /**
   * Resolves when a peer serves a newer generation of this site's records; or the same generation, if the two daemons started
   * without seeing each other and the peer's `holder` is the greater one.
   */
  readonly replaced: Promise<RecordsReplaced>;
  readonly stop: StopLoop;
}

export function watchPeers(services: LoopServices): PeerWatch {
  const { promise: replaced, resolve } = Promise.withResolvers<RecordsReplaced>();
  const { peers, key_file: keyFile } = services.config.standby;
  const interval = peers.length === 0 || keyFile === null ? 0 : INTERVAL_SECONDS;
  const stop = startPeriodic(services, 'look at peers', interval, async () => {
    const found = await replacedBy(services, outranks);
    if (found === undefined) return;
    services.log.error({ reason: found.message }, 'another host serves the records of this site');
    resolve(found);
  });
  return { replaced, stop };
}

const outranks = (theirs: SiteOfRecords, own: SiteOfRecords): boolean =>
  theirs.generation > own.generation || (theirs.generation === own.generation && theirs.holder > own.holder);

async function replacedBy(
  { db, config, clock, log }: LoopServices,
  replaces: (theirs: SiteOfRecords, own: SiteOfRecords) => boolean,
): Promise<RecordsReplaced | undefined> {
  const record = db.quarantine.site();
  const key = siteKey(config.standby);
  if (record === undefined || key === undefined) return undefined;
  const own = siteOf(record);
  const answers = await Promise.all(
    config.standby.peers.map(async (url) => ({ url, answer: await askPeer(url, key, clock) })),
  );
  for (const { url, answer } of answers) {
    if (answer.kind === 'foreign')
      log.warn({ peer: url, reason: answer.reason }, 'the peer is not a daemon of this site');
    if (answer.kind !== 'serves' || answer.site.uuid !== own.uuid) continue;
    // somebody who leads the question to another daemon of this host, such as the one that is stopping, stops nobody
    if (answer.site.holder === own.holder) continue;
    if (replaces(answer.site, own))
      return new RecordsReplaced(
        `${url} serves generation ${answer.site.generation} of this site's records, and those of this host are generation ${own.generation}. ` +
          'Only one daemon may act on the machines, so this one stops. Let this host wait as the standby, or stop the other daemon first.',
      );
  }
  return undefined;
}
