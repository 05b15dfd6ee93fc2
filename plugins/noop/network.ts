// The network interfaces that leave the switches alone: machines stay connected as they are. `noop` accepts VIFs and forgets
// them; `flat` records which port has which VIF.
import { defineNetwork } from '#plugin-api';

export const noopNetwork = defineNetwork({
  properties: {},
  validate() {},
  listVifs: async () => [],
  async attachVif() {},
  async detachVif() {},
});

export const flatNetwork = defineNetwork({ properties: {}, validate() {}, recordsVifs: true });
