// OpenPGP keys that a test makes, and what they sign.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';

export function signingKeys(t: TestContext) {
  const home = mkdtempSync(path.join(tmpdir(), 'gpg-'));
  const gpg = (words: readonly string[], input = '') =>
    execFileSync('gpg', ['--batch', '--quiet', '--passphrase', '', ...words], {
      env: { ...process.env, GNUPGHOME: home, LC_ALL: 'C' },
      input,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
  t.after(() => {
    execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
    rmSync(home, { recursive: true, force: true });
  });
  const fingerprintOf = (name: string) =>
    /^fpr:+([0-9A-F]{40}):/m.exec(gpg(['--with-colons', '--list-keys', name]).toString())?.[1] ?? '';
  return {
    /** Makes a key that does not expire, or one that expired in 2020. Returns its fingerprint. */
    make(name: string, isExpired = false): string {
      const time = isExpired ? ['--faked-system-time', '20200101T000000'] : [];
      gpg([...time, '--quick-generate-key', name, 'ed25519', 'sign', isExpired ? '1d' : 'never']);
      return fingerprintOf(name);
    },
    armored: (name: string) => gpg(['--armor', '--export', name]).toString(),
    binary: (name: string) => gpg(['--export', name]),
    /** `expired`: signs as if the key had not expired yet. */
    sign(name: string, how: '--clearsign' | '--detach-sign', text: string, isExpired = false): Buffer {
      const file = path.join(home, 'text');
      writeFileSync(file, text);
      const time = isExpired ? ['--faked-system-time', '20200101T010000'] : [];
      gpg([...time, '--yes', '--local-user', name, how, '--output', `${file}.signed`, file]);
      return readFileSync(`${file}.signed`);
    },
  };
}
