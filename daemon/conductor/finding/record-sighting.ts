// Stores what was seen of a BMC. A BMC is followed by its identity: the UUID of its Redfish service, or else its MAC address.
import type { Database } from '../../db/database.ts';
import type { FoundBmcsTable } from '../../db/tables/zero-touch/found-bmcs.ts';
import { type Clock, now } from '../../lib/clock.ts';
import { sameJson } from '../../lib/json/same-json.ts';
import { type FoundBmc, foundBmcFields, type SightingSource } from '../../model/zero-touch/found-bmc.ts';
import { draftRecord } from '../records/new-record.ts';
import type { ProbeAnswer } from './ask-bmc.ts';

/** What somebody said of a BMC. */
export interface BmcHint {
  readonly source: SightingSource;
  /** Canonical. */
  readonly address: string;
  /** Canonical. */
  readonly mac?: string | undefined;
  readonly hostname?: string | undefined;
  readonly vendorClass?: string | undefined;
}

/** `answer`: what the BMC itself answered at the address; not set: it was not asked yet. */
export interface BmcSighting extends BmcHint {
  readonly answer?: ProbeAnswer;
}

export interface SightingServices {
  readonly db: Pick<Database, 'foundBmcs' | 'transaction'>;
  readonly clock: Clock;
}

/** Returns the record of the BMC with this identity, wherever it was seen last. */
export function knownBmc(foundBmcs: FoundBmcsTable, sighting: BmcSighting): FoundBmc | undefined {
  const { address, mac, answer } = sighting;
  const uuid = answer?.root?.uuid;
  const same = uuid == null ? [] : foundBmcs.withRedfishUuid(uuid);
  const byMac = mac === undefined ? undefined : foundBmcs.findBy('mac', mac);
  return (
    same.find((each) => each.address === address) ??
    same.find((each) => each.mac !== null && each.mac === mac) ??
    same[0] ??
    (byMac !== undefined && isOther(byMac, sighting) ? undefined : byMac)
  );
}

/** Whether the record is that of another BMC than the one that was seen. */
function isOther({ redfish_uuid: uuid, mac }: FoundBmc, sighting: BmcSighting): boolean {
  const seenUuid = sighting.answer?.root?.uuid ?? null;
  if (uuid !== null && seenUuid !== null) return uuid !== seenUuid;
  return mac !== null && sighting.mac !== undefined && mac !== sighting.mac;
}

export interface Recorded {
  /** The records that are new, or changed in address or identity, or of BMCs that have answered for the first time. */
  readonly changed: readonly FoundBmc[];
  /** Whether there was no room for the BMC. */
  readonly isFull?: true;
}

const NOTHING: Recorded = { changed: [] };

/**
 * `owner`: the record of the BMC that was seen; undefined: nothing has this identity. What nobody asked the BMC moves no record, and
 * takes no address from one.
 */
export function recordSighting(
  services: SightingServices,
  sighting: BmcSighting,
  owner: FoundBmc | undefined,
): Recorded {
  const { db } = services;
  return db.transaction(() => {
    const { known, displaced, isMove } = placeOf(db.foundBmcs, sighting, owner);
    if (isMove && sighting.answer === undefined) return NOTHING;
    const left = displaced === undefined ? [] : giveUp(services, displaced);
    if (known !== undefined) return { changed: [...left, ...update(services, known, sighting)] };
    if (!db.foundBmcs.makeRoom()) return { changed: left, isFull: true };
    return { changed: [...left, insert(services, sighting)] };
  });
}

/** `known`: the record of the BMC; `displaced`: that of another BMC which has its address; `isMove`: whether the BMC gets the address. */
function placeOf(foundBmcs: FoundBmcsTable, sighting: BmcSighting, owner: FoundBmc | undefined) {
  const at = foundBmcs.findBy('address', sighting.address);
  const there = at && isOther(at, sighting) ? undefined : at;
  const known = owner === undefined ? there : foundBmcs.get(owner.uuid);
  const isMove = known?.uuid !== at?.uuid;
  return { known, isMove, displaced: isMove ? at : undefined };
}

/** Takes the address from a record; removes a record of which nothing else is known. */
function giveUp(services: SightingServices, bmc: FoundBmc): readonly FoundBmc[] {
  const { foundBmcs } = services.db;
  const { uuid, redfish_uuid, mac, node_uuid, expected_uuid } = bmc;
  if ((redfish_uuid ?? mac ?? node_uuid ?? expected_uuid) === null) {
    foundBmcs.remove(uuid);
    return [];
  }
  const changes = { address: null, updated_at: now(services) };
  foundBmcs.update(uuid, changes);
  return [{ ...bmc, ...changes }];
}

function insert(services: SightingServices, sighting: BmcSighting): FoundBmc {
  const at = now(services);
  const bmc = {
    ...draftRecord<FoundBmc>(foundBmcFields, { first_seen: at, last_seen: at, created_at: at }),
    ...seenFields(draftRecord<FoundBmc>(foundBmcFields, {}), sighting),
  };
  services.db.foundBmcs.insert(bmc);
  return bmc;
}

function update(services: SightingServices, bmc: FoundBmc, sighting: BmcSighting): readonly FoundBmc[] {
  const at = now(services);
  const changes = Object.fromEntries(
    Object.entries(seenFields(bmc, sighting)).filter(
      ([name, value]) => !sameJson(value, bmc[name as keyof FoundBmc]),
    ),
  ) as Partial<FoundBmc>;
  const isChanged = Object.keys(changes).length > 0;
  const stored = { ...changes, last_seen: at, ...(isChanged && { updated_at: at }) };
  services.db.foundBmcs.update(bmc.uuid, stored);
  const isNews =
    changes.address !== undefined ||
    changes.mac !== undefined ||
    changes.redfish_uuid !== undefined ||
    (changes.protocols !== undefined && bmc.protocols.length === 0);
  return isNews ? [{ ...bmc, ...stored }] : [];
}

/** A MAC address that is known stays: others than the BMC may send requests in its name. */
function seenFields(bmc: FoundBmc, { address, source, answer, ...hint }: BmcSighting) {
  return {
    address,
    mac: bmc.mac ?? hint.mac ?? null,
    hostname: hint.hostname ?? bmc.hostname,
    vendor_class: hint.vendorClass ?? bmc.vendor_class,
    sources: bmc.sources.includes(source) ? bmc.sources : [...bmc.sources, source],
    ...(answer && answeredFields(bmc, answer)),
  };
}

const answeredFields = (bmc: FoundBmc, { root, protocols }: ProbeAnswer) => ({
  protocols,
  redfish_uuid: root?.uuid ?? bmc.redfish_uuid,
  ...(root && { vendor: root.vendor, product: root.product, redfish_version: root.version }),
});
