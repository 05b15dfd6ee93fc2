// The certificate that the API shows, and how it is exchanged while connections are open.
import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import type { Config } from '../config/core-sections.ts';
import type { Logger } from '../lib/logger.ts';
import { reloaded } from '../lib/reloaded.ts';
import { readSecretFile } from '../lib/secret-file.ts';

export type TlsOptions = Pick<Config['api'], 'cert_file' | 'key_file' | 'tls_minimum_version'>;

export interface Certificate {
  /** What new connections are answered with. */
  readonly current: () => SecureContextOptions;
  /** From now on, what `current` gives is what `server` uses. */
  attach(server: Server): void;
}

/** Throws a sentence when certificate and key cannot be used. */
export function openCertificate(options: TlsOptions, log: Logger): Certificate {
  const { cert_file: certFile, key_file: keyFile } = options;
  if (certFile === null || keyFile === null) {
    const missing = certFile === null ? 'cert_file' : 'key_file';
    throw new Error(`TLS is on ([api] enable_ssl_api), but [api] ${missing} is not set.`);
  }
  const version = `TLSv${options.tls_minimum_version}` as const;
  const current = reloaded(
    [certFile, keyFile],
    () => {
      const context = { ...readPair(certFile, keyFile), minVersion: version };
      const { validTo } = new X509Certificate(context.cert);
      log.info({ cert_file: certFile, valid_to: validTo }, 'certificate read');
      return context;
    },
    (error) =>
      log.error({ cert_file: certFile, error }, 'certificate not usable; the one before it stays in use'),
  );
  return {
    current,
    attach(server) {
      let used = current();
      // before the server's own listener, which begins the handshake
      server.prependListener('connection', () => {
        const latest = current();
        if (latest === used) return;
        used = latest;
        server.setSecureContext(latest);
      });
    },
  };
}

function readPair(certFile: string, keyFile: string): { readonly cert: string; readonly key: string } {
  try {
    const pair = { cert: readFileSync(certFile, 'utf8'), key: readSecretFile(keyFile) };
    createSecureContext(pair);
    return pair;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The certificate ${certFile} and the key ${keyFile} ([api] cert_file, key_file) cannot be used: ${reason}`,
      { cause: error },
    );
  }
}
