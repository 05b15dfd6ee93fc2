// Virtual network interfaces (VIFs), attached to a node through its network interface.
import { onInterface } from './on-interface.ts';

export const listVifs = onInterface('network', 'listVifs', 'vif_list', { lock: false });
export const attachVif = onInterface('network', 'attachVif', 'vif_attach', { lock: true });
export const detachVif = onInterface('network', 'detachVif', 'vif_detach', { lock: true });
