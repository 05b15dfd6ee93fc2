// The certificate that the API shows, and its exchange while connections are open.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Config } from '../config/core-sections.ts';
import type { Logger } from '../lib/logger.ts';
import { reloaded } from '../lib/reloaded.ts';
import { readSecretFile } from '../lib/secret-file.ts';
import { reasonOf } from '../model/faults.ts';

/** The result gives what new connections are to be shown. Throws a sentence when certificate and key cannot be used. */
export function openCertificate(options: Config['api'], log: Logger): () => SecureContextOptions {
  const { cert_file: certFile, key_file: keyFile } = options;
  if (certFile === null || keyFile === null) {
    const missing = certFile === null ? 'cert_file' : 'key_file';
    throw new Error(`TLS is on ([api] enable_ssl_api), but [api] ${missing} is not set.`);
  }
  const minVersion = `TLSv${options.tls_minimum_version}` as const;
  return reloaded(
    [certFile, keyFile],
    () => {
      const pair = readPair(certFile, keyFile);
      log.info({ file: certFile, valid_to: new X509Certificate(pair.cert).validTo }, 'certificate read');
      return { ...pair, minVersion };
    },
    (error) =>
      log.error({ reason: reasonOf(error) }, 'certificate not usable; the one before it stays in use'),
  );
}

function readPair(certFile: string, keyFile: string): { readonly cert: string; readonly key: string } {
  try {
    const pair = { cert: readFileSync(certFile, 'utf8'), key: readSecretFile(keyFile) };
    createSecureContext(pair);
    return pair;
  } catch (error) {
    throw new Error(
      `The certificate ${certFile} and the key ${keyFile} ([api] cert_file, key_file) cannot be used: ${reasonOf(error)}`,
      { cause: error },
    );
  }
}

/** From now on, each new connection to `server` is shown what `current` gives; open ones stay as they are. */
export function keepCurrent(server: Server, current: () => SecureContextOptions): void {
  let used = current();
  // before the server's own listener, which begins the handshake
  server.prependListener('connection', () => {
    const latest = current();
    if (latest === used) return;
    used = latest;
    server.setSecureContext(latest);
  });
}
