// The config drive that gives an instance its first settings: what instance_info/configdrive may hold, and the drive's files.
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import type { Node } from './records/node.ts';

const documents: Readonly<Record<string, (value: unknown) => boolean>> = {
  meta_data: isJsonObject,
  network_data: isJsonObject,
  user_data: (value) =>
    value === null || typeof value === 'string' || isJsonObject(value) || Array.isArray(value),
  vendor_data: isJsonObject,
};

/**
 * A config drive is a URL, an image in base64, or an object of documents. Returns why `given` is not a config drive, as part of a
 * sentence; undefined when it is one. The text quotes no value in `given`, only the name of a wrong document.
 */
export function configDriveFlaw(given: unknown): string | undefined {
  if (typeof given === 'string')
    return isUrl(given) || !/[^A-Za-z0-9+/=\s]/.test(given)
      ? undefined
      : 'the string is neither a URL nor base64';
  if (!isJsonObject(given)) return 'it is neither an object nor a string';
  const wrong = Object.keys(given).find((name) => !isDocument(name, given[name]));
  if (wrong === undefined) return undefined;
  return Object.hasOwn(documents, wrong)
    ? `${wrong} is not of the right type`
    : `${wrong} is not one of ${Object.keys(documents).join(', ')}`;
}

/**
 * Whether the documents of a config drive give each network of its instance a fixed address, so that the instance asks no DHCP
 * server. False when `given` is not an object or names no network: then nobody knows.
 */
export function hasFixedAddressesOnly(given: unknown): boolean {
  const data = isJsonObject(given) ? given['network_data'] : undefined;
  const networks = isJsonObject(data) && Array.isArray(data['networks']) ? data['networks'] : [];
  return networks.length > 0 && networks.every(isFixed);
}

// ipv4, ipv6 and ipv6_slaac, but not ipv4_dhcp or ipv6_dhcpv6-stateful
const isFixed = (network: Json): boolean =>
  isJsonObject(network) && typeof network['type'] === 'string' && !network['type'].includes('dhcp');

const isUrl = (text: string): boolean => text.includes('://');

const isDocument = (name: string, value: unknown): boolean =>
  Object.hasOwn(documents, name) && documents[name]?.(value) === true;

/** The path of a file on the drive, and its content. */
export type ConfigDriveFile = readonly [path: string, content: string];

// cloud-init reads the folder of the newest version that it knows, other programs read the folder `latest`
const VERSIONS = ['2012-08-10', 'latest'];

/**
 * Returns the files of a drive with the documents `given`, in OpenStack's layout. The instance gets the UUID and name of the node,
 * unless meta_data has others.
 */
export function configDriveFiles(
  given: JsonObject,
  { uuid, name }: Pick<Node, 'uuid' | 'name'>,
): readonly ConfigDriveFile[] {
  const { meta_data, network_data, user_data, vendor_data } = given;
  const metadata = { uuid, ...(name !== null && { name }), ...(isJsonObject(meta_data) && meta_data) };
  const files: readonly (readonly [string, Json | undefined])[] = [
    ['meta_data.json', metadata],
    ['network_data.json', network_data],
    ['vendor_data2.json', vendor_data],
    ['user_data', user_data],
  ];
  return VERSIONS.flatMap((version) =>
    files.flatMap(([file, content]): ConfigDriveFile[] =>
      content === undefined || content === null || content === ''
        ? []
        : [[`openstack/${version}/${file}`, textOf(content)]],
    ),
  );
}

const textOf = (content: Json): string => (typeof content === 'string' ? content : JSON.stringify(content));
