// The TLS certificate of a listener, reloaded when its files change; open connections are not closed.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Config } from '../config/sections/core-sections.ts';
import type { Logger } from '../lib/logger.ts';
import { reloaded } from '../lib/files/reloaded.ts';
import { readSecretFile } from '../lib/files/secret-file.ts';
import { reasonOf } from '../model/faults.ts';

export type TlsOptions = Pick<Config['api'], 'cert_file' | 'key_file' | 'tls_minimum_version'>;

/**
 * Returns a function that returns the TLS options of new connections. Throws when the certificate or the key is unusable.
 * `section`: the section of the configuration that sets `options`.
 */
export function openCertificate(
  options: TlsOptions,
  section: string,
  log: Logger,
): () => SecureContextOptions {
  const { cert_file: certFile, key_file: keyFile } = options;
  if (certFile === null || keyFile === null) {
    const missing = certFile === null ? 'cert_file' : 'key_file';
    throw new Error(`TLS is on ([${section}] enable_ssl_api), but [${section}] ${missing} is not set.`);
  }
  const minVersion = `TLSv${options.tls_minimum_version}` as const;
  return reloaded(
    [certFile, keyFile],
    () => {
      const pair = readPair(certFile, keyFile, section);
      log.info({ file: certFile, valid_to: new X509Certificate(pair.cert).validTo }, 'certificate read');
      return { ...pair, minVersion };
    },
    (error) =>
      log.error({ reason: reasonOf(error) }, 'cannot use the certificate; the previous one stays in use'),
  );
}

function readPair(
  certFile: string,
  keyFile: string,
  section: string,
): { readonly cert: string; readonly key: string } {
  try {
    const pair = { cert: readFileSync(certFile, 'utf8'), key: readSecretFile(keyFile) };
    createSecureContext(pair);
    return pair;
  } catch (error) {
    throw new Error(
      `The certificate ${certFile} and the key ${keyFile} ([${section}] cert_file, key_file) cannot be used: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

/** Makes each new connection to `server` use the options that `current` returns; open connections keep theirs. */
export function keepCurrent(server: Server, current: () => SecureContextOptions): void {
  let used = current();
  // runs before the server's own listener, which starts the handshake
  server.prependListener('connection', () => {
    const latest = current();
    if (latest === used) return;
    used = latest;
    server.setSecureContext(latest);
  });
}
