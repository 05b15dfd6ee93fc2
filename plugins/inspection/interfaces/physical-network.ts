// The `physical-network` hook: sets the physical network of ports by the subnet of their IP addresses.
import { canonicalIp, defineHook, type Configuration, isInSubnet, isSubnet } from '#plugin-api';
import { options } from '../options.ts';
import { interfacesIn, portsByMac } from './reported-interface.ts';

export const physicalNetwork = defineHook({
  dependencies: ['validate-interfaces'],
  checkConfiguration: networksIn,
  call(draft) {
    const networks = networksIn(draft.configuration);
    const ports = portsByMac(draft);
    for (const [, reported] of interfacesIn(draft, 'all_interfaces')) {
      const port = ports.get(reported.mac_address);
      const found = [reported['ipv4_address'], reported['ipv6_address']]
        .map((address) => (typeof address === 'string' ? canonicalIp(address) : undefined))
        .map((ip) =>
          ip === undefined ? undefined : networks.find(({ subnet }) => isInSubnet(ip, subnet))?.name,
        )
        .find((name) => name !== undefined);
      if (port !== undefined && found !== undefined) port.physical_network = found;
    }
  },
});

interface Network {
  readonly name: string;
  readonly subnet: string;
}

/** Returns the networks in the order of the option; the first that contains an address is used. */
function networksIn(configuration: Configuration): readonly Network[] {
  return options({ configuration }).physical_network_cidr_map.map((pair) => {
    const [, subnet = '', name = ''] = /^(.+):([^:]+)$/s.exec(pair) ?? [];
    if (isSubnet(subnet) && name.length <= 64) return { name, subnet };
    throw new Error(
      `[inspector] physical_network_cidr_map: "${pair}": expected a network and a name, such as 10.0.0.0/24:provisioning`,
    );
  });
}
