// Takes in the login that a ramdisk says to have made on the BMC of its machine. Anybody on the machines' network can send one, so
// what is stored is a claim. No BMC is asked here.
import { createHash } from 'node:crypto';
import type { ClaimedBmcLogin } from '../../db/tables/zero-touch/bmc-logins.ts';
import { now, timestamp } from '../../lib/clock.ts';
import { canonicalIp, isInSubnet, networkOfHost } from '../../lib/network/ip.ts';
import { parseStationMac } from '../../lib/network/mac.ts';
import { isJsonObject, type Json } from '../../model/json.ts';
import { BMC_ACCOUNT, openSealed } from '../ramdisk/in-band-account.ts';
import type { Addresses, ReportedLogin } from './report-processor.ts';
import type { InspectionServices } from './services.ts';

/** The addresses are those of the report that the login came with. */
interface Reported extends Addresses {
  readonly login: ReportedLogin;
  /** Where the report came from; null for a Unix socket. */
  readonly client: string | null;
}

/** A BMC without an address says so by these. */
const isSet = (address: string): boolean => address !== '0.0.0.0' && address !== '::';

/** Returns by what a sender is told from others; one host has many IPv6 addresses. Empty: a Unix socket. */
export const senderOf = (client: string | null): string => (client === null ? '' : networkOfHost(client));

/** The clock of a new machine may run in the time zone of its factory. */
const CLOCK_MILLISECONDS = 24 * 3_600_000;

const SHOWN_MACS = 8;

/** Stores the login, or says in the log and the timeline why not. */
export function takeBmcLogin(services: InspectionServices, reported: Reported): void {
  if (services.config.zero_touch.bmc_networks.length === 0) return;
  const { macs, login, client } = reported;
  const taken = login.failure === undefined ? claimIn(services, reported) : `not made: ${login.failure}`;
  const isTaken = typeof taken !== 'string';
  if (isTaken) {
    services.db.bmcLogins.put(taken);
    services.foundBmcs.loginMade(taken.address);
  } else
    services.log.warn(
      { macs: macs.slice(0, SHOWN_MACS), client, reason: taken },
      'the login of a BMC was not taken',
    );
  services.timeline.record({
    hop: 'inspection',
    ...(macs[0] !== undefined && { mac: macs[0] }),
    ...(client !== null && { address: client }),
    ...(isTaken
      ? { text: `its ramdisk made an account on the BMC ${taken.address}` }
      : { text: `the login of its BMC was ${taken}`, failed: true }),
  });
}

/** Returns why the login is not taken as a part of a sentence. What costs most is checked last. */
function claimIn(services: InspectionServices, reported: Reported): ClaimedBmcLogin | string {
  const { macs, client } = reported;
  const bmcAddresses = reported.bmcAddresses.filter(isSet);
  const { bmc_networks: networks } = services.config.zero_touch;
  const address = bmcAddresses.find((each) => networks.some((network) => isInSubnet(each, network)));
  if (address === undefined)
    return `refused: no address of its BMC (${bmcAddresses.join(', ') || 'it has none'}) is in [zero_touch] bmc_networks`;
  if (macs.length === 0 || !services.served.mayBeMachine(client, macs))
    return 'refused: the DHCP server has not leased the address of the sender to the machine';
  const opened = openOnce(services, Buffer.from(reported.login.sealed ?? '', 'base64'));
  if (typeof opened === 'string') return opened;
  const { time: _, bmcAddresses: __, ...claim } = opened;
  return (
    flawOf(services, opened, { ...reported, bmcAddresses }) ?? {
      address,
      sender: senderOf(client),
      ...claim,
      received_at: now(services),
    }
  );
}

function openOnce(services: InspectionServices, sealed: Buffer): Opened | string {
  const digest = createHash('sha256').update(sealed).digest('base64');
  if (services.seenLogins.get(digest) !== undefined) return 'refused: it was received before';
  const text = openSealed(services, sealed);
  if (text === undefined) return 'refused: it is damaged, or sealed for another key; boot the machine again';
  services.seenLogins.set(digest, true);
  return read(text) ?? `refused: it is not the login of a user ${BMC_ACCOUNT}`;
}

function flawOf(
  { clock }: InspectionServices,
  { macs, bmcAddresses, serial_number, time }: Opened,
  reported: Reported,
): string | undefined {
  const isSame =
    sameSet(macs, reported.macs) &&
    sameSet(bmcAddresses, reported.bmcAddresses) &&
    serial_number === reported.login.serialNumber;
  if (!isSame) return 'refused: it was sealed for another machine than the one that the report describes';
  return Math.abs(clock.now() - time) > CLOCK_MILLISECONDS
    ? `refused: it was sealed at ${timestamp(time)}; set the clock of the machine, or offer it a time server by DHCP`
    : undefined;
}

const sameSet = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((each) => other.includes(each));

interface Opened extends Omit<ClaimedBmcLogin, 'address' | 'sender' | 'received_at'> {
  readonly bmcAddresses: readonly string[];
  /** Milliseconds since the epoch. */
  readonly time: number;
}

/** What a BMC of IPMI takes as a password. */
const PASSWORD = /^[\x21-\x7e]{1,20}$/;
const LATEST_SECONDS = 2 ** 32;

function read(text: string): Opened | undefined {
  const value = parsed(text);
  if (!isJsonObject(value)) return undefined;
  const { username, password, macs, bmc_addresses: addresses, serial_number, system_uuid, time } = value;
  if (username !== BMC_ACCOUNT || typeof password !== 'string' || !PASSWORD.test(password)) return undefined;
  if (typeof time !== 'number' || !(time >= 0 && time < LATEST_SECONDS)) return undefined;
  return {
    username,
    password,
    macs: unique(macs, parseStationMac),
    bmcAddresses: unique(addresses, canonicalIp).filter(isSet),
    serial_number: textOrNull(serial_number),
    system_uuid: textOrNull(system_uuid),
    time: time * 1000,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const textOrNull = (value: Json | undefined): string | null => (typeof value === 'string' ? value : null);

function unique(list: Json | undefined, canonical: (text: string) => string | undefined): readonly string[] {
  const texts = Array.isArray(list) ? list : [];
  return [...new Set(texts.flatMap((each) => (typeof each === 'string' ? (canonical(each) ?? []) : [])))];
}
