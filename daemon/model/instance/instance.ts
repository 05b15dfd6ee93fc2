// What a person says of an instance (host name, keys, user data, network, password, how it boots first), and the config drive made
// from it.
import { fault } from '../faults.ts';
import type { JsonObject } from '../json.ts';
import { typed } from '../../lib/json/typed-schema.ts';
import { field, type RecordOf, schema } from '../records/fields.ts';
import {
  asksServer,
  type NetworkPlan,
  networkData,
  networkPlanSchema,
  type PortOfNode,
} from './network-data.ts';
import { publicKey } from './public-key.ts';
import { userDataOf } from './user-data.ts';

const writable = { since: 1, create: true, update: true } as const;
const MOST_KEYS = 100;
const LONGEST_KEY = 16_384;
const MOST_LINKS = 16;

/** What a request or a profile says of an instance. null and an empty list: nothing is said. */
export const instanceDescriptionFields = {
  /** A name in the catalogue of images, or the URL of an image. */
  image: field(schema.textOrNull({ minLength: 1, maxLength: 2048 }), { initial: null, ...writable }),
  image_checksum: field(schema.textOrNull({ minLength: 1, maxLength: 2048 }), { initial: null, ...writable }),
  /** `{n}` becomes the number of the machine, `{node}` the name of its node. */
  hostname: field(schema.textOrNull({ minLength: 1, maxLength: 300 }), { initial: null, ...writable }),
  /** Lines of an `authorized_keys` file; each gives the login user access by ssh. */
  ssh_keys: field(
    typed<readonly string[]>({
      type: 'array',
      maxItems: MOST_KEYS,
      items: { type: 'string', maxLength: LONGEST_KEY },
    }),
    { initial: [], ...writable },
  ),
  /** A document for cloud-init: `#cloud-config`, a script, or another format that cloud-init knows by its first line. */
  user_data: field(schema.textOrNull(), { initial: null, ...writable }),
  /** The password of the image's login user, hashed for /etc/shadow: `$6$...`. */
  password_hash: field(schema.textOrNull({ minLength: 1, maxLength: 300 }), { initial: null, ...writable }),
  /** Links with their addresses. Empty: the image's own way, in most images DHCP on every card. */
  network: field(
    typed<readonly NetworkPlan[]>({ type: 'array', maxItems: MOST_LINKS, items: networkPlanSchema }),
    { initial: [], ...writable },
  ),
  /** Whether the ramdisk starts the instance, without a boot of the firmware; becomes `instance_info/kexec`. */
  kexec: field(schema.flagOrNull(), { initial: null, ...writable }),
} as const;

export type InstanceDescription = Partial<RecordOf<typeof instanceDescriptionFields>>;

/** The place of a machine in a request for several, for the patterns in host names and addresses. */
interface Place {
  /** From 1. */
  readonly number: number;
  readonly node: string;
  readonly ports: readonly PortOfNode[];
}

/**
 * Returns the documents of the config drive in OpenStack's layout. `{n}` in the host name and in addresses becomes the number of the
 * machine, and `{node}` in the host name the name of its node. Throws InvalidParameter, naming the part that is wrong.
 */
export function configDriveOf(description: InstanceDescription, place: Place): JsonObject {
  const { hostname = null, ssh_keys = [], network = [] } = description;
  const name = hostname === null ? undefined : checkedHostname(filledIn(hostname, place));
  const keys = ssh_keys.map((line, index): [string, string] => [`key-${index + 1}`, publicKey(line)]);
  const userData = userDataOf(description);
  return {
    meta_data: {
      ...(name !== undefined && { hostname: name, name }),
      ...(keys.length > 0 && { public_keys: Object.fromEntries(keys) }),
    },
    ...(userData !== undefined && { user_data: userData }),
    ...(network.length > 0 && {
      network_data: networkData(
        network.map((plan) => ({ ...plan, addresses: plan.addresses.map((text) => filledIn(text, place)) })),
        place.ports,
      ),
    }),
  };
}

/** Throws InvalidParameter if machines of one request would get the same host name or address. */
export function refuseSameForAll(
  { hostname = null, network = [] }: InstanceDescription,
  machines: number,
): void {
  if (machines < 2) return;
  if (hostname !== null && !/\{(?:n|node)\}/.test(hostname))
    throw fault('InvalidParameter', {
      name: 'hostname',
      reason: `${machines} machines would all be called ${hostname}. Write {n} for the number of the machine, or {node} for the name of its node, as in web-{n}`,
    });
  const fixed = network
    .flatMap(({ addresses }) => addresses)
    .find((address) => !address.includes('{n}') && !asksServer(address));
  if (fixed !== undefined)
    throw fault('InvalidParameter', {
      name: 'network',
      reason: `${machines} machines would all get the address ${fixed}. Write {n} for the number of the machine, as in 10.0.0.{n}/24`,
    });
}

const filledIn = (pattern: string, { number, node }: Place): string =>
  pattern.replaceAll('{n}', String(number)).replaceAll('{node}', node);

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;
const LONGEST_HOSTNAME = 253;

function checkedHostname(name: string): string {
  if (name.length <= LONGEST_HOSTNAME && name.split('.').every((label) => LABEL.test(label))) return name;
  throw fault('InvalidParameter', {
    name: 'hostname',
    reason: `${JSON.stringify(name.slice(0, 300))} is no host name. Expected labels of up to 63 letters, digits and hyphens, with dots between them, as in web-1 or web-1.example.com`,
  });
}
