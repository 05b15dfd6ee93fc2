// The thread in which passwords are checked: bcrypt takes a tenth of a second and more, by design.
import { compareSync } from 'bcryptjs';

export interface Credentials {
  readonly password: string;
  readonly digest: string;
}

export function matches({ password, digest }: Credentials): boolean {
  return compareSync(password, digest);
}
