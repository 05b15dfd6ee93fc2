// Booting from iSCSI volumes: what a machine needs to know, and how iPXE writes the way to a volume.
import { canonicalIp } from '../../lib/network/ip.ts';

/** One way to a volume. */
export interface IscsiPath {
  /** An IP address or a host name, and perhaps a port: `192.0.2.1`, `192.0.2.1:3260`, `[2001:db8::1]:3260`. */
  readonly portal: string;
  /** The qualified name of the target, such as `iqn.2026-01.example.storage:disk-1`. */
  readonly target: string;
  /** From 0 to 16383. */
  readonly lun: number;
}

/** `password`: in clear text. */
interface IscsiLogin {
  readonly username: string;
  readonly password: string;
}

export interface IscsiBoot {
  /** The qualified name with which the machine logs in. */
  readonly initiator: string;
  /** The login (CHAP) at the targets; null when they ask for none. */
  readonly login: IscsiLogin | null;
  /** Each volume with the ways to it. The machine boots from the first volume and also finds the others. */
  readonly volumes: readonly (readonly IscsiPath[])[];
}

/** A qualified name has at most 223 bytes (RFC 7143). Many products also use `_`. */
const QUALIFIED_NAME = /^(?:iqn|eui|naa)\.[\w.:-]{1,219}$/;
const PORTAL = /^(\[[^[\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/;
const HOST_NAME = /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/;
const DEFAULT_PORT = 3260;
const HIGHEST_PORT = 65_535;
const HIGHEST_LUN = 16_383;
/** LUNs above 255 have another form in SCSI. */
const HIGHEST_SHORT_LUN = 255;
const FLAT_FORM = 0x4000;
const LONGEST_LOGIN_BYTES = 255;
/** The BIOS numbers of drives that iPXE gives to volumes begin at 0x80. */
const MOST_VOLUMES = 16;
/** How many ways to a volume a machine can be told: the table that iPXE leaves for the system (iBFT) has room for two. */
export const ISCSI_WAYS = 2;

/** Returns why iPXE could not boot from the volumes as they are written, as part of a sentence; undefined when it could. */
export function iscsiFlaw({ initiator, login, volumes }: IscsiBoot): string | undefined {
  if (!QUALIFIED_NAME.test(initiator)) return `${shown(initiator)} is not the name of an initiator: ${NAMES}`;
  if (volumes.length === 0 || volumes.length > MOST_VOLUMES)
    return `the node has ${volumes.length} volumes; 1 to ${MOST_VOLUMES} can be attached`;
  if (volumes.some((paths) => paths.length === 0 || paths.length > ISCSI_WAYS))
    return `each volume needs 1 to ${ISCSI_WAYS} ways to it`;
  const path = volumes.flat().map(pathFlaw);
  return path.find((flaw) => flaw !== undefined) ?? (login === null ? undefined : loginFlaw(login));
}

const NAMES =
  'expected a qualified name of at most 223 letters, digits and . : _ -, such as iqn.2026-01.example:node-1';

/** Returns what is wrong with one way to a volume, as part of a sentence. */
export function pathFlaw({ portal, target, lun }: IscsiPath): string | undefined {
  if (addressOf(portal) === undefined)
    return `${shown(portal)} is not a portal; expected an address or a host name, and a port, such as 192.0.2.1:3260 or [2001:db8::1]:3260`;
  if (!QUALIFIED_NAME.test(target)) return `${shown(target)} is not the name of a target; ${NAMES}`;
  return Number.isInteger(lun) && lun >= 0 && lun <= HIGHEST_LUN
    ? undefined
    : `${shown(lun)} is not a LUN; expected a number from 0 to ${HIGHEST_LUN}`;
}

function loginFlaw(login: IscsiLogin): string | undefined {
  const name = (['username', 'password'] as const).find((each) => !isLoginText(login[each]));
  return (
    name && `the ${name} of the login must have 1 to ${LONGEST_LOGIN_BYTES} bytes and no control characters`
  );
}

const isLoginText = (text: string): boolean =>
  text !== '' && Buffer.byteLength(text) <= LONGEST_LOGIN_BYTES && !/\p{Cc}/u.test(text);

const shown = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 120);

/** Returns the host as a URL has it, and the port; undefined for a text that is no portal. */
function addressOf(portal: string): { readonly host: string; readonly port: number } | undefined {
  const [, host = '', digits] = PORTAL.exec(portal.slice(0, 300)) ?? [];
  const port = digits === undefined ? DEFAULT_PORT : Number(digits);
  if (port < 1 || port > HIGHEST_PORT) return undefined;
  const name = hostOf(host);
  return name === undefined ? undefined : { host: name, port };
}

function hostOf(host: string): string | undefined {
  if (!host.startsWith('[')) return HOST_NAME.test(host) ? host : undefined;
  const address = canonicalIp(host);
  return address?.includes(':') ? `[${address}]` : undefined;
}

/**
 * Returns the way to a volume in iPXE's form, such as `iscsi:192.0.2.1::3260:1:iqn.2026-01.example.storage:disk-1`. iPXE reads the
 * LUN as a hexadecimal number. The path must be one in which `pathFlaw` finds nothing.
 */
export function iscsiUrl({ portal, target, lun }: IscsiPath): string {
  const { host, port } = addressOf(portal) ?? { host: '', port: DEFAULT_PORT };
  const number = lun > HIGHEST_SHORT_LUN ? FLAT_FORM + lun : lun;
  return `iscsi:${host}::${port}:${number.toString(16)}:${target}`;
}
