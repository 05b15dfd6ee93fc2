// LLDP (IEEE 802.1AB): what the switch at the other end of a cable announces, from TLVs received by the ramdisk.
import { isJsonObject, type InspectionDraft, type Json, type JsonObject } from '#plugin-api';
import { basicFacts } from './lldp-basic.ts';
import { type Fact, MalformedTlv, type Tlv } from './lldp-octets.ts';
import { organizationFacts } from './lldp-organizations.ts';
import { shorten, shown } from '../shown.ts';

/** The longest value that the format allows. */
const MAX_OCTETS = 511;
/** The largest number of TLVs that fit into an Ethernet frame. */
const MAX_TLVS = 750;
const ORGANIZATIONALLY_SPECIFIC = 127;

/** TLVs of one network interface as reported: pairs of type and hexadecimal octets, not yet validated. */
export interface Heard<T> {
  readonly name: string;
  readonly reported: T;
  readonly tlvs: readonly Json[];
}

/**
 * Returns the TLVs received on each of these network interfaces: those in plugin data `lldp_raw`, or else those of the interface
 * itself. Interfaces without TLVs are left out. One warning names the interfaces for which the report has no list of TLVs, not
 * even an empty one.
 */
export function heardOn<T extends JsonObject>(
  draft: InspectionDraft,
  interfaces: readonly (readonly [name: string, reported: T])[],
): readonly Heard<T>[] {
  const { lldp_raw: raw } = draft.pluginData;
  const unheard: string[] = [];
  const heard = interfaces.flatMap(([name, reported]): Heard<T>[] => {
    const own = isJsonObject(raw) && Object.hasOwn(raw, name) ? raw[name] : undefined;
    const lists = [own, reported['lldp']].filter(isList);
    if (lists.length === 0) unheard.push(name);
    return lists
      .filter((tlvs) => tlvs.length > 0)
      .slice(0, 1)
      .map((tlvs) => ({ name, reported, tlvs }));
  });
  if (unheard.length > 0) {
    draft.warn(
      `No LLDP data for network interface(s) ${shorten(unheard.join(', '), 300)}; set ipa-collect-lldp=1 or enable the collector lldp of the ramdisk.`,
    );
  }
  return heard;
}

const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

/** Calls `use` for each of the first MAX_TLVS TLVs. Skips malformed TLVs with a warning. */
export function forEachTlv(
  draft: InspectionDraft,
  { name, tlvs }: Heard<unknown>,
  use: (tlv: Tlv) => void,
): void {
  const warn = (message: string) => draft.warn(`Network interface ${shorten(name, 100)}: ${message}`);
  if (tlvs.length > MAX_TLVS) warn(`${tlvs.length} LLDP TLVs: reading only the first ${MAX_TLVS}`);
  for (const one of tlvs.slice(0, MAX_TLVS)) {
    try {
      use(readTlv(one));
    } catch (error) {
      if (!(error instanceof MalformedTlv)) throw error;
      warn(`ignoring the LLDP TLV ${shown(one)}: ${error.message}`);
    }
  }
}

function readTlv(pair: Json): Tlv {
  const [type, hex] = Array.isArray(pair) ? (pair as readonly Json[]) : [];
  if (typeof type !== 'number' || typeof hex !== 'string')
    throw new MalformedTlv('expected a type and octets in hexadecimal');
  if (hex.length > MAX_OCTETS * 2) throw new MalformedTlv(`it is longer than ${MAX_OCTETS} octets`);
  if (!/^([0-9a-f]{2})*$/i.test(hex)) throw new MalformedTlv('its octets are not in hexadecimal');
  return { type, value: Buffer.from(hex, 'hex') };
}

/** Returns the facts in the TLV, none for an unknown type. Throws MalformedTlv. */
export const factsOf = (tlv: Tlv): readonly Fact[] =>
  tlv.type === ORGANIZATIONALLY_SPECIFIC ? organizationFacts(tlv.value) : basicFacts(tlv);
