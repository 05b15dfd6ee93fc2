// The `noop` network interface: somebody else connects the machine, so VIFs come and go without a trace.
import { defineNetwork } from '#plugin-api';

export const noopNetwork = defineNetwork({
  properties: {},
  validate() {},
  listVifs: async () => [],
  async attachVif() {},
  async detachVif() {},
});
