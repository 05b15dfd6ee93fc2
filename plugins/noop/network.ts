// The network interfaces that do not configure switches: machines stay connected as they are. `noop` accepts VIFs and forgets
// them; `flat` records the port of each VIF.
import { defineNetwork } from '#plugin-api';

export const noopNetwork = defineNetwork({
  properties: {},
  validate() {},
  listVifs: async () => [],
  async attachVif() {},
  async detachVif() {},
});

export const flatNetwork = defineNetwork({ properties: {}, validate() {}, recordsVifs: true });
