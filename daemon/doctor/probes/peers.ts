// The probe of the other hosts of the site ([standby] peers).
import { systemClock } from '../../lib/clock.ts';
import { askPeer } from '../../lib/peer-site.ts';
import type { Finding, Probe, Site } from '../probe.ts';

export const peersProbe: Probe = {
  id: 'peers',
  about: 'whether another host of the site serves newer records ([standby] peers)',
  async run(site) {
    return (await Promise.all(site.config.standby.peers.map((url) => findings(site, url)))).flat();
  },
};

async function findings({ read }: Site, url: string): Promise<readonly Finding[]> {
  const answer = await askPeer(url, systemClock);
  if (answer.kind === 'silent') return [];
  if (answer.kind === 'foreign')
    return [
      {
        severity: 'warning',
        saw: `${url} does not say which records it serves: ${answer.reason}`,
        means: 'this daemon would not see that the other host has taken over',
        fix: '[standby] peers = the URL of the API on the other host',
      },
    ];
  const own = read(({ quarantine }) => quarantine.site());
  const { uuid, generation } = answer.site;
  if (own === undefined || own.uuid !== uuid || generation <= own.generation) return [];
  return [
    {
      severity: 'error',
      saw: `${url} serves generation ${generation} of the records, and this host has generation ${own.generation}`,
      means: 'the daemon of this host does not start',
      fix: 'systemctl disable --now ironic-edge.service: this host waits, and gets the backups of the other',
    },
  ];
}
