// The thread that checks passwords: bcrypt takes a tenth of a second or more, by design. Commands also make digests with it.
import { compareSync, hashSync } from 'bcryptjs';

export interface Credentials {
  readonly password: string;
  readonly digest: string;
}

export function matches({ password, digest }: Credentials): boolean {
  return compareSync(password, digest);
}

const COST = 11;

/** Returns the digest of a new password, as `htpasswd -B` writes it. */
export const passwordDigest = (password: string): string => hashSync(password, COST);
