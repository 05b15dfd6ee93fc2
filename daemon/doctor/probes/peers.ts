// The probe of the other hosts of the site ([standby] peers).
import { systemClock } from '../../lib/clock.ts';
import { askPeer, siteKey } from '../../lib/peer-site.ts';
import { reasonOf } from '../../model/faults.ts';
import type { ProbeFinding, Probe, ExaminedSite } from '../probe.ts';
import { isServing } from './listeners.ts';

export const peersProbe: Probe = {
  id: 'peers',
  about: 'whether another host serves the records of this site ([standby] peers)',
  async run(site) {
    const { standby } = site.config;
    try {
      const key = siteKey(standby);
      // a warning about the configuration says that peers need a key
      if (key === undefined) return [];
      return (await Promise.all(standby.peers.map((url) => findings(site, url, key)))).flat();
    } catch (error) {
      return [
        {
          severity: 'error',
          saw: reasonOf(error),
          means: 'the daemon does not start',
          fix: '[standby] key_file = a file with the same key on all hosts of the site',
        },
      ];
    }
  },
};

async function findings(site: ExaminedSite, url: string, key: string): Promise<readonly ProbeFinding[]> {
  const answer = await askPeer(url, key, systemClock);
  if (answer.kind === 'silent') return [];
  if (answer.kind === 'foreign')
    return [
      {
        severity: 'warning',
        saw: `${url} does not prove which records it serves: ${answer.reason}`,
        means: 'this daemon would not see that the other host has taken over',
        fix: '[standby] peers = the URL of the API on the other host, and the same key in [standby] key_file on both',
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
