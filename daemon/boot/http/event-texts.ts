// The texts of events: what a machine asked for and got.
import { quotedText } from '../../lib/plain-text.ts';
import { shownName } from '../secret-names.ts';

const SHOWN_LENGTH = 200;
const MEGABYTE = 1_000_000;

export interface Sent {
  readonly name: string;
  readonly bytes: number;
  /** The number of bytes before the sent part: the request did not ask for these bytes. */
  readonly skipped: number;
  readonly address: string;
}

/** Returns a text such as `sent deploy_kernel (12 MB) to 10.0.0.21`. */
export function sentText({ name, bytes, skipped, address }: Sent): string {
  const size = sizeText(bytes);
  const part = skipped === 0 ? size : `the last ${size} of ${sizeText(skipped + bytes)}`;
  return `sent ${quoted(name)} (${part}) to ${address}`;
}

export const notServedText = (name: string | undefined): string =>
  name === undefined ? 'asked with a malformed URL' : `asked for ${quoted(name)}, which is not served`;

export const withheldText = (name: string): string =>
  `asked for ${quoted(name)}, which is for a machine to which the DHCP server has not leased this address`;

export const stoppedText = (name: string, sent: number, total: number): string =>
  `stopped receiving ${quoted(name)} after ${amount(sent, total)} of ${sizeText(total)}`;

/**
 * Returns the name without the random characters of a secret name, cut to 200 characters; as a JSON string if it is empty or has
 * characters that are unusual in names.
 */
export function quoted(name: string): string {
  const shown = shownName(name).slice(0, SHOWN_LENGTH);
  return /^[\w./:@+*-]+$/.test(shown) ? shown : quotedText(shown);
}

/** Returns a text such as `173,792 bytes`, `3.1 MB` or `104 MB`. */
export const sizeText = (bytes: number): string =>
  bytes < MEGABYTE ? `${bytes.toLocaleString('en-US')} bytes` : `${megabytes(bytes)} MB`;

/** The number of bytes sent, in the unit in which `total` is shown. */
const amount = (sent: number, total: number): string =>
  total < MEGABYTE ? sent.toLocaleString('en-US') : megabytes(sent);

const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(bytes < 10 * MEGABYTE ? 1 : 0);
