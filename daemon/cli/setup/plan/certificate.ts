// The certificate of the API: the operator's own, or one that the host signs itself.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmodSync, chownSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { hostname } from 'node:os';
import { readSecretFile } from '../../../lib/files/secret-file.ts';
import { reasonOf } from '../../../model/faults.ts';
import type { HostChange } from '../change.ts';
import { must, type Host } from '../host/host.ts';
import { CERTIFICATE, KEY } from '../paths.ts';
import type { PlanParts } from './plan-parts.ts';

/** Browsers refuse certificates of servers that are valid for longer. */
const DAYS = 825;

/**
 * Returns the change that makes the certificate; undefined when it is there, or when the API uses another one. Throws when that other
 * one cannot be used.
 */
export async function certificateChange({
  host,
  progress,
  group,
  isService,
  loaded,
}: PlanParts): Promise<HostChange | undefined> {
  const { enable_ssl_api: isOn, cert_file: certificate, key_file: key, host_ip: address } = loaded.config.api;
  if (!isOn || certificate === null || key === null) return undefined;
  if (certificate !== CERTIFICATE || key !== KEY) {
    await check(host, { certificate, key, isService });
    return undefined;
  }
  const [madeCertificate, madeKey] = [host.root + CERTIFICATE, host.root + KEY];
  // the key first: a certificate without its key is one that was not finished
  if (existsSync(madeCertificate) && existsSync(madeKey)) return undefined;
  return {
    id: 'certificate',
    says: `makes a certificate for the API at ${address}, signed by itself: ${CERTIFICATE}, ${KEY}`,
    shows: [],
    prepare: async () => ({
      kind: 'files',
      paths: [CERTIFICATE, KEY]
        .flatMap((path) => [path, `${path}.new`])
        .filter((path) => !existsSync(host.root + path)),
    }),
    async apply() {
      const options = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -batch'.split(' ');
      const names = `subjectAltName=DNS:${hostname()},DNS:localhost,IP:${address},IP:127.0.0.1`;
      const subject = ['-days', String(DAYS), '-subj', `/CN=${hostname().slice(0, 64)}`, '-addext', names];
      const files = ['-keyout', `${madeKey}.new`, '-out', `${madeCertificate}.new`];
      await must(host, ['openssl', ...options, ...subject, ...files]);
      for (const file of [madeKey, madeCertificate]) {
        if (process.getuid?.() === 0) chownSync(`${file}.new`, 0, group);
        chmodSync(`${file}.new`, 0o640);
        renameSync(`${file}.new`, file);
      }
      progress.say(
        `  its fingerprint (SHA-256): ${new X509Certificate(readFileSync(madeCertificate)).fingerprint256}`,
      );
    },
  };
}

async function check(
  host: Host,
  {
    certificate,
    key,
    isService,
  }: { readonly certificate: string; readonly key: string; readonly isService: boolean },
): Promise<void> {
  const advice = `Correct the files ${certificate} and ${key}, or name others with --tls-certificate and --tls-key.`;
  let fits: boolean;
  try {
    fits = new X509Certificate(readFileSync(host.root + certificate)).checkPrivateKey(
      createPrivateKey(readSecretFile(host.root + key)),
    );
  } catch (error) {
    throw new Error(`Certificate and key of the API cannot be used: ${reasonOf(error)}. ${advice}`, {
      cause: error,
    });
  }
  if (!fits) throw new Error(`The key does not belong to the certificate. ${advice}`);
  if (!isService) return;
  for (const file of [certificate, key]) {
    const { status } = await host.run(['runuser', '-u', 'ironic-edge', '--', 'test', '-r', file]);
    if (status !== 0)
      throw new Error(
        `The daemon's user cannot read ${file}. Run: chgrp ironic-edge ${file}; chmod 640 ${file}; its folders must let the user pass`,
      );
  }
}
