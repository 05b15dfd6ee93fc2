// The machine that the tests of rules use.
import type { Filling } from '../../../ramdisk-callback/rules/fill-in.ts';

export const inventory = {
  cpu: { count: 8, architecture: 'x86_64', flags: ['vmx', "it's"] },
  system_vendor: { product_name: 'PowerEdge R640', manufacturer: 'Dell Inc.' },
  interfaces: [{ name: 'eth0', mac_address: '52:54:00:00:00:01' }],
  memory: 8_589_934_592,
  bmc_address: '192.0.2.9',
  bmc_password: 'hunter2',
};

export function filling(changes: Partial<Filling> = {}): Filling & { readonly warnings: string[] } {
  const warnings: string[] = [];
  return {
    scope: {
      node: {
        driver: 'ipmi',
        driver_info: { ipmi_address: '192.0.2.9', ipmi_password: 'hunter2' },
        name: null,
      },
      inventory,
      plugin_data: { auto_discovered: true, nested: { token: 'hunter2', list: [1, 'two', null, false] } },
    },
    masked: true,
    warn: (message) => warnings.push(message),
    warnings,
    ...changes,
  };
}
