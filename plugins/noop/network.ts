// The `noop` network interface: the machine's networks are as somebody else set them up.
import { defineNetwork } from '#plugin-api';

export const noopNetwork = defineNetwork({
  properties: {},
  validate() {},
  async addInspectionNetwork() {},
  async removeInspectionNetwork() {},
});
