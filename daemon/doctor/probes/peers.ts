// The probe of the other hosts of the site ([standby] peers).
import { systemClock } from '../../lib/clock.ts';
import { askPeer } from '../../lib/peer-site.ts';
import type { Finding, Probe, Site } from '../probe.ts';
import { isServing } from './listeners.ts';

export const peersProbe: Probe = {
  id: 'peers',
  about: 'whether another host serves the records of this site ([standby] peers)',
  async run(site) {
    return (await Promise.all(site.config.standby.peers.map((url) => findings(site, url)))).flat();
  },
};

async function findings(site: Site, url: string): Promise<readonly Finding[]> {
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
  const own = site.read(({ quarantine }) => quarantine.site());
  const { uuid, generation } = answer.site;
  if (own === undefined || own.uuid !== uuid || generation < own.generation) return [];
  // of two daemons with the same generation, the one that runs stays, and the other does not start
  if (generation === own.generation && (await isServing(site))) return [];
  return [
    {
      severity: 'error',
      saw: `${url} serves generation ${generation} of the records, and this host has generation ${own.generation}`,
      means: 'the daemon of this host does not start',
      fix: 'systemctl disable --now ironic-edge.service: this host then waits as the standby',
    },
  ];
}
