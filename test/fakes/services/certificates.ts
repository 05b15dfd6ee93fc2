// Certificates for 127.0.0.1 and localhost, issued by a test authority with openssl and valid until 2120.
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

const fixtures = path.join(import.meta.dirname, '..', '..', 'fixtures', 'tls');

/** The certificate that clients trust. */
export const authority = (): string => readFileSync(path.join(fixtures, 'authority.pem'), 'utf8');

export interface CertificateFiles {
  readonly directory: string;
  readonly cert: string;
  readonly key: string;
  /** Replaces the certificate and then the key, each atomically. */
  install(name: 'first' | 'second'): void;
}

function replace(from: string, to: string): void {
  copyFileSync(path.join(fixtures, from), `${to}.new`);
  chmodSync(`${to}.new`, 0o600);
  renameSync(`${to}.new`, to);
}

/** Files of the certificate `first`, removed when the test ends. */
export function certificateFiles(test: Pick<TestContext, 'after'>): CertificateFiles {
  const directory = mkdtempSync(path.join(tmpdir(), 'certificates-'));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  const cert = path.join(directory, 'cert.pem');
  const key = path.join(directory, 'key.pem');
  const install = (name: 'first' | 'second') => {
    replace(`${name}.pem`, cert);
    replace(`${name}-key.pem`, key);
  };
  install('first');
  return { directory, cert, key, install };
}
