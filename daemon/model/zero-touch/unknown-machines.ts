// Whether machines that belong to no node are wanted.

interface Settings {
  readonly auto_discovery: { readonly enabled: boolean };
  readonly zero_touch: { readonly bmc_networks: readonly string[] };
}

/** With discovery they become nodes; with zero touch they report the account that they made on their BMC. */
export const wantsUnknownMachines = ({ auto_discovery: discovery, zero_touch }: Settings): boolean =>
  discovery.enabled || zero_touch.bmc_networks.length > 0;
