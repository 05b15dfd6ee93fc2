// The `noop` network interface: machines are connected outside the daemon; VIFs are accepted and not recorded.
import { defineNetwork } from '#plugin-api';

export const noopNetwork = defineNetwork({
  properties: {},
  validate() {},
  listVifs: async () => [],
  async attachVif() {},
  async detachVif() {},
});
