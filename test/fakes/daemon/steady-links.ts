// A network whose interfaces do not change: whatever is missing stays missing.
import type { Links } from '../../../daemon/lib/network/links.ts';

export const steadyLinks: Pick<Links, 'follow'> = {
  async follow({ attempt }) {
    await attempt();
  },
};
