// The classic drivers of servers behind OneView, with the interfaces that Ironic fixed for them.
import { defineClassicDriver } from '#plugin-api';

const common = {
  boot: 'pxe',
  inspect: 'oneview',
  management: 'oneview',
  network: 'noop',
  power: 'oneview',
  storage: 'noop',
  vendor: 'oneview',
} as const;

export const agentPxeOneview = defineClassicDriver({ ...common, deploy: 'oneview-direct' });
export const iscsiPxeOneview = defineClassicDriver({ ...common, deploy: 'oneview-iscsi' });
