// The thread that checks passwords: bcrypt takes a tenth of a second or more, by design.
import { compareSync } from 'bcryptjs';

export interface Credentials {
  readonly password: string;
  readonly digest: string;
}

export function matches({ password, digest }: Credentials): boolean {
  return compareSync(password, digest);
}
