// What a request to deploy or rebuild says of the instance, completed by a profile: the image, and the config drive made of the rest.
import { fault } from '../../model/faults.ts';
import {
  configDriveOf,
  type InstanceDescription,
  instanceDescriptionFields,
  refuseSameForAll,
} from '../../model/instance/instance.ts';
import { diskTest } from '../../model/instance/root-device-hints.ts';
import type { InstanceProfile } from '../../model/instance/profile.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Node } from '../../model/records/node.ts';
import type { NetworkBootServices } from '../boot/services.ts';
import { nameHint, refuseUnknownImage } from './catalogue.ts';

export interface InstanceRequest extends InstanceDescription {
  /** The name or UUID of a profile; what the request itself says takes precedence. */
  readonly profile?: string | null;
  /** The place of the machine among those that are deployed together, from 1. */
  readonly number?: number;
  /** How many machines are deployed together. */
  readonly machines?: number;
  /** Hints that choose the disk for the image. */
  readonly root_device?: JsonObject | null;
  /** Traits that the instance requires: they choose deploy templates. */
  readonly traits?: readonly string[];
}

/** `source`: the name of an image in the catalogue, or a URL. `checksum`: null for one that the catalogue has, or that needs none. */
export interface RequestedImage {
  readonly source: string;
  readonly checksum: string | null;
}

export interface DescribedInstance {
  /** null: the node keeps the image that it has. */
  readonly image: RequestedImage | null;
  /** null: the node keeps the config drive that it has. */
  readonly configdrive: JsonObject | null;
  /** What else the request puts into instance_info. */
  readonly instanceInfo: JsonObject;
}

/**
 * Returns the instance of one machine. Throws ProfileNotFound, and InvalidParameter for a description that contradicts itself, that
 * does not fit the node's ports, or that would give several machines the same name.
 */
export function describedInstance(
  { db }: Pick<NetworkBootServices, 'db'>,
  node: Node,
  { profile, number = 1, machines = 1, root_device, traits = [], ...given }: InstanceRequest,
): DescribedInstance {
  const {
    image,
    image_checksum: checksum,
    kexec,
    ...rest
  } = completed(given, profile == null ? {} : findInstanceProfile({ db }, profile));
  refuseLoneChecksum(image, checksum);
  refuseSameForAll(rest, machines);
  const place = { number, node: node.name ?? node.uuid, ports: db.ports.ofNode(node.uuid) };
  return {
    image: image == null ? null : { source: image, checksum: checksum ?? null },
    configdrive: Object.keys(rest).length === 0 ? null : configDriveOf(rest, place),
    instanceInfo: besideDrive({ root_device, traits, kexec }),
  };
}

interface BesideDrive {
  readonly root_device: InstanceRequest['root_device'];
  readonly traits: readonly string[];
  readonly kexec: InstanceRequest['kexec'];
}

function besideDrive({ root_device: hints, traits, kexec }: BesideDrive): JsonObject {
  if (hints != null) diskTest('root_device', hints);
  return {
    ...(hints != null && { root_device: hints }),
    ...(traits.length > 0 && { traits }),
    ...(kexec != null && { kexec }),
  };
}

function completed(given: InstanceDescription, profile: InstanceDescription): InstanceDescription {
  const own = said(given);
  // a checksum belongs to the image beside it
  const { image_checksum: checksum, ...base } = said(profile);
  return {
    ...base,
    ...(own.image === undefined && checksum !== undefined && { image_checksum: checksum }),
    ...own,
  };
}

function refuseLoneChecksum(image: string | null | undefined, checksum: string | null | undefined): void {
  if (image != null || checksum == null) return;
  throw fault('InvalidParameter', { name: 'image_checksum', reason: 'it needs an image' });
}

/** What the request or the profile says of the instance, without what says nothing. */
const said = (description: InstanceDescription): InstanceDescription =>
  Object.fromEntries(
    Object.entries(description).filter(
      ([name, value]) =>
        Object.hasOwn(instanceDescriptionFields, name) &&
        value !== null &&
        !(Array.isArray(value) && value.length === 0),
    ),
  );

const MOST_CARDS = 32;
/** A node that has each card that a profile may number, and boots from the first. */
const SAMPLE = {
  number: 1,
  node: 'node',
  ports: Array.from({ length: MOST_CARDS }, (_, index) => ({
    address: `52:54:00:00:00:${(index + 1).toString(16).padStart(2, '0')}`,
    pxe_enabled: index === 0,
  })),
};

/** Throws what each request with the profile would throw, whatever its node is. */
export function checkProfile({ db }: Pick<NetworkBootServices, 'db'>, profile: InstanceProfile): void {
  const { image, image_checksum: checksum, network, ...rest } = profile;
  if (image !== null) refuseUnknownImage(db, image, 'image');
  refuseLoneChecksum(image, checksum);
  configDriveOf(rest, SAMPLE);
  for (const plan of network)
    configDriveOf({ network: [plan] }, { ...SAMPLE, ports: plan.macs === undefined ? SAMPLE.ports : [] });
}

/** By UUID or name. Throws ProfileNotFound. */
export function findInstanceProfile(
  { db }: Pick<NetworkBootServices, 'db'>,
  identifier: string,
): InstanceProfile {
  const found = db.profiles.get(identifier) ?? db.profiles.findBy('name', identifier);
  if (found !== undefined) return found;
  const hint = nameHint(db.profiles, 'profile', identifier);
  throw fault('ProfileNotFound', { profile: identifier.slice(0, 255), hint });
}
