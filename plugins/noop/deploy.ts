// The `noop` deploy interface: somebody else puts instances on the machine and takes them off; here they are recorded.
import { defineDeploy } from '#plugin-api';

export const noopDeploy = defineDeploy({
  properties: {},
  validate() {},
  steps: {
    deploy: {
      description: 'Nothing is done: the instance is taken to be there.',
      priorities: { deploy: 100 },
      requiresRamdisk: false,
      run: async () => 'done',
    },
  },
});
