// Reads what is known of the instance on a machine: name, image, host name, addresses and keys.
import { isJsonObject, type Json } from '../../../model/json.ts';
import type { Node } from '../../../model/records/node.ts';
import { maskSecrets } from '../../../model/secrets.ts';
import type { ReadServices } from '../services.ts';

export interface InstanceShown {
  readonly name: string;
  readonly uuid: string | null;
  readonly image: string;
  /** The beginning of the image's SHA-256; empty if it is not known. */
  readonly digest: string;
  /** When it was deployed; null if that is not known. */
  readonly since: string | null;
  readonly hostname: string;
  readonly addresses: readonly string[];
  /** The comments of its SSH keys, or their kinds. */
  readonly keys: readonly string[];
}

const DIGITS = 12;
const MOST = 8;

/** Returns undefined if there is neither an instance nor one being made. */
export function readInstance(
  services: Pick<ReadServices, 'db' | 'clock'>,
  node: Node,
): InstanceShown | undefined {
  const { instance_info: info, driver_internal_info: internal } = node;
  const { image, sha256, at } = internal.deployed_image ?? {
    image: textIn(info['image_source']),
    sha256: null,
    at: null,
  };
  if (image === '' && node.instance_uuid === null) return undefined;
  const { configdrive } = info;
  const drive = isJsonObject(configdrive) ? configdrive : {};
  return {
    name: node.instance_name ?? '',
    uuid: node.instance_uuid,
    image: maskSecrets(image),
    digest: sha256 === null ? '' : sha256.slice(0, DIGITS),
    since: at,
    addresses: [...new Set([...addressesIn(drive['network_data']), ...leasesOf(services, node)])].slice(
      0,
      MOST,
    ),
    ...nameAndKeys(drive['meta_data']),
  };
}

function nameAndKeys(meta: Json | undefined): Pick<InstanceShown, 'hostname' | 'keys'> {
  if (!isJsonObject(meta)) return { hostname: '', keys: [] };
  const { hostname, public_keys: keys } = meta;
  return { hostname: textIn(hostname), keys: keysIn(keys).slice(0, MOST) };
}

function leasesOf({ db, clock }: Pick<ReadServices, 'db' | 'clock'>, { uuid }: Node): readonly string[] {
  const macs = new Set(db.ports.ofNode(uuid).map(({ address }) => address));
  return [...db.dhcpLeases.list(), ...db.dhcp6Leases.list()]
    .filter(({ mac, expires_at: end }) => mac !== null && macs.has(mac) && end > clock.now())
    .map(({ address }) => address);
}

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function addressesIn(network: Json | undefined): readonly string[] {
  const networks = isJsonObject(network) ? network['networks'] : undefined;
  if (!Array.isArray(networks)) return [];
  return networks.flatMap((each: Json) => {
    const address = isJsonObject(each) ? textIn(each['ip_address']) : '';
    return address === '' ? [] : [address];
  });
}

function keysIn(keys: Json | undefined): readonly string[] {
  const all: readonly Json[] = Array.isArray(keys) ? keys : isJsonObject(keys) ? Object.values(keys) : [];
  return all.map((key) => {
    const [kind = '', , ...comment] = textIn(key).split(' ');
    return comment.join(' ').trim() || kind;
  });
}
