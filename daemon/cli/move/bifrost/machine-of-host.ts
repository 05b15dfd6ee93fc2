// Turns the variables of a host in Bifrost's inventory into the node and the ports that its enrolment would create.
import { parseIpv4 } from '../../../lib/network/ipv4.ts';
import { parseStationMac } from '../../../lib/network/mac.ts';
import { parseUuid } from '../../../lib/uuid.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import { interfaceFields } from '../../../model/machine/interface-types.ts';

export interface InventoryMachine {
  readonly kind: 'machine';
  readonly name: string;
  /** The body of the request that creates the node. */
  readonly node: JsonObject;
  /** The bodies of the requests that create the ports, without the field node_uuid. */
  readonly ports: readonly (JsonObject & { readonly address: string })[];
  /** The variables of the host that the import ignores. */
  readonly left: readonly string[];
}

export interface RefusedHost {
  readonly kind: 'refuse';
  readonly name: string;
  readonly reason: string;
}

/** `key`: the name of the host in the inventory. A variable that is null counts as absent. */
export function machineOfHost(key: string, variables: Json): InventoryMachine | RefusedHost {
  const refuse = (reason: string): RefusedHost => ({ kind: 'refuse', name: key, reason });
  if (!isJsonObject(variables))
    return refuse('it has no variables: expected driver, driver_info, nics and others');
  const host = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== null));
  const { driver, name = key } = host;
  if (typeof driver !== 'string' || driver === '') return refuse('it has no driver');
  const wrong = wrongIn(host);
  if (wrong !== undefined) return refuse(wrong);
  const [label, uuid] = [textOf(name), parseUuid(textOf(host['uuid'] ?? ''))];
  return {
    kind: 'machine',
    name: label,
    node: { ...nodeOf(host, driver), name: label, ...(uuid !== undefined && { uuid }) },
    ports: portsOf(host),
    left: leftIn(host),
  };
}

/** Why the host cannot become a node; undefined when it can. */
function wrongIn(host: JsonObject): string | undefined {
  const { uuid } = host;
  if (uuid !== undefined && parseUuid(textOf(uuid)) === undefined)
    return `uuid ${JSON.stringify(uuid)} is not a UUID`;
  const mac = nicsOf(host)
    .map(macOf)
    .find((each) => parseStationMac(each) === undefined);
  if (mac !== undefined) return `nics: ${JSON.stringify(mac)} is not the MAC address of a network card`;
  const reserved = reservedFor(host);
  return reserved === undefined || parseIpv4(reserved) !== undefined
    ? undefined
    : `ipv4_address ${JSON.stringify(reserved)} is not an IPv4 address`;
}

const CARRIED: ReadonlySet<string> = new Set([
  ...interfaceFields.filter((field) => field !== 'network_interface'),
  'resource_class',
]);
const READ: ReadonlySet<string> = new Set([
  ...CARRIED,
  'driver',
  'uuid',
  'name',
  'nics',
  'properties',
  'driver_info',
  'instance_info',
  'ipa_kernel_url',
  'ipa_ramdisk_url',
  'host_groups',
  'ipv4_address',
  'provisioning_ipv4_address',
]);

/** Leaves out network_interface, because the inventory's value is meant for Bifrost's own host. */
function nodeOf(host: JsonObject, driver: string): JsonObject {
  const { host_groups: groups, instance_info: instance } = host;
  const carried = Object.entries(host).filter(([name]) => CARRIED.has(name));
  return {
    ...Object.fromEntries(carried),
    driver,
    driver_info: driverInfoOf(host),
    properties: propertiesOf(host['properties']),
    // the config drive belongs to the request for a deployment
    ...(isJsonObject(instance) && { instance_info: without(instance, 'configdrive') }),
    ...(Array.isArray(groups) && groups.length > 0 && { extra: { host_groups: groups } }),
  };
}

/** Groups within driver_info in which old inventories keep its fields. */
const NESTED: ReadonlySet<string> = new Set(['power', 'deploy', 'management', 'console']);

function driverInfoOf(host: JsonObject): JsonObject {
  const given = isJsonObject(host['driver_info']) ? host['driver_info'] : {};
  const { ipa_kernel_url: kernel, ipa_ramdisk_url: ramdisk } = host;
  const flat = Object.entries(given).flatMap(([name, value]) =>
    NESTED.has(name) && isJsonObject(value) ? Object.entries(value) : [[name, value] as const],
  );
  return {
    ...(kernel !== undefined && { deploy_kernel: kernel }),
    ...(ramdisk !== undefined && { deploy_ramdisk: ramdisk }),
    ...Object.fromEntries(flat.filter(([, value]) => value !== null)),
  };
}

const PROPERTIES: Readonly<Record<string, string>> = { ram: 'memory_mb', disk_size: 'local_gb' };

/** Gives ram and disk_size the names that Ironic uses, and turns numbers into text, as Bifrost does when it enrols a node. */
const propertiesOf = (given: Json | undefined): JsonObject =>
  Object.fromEntries(
    Object.entries(isJsonObject(given) ? given : {})
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [
        Object.hasOwn(PROPERTIES, name) ? (PROPERTIES[name] ?? name) : name,
        typeof value === 'number' ? String(value) : value,
      ]),
  );

const PORT_FIELDS: ReadonlySet<string> = new Set([
  'local_link_connection',
  'physical_network',
  'pxe_enabled',
  'is_smartnic',
]);

/** Reserves the host's IPv4 address for the first network card, to which Bifrost's DHCP server gives it. */
function portsOf(host: JsonObject): InventoryMachine['ports'] {
  const reserved = reservedFor(host);
  return nicsOf(host).map((nic, index) => {
    const carried = Object.entries(nic).filter(([name]) => PORT_FIELDS.has(name));
    const extra = {
      ...(isJsonObject(nic['extra']) && nic['extra']),
      ...(index === 0 && reserved !== undefined && { ipv4_address: reserved }),
    };
    return {
      ...Object.fromEntries(carried),
      address: macOf(nic).toLowerCase(),
      ...(Object.keys(extra).length > 0 && { extra }),
    };
  });
}

const nicsOf = ({ nics }: JsonObject): readonly JsonObject[] =>
  Array.isArray(nics) ? nics.filter(isJsonObject) : [];

const macOf = (nic: JsonObject): string => textOf(nic['mac'] ?? nic['address'] ?? '');

function reservedFor(host: JsonObject): string | undefined {
  const address = host['provisioning_ipv4_address'] ?? host['ipv4_address'];
  return typeof address === 'string' && address !== '' ? address : undefined;
}

function leftIn(host: JsonObject): readonly string[] {
  const instance = host['instance_info'];
  const drive = isJsonObject(instance) && 'configdrive' in instance ? ['instance_info/configdrive'] : [];
  return [...Object.keys(host).filter((name) => !READ.has(name)), ...drive];
}

const without = (object: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
