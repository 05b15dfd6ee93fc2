// The `noop` deploy interface: instances are deployed and removed outside the daemon, which only records them.
import { defineDeploy } from '#plugin-api';

export const noopDeploy = defineDeploy({
  properties: {},
  validate() {},
  steps: {
    deploy: {
      description: 'Does nothing: the instance is assumed to be deployed.',
      priorities: { deploy: 100 },
      requiresRamdisk: false,
      run: async () => 'done',
    },
  },
});
