// The TLS settings for a BMC: the CA certificates that are trusted, the oldest version of TLS, and the ciphers.
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  booleanOf,
  driverInfoChoice,
  driverInfoText,
  fault,
  invalidDriverInfo,
  type Task,
  type TlsSettings,
} from '#plugin-api';
import { redfishOptions } from '../options.ts';

export interface Trust {
  readonly verifies: boolean;
  /** A file or directory with the trusted CA certificates; undefined: the certificates that the system trusts. */
  readonly certificates: string | undefined;
  readonly minimumVersion: '1.1' | '1.2' | '1.3' | undefined;
  readonly ciphers: string | undefined;
}

/** Throws DriverInfoInvalid. */
export function trustOf(task: Task): Trust {
  const { node } = task;
  const { tls_minimum_version: version, tls_ciphers: ciphers } = redfishOptions(task);
  const minimum = driverInfoChoice(
    node,
    'redfish_tls_minimum_version',
    ['1.1', '1.2', '1.3', ''],
    (version ?? '') as '',
  );
  const suites = driverInfoText(node, 'redfish_tls_ciphers', ciphers ?? '');
  return {
    ...verificationOf(task),
    minimumVersion: minimum === '' ? undefined : minimum,
    ciphers: suites === '' ? undefined : suites,
  };
}

type Verification = Pick<Trust, 'verifies' | 'certificates'>;

function verificationOf(task: Task): Verification {
  const { node } = task;
  const { verify_ca: configured } = redfishOptions(task);
  const own = node.driver_info['redfish_verify_ca'] ?? true;
  const given = own === true ? (configured ?? true) : own;
  const found =
    typeof given === 'boolean' ? { verifies: given, certificates: undefined } : verificationIn(given);
  if (found !== undefined) return found;
  throw invalidDriverInfo(
    node,
    'redfish_verify_ca',
    'true, false or the absolute path of a file or directory that exists',
  );
}

function verificationIn(text: unknown): Verification | undefined {
  if (typeof text !== 'string' || text.includes('\0')) return undefined;
  if (text.startsWith('/') && existsSync(text)) return { verifies: true, certificates: text };
  const flag = booleanOf(text);
  return flag === undefined ? undefined : { verifies: flag, certificates: undefined };
}

export async function tlsSettings({
  verifies,
  certificates,
  minimumVersion,
  ciphers,
}: Trust): Promise<TlsSettings> {
  return {
    rejectUnauthorized: verifies,
    ...(certificates !== undefined && { ca: await certificatesIn(certificates) }),
    ...(minimumVersion !== undefined && { minVersion: `TLSv${minimumVersion}` as const }),
    ...(ciphers !== undefined && { ciphers }),
  };
}

/** Throws InvalidParameter when the file or directory has no certificate that can be read. */
async function certificatesIn(place: string): Promise<string> {
  const isDirectory = (await stat(place)).isDirectory();
  const names = isDirectory ? await readdir(place) : [''];
  const texts = await Promise.all(
    names.map((name) => readFile(path.join(place, name), 'utf8').catch(() => '')),
  );
  const certificates = texts.filter((text) => text.includes('-----BEGIN CERTIFICATE-----')).join('\n');
  if (certificates !== '') return certificates;
  throw fault('InvalidParameter', {
    name: 'redfish_verify_ca',
    reason: `${place} has no certificate in PEM format that the daemon can read; correct the path, or its permissions`,
  });
}
