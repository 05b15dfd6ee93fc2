// Random passwords for BMCs.
import { randomInt } from 'node:crypto';

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';

export interface PasswordForm {
  readonly length: number;
  /** One of these characters is in the password; empty: only letters and digits are. */
  readonly special: string;
}

/**
 * The forms in the order in which they are tried while the BMC says that its rules refuse the password. The first one suits IPMI
 * (16 bytes), Redfish and the pages of BMCs of all vendors. The others: rules that count only some characters as special, rules that
 * want more or fewer characters, and rules that allow no special ones.
 */
export const passwordForms: readonly PasswordForm[] = [
  { length: 16, special: '-_.' },
  { length: 16, special: '!#*+' },
  { length: 20, special: '-_.' },
  { length: 12, special: '-_.' },
  { length: 16, special: '' },
];

/**
 * Returns a password with upper and lower case, a digit and a special character, none twice in a row, and without the user name.
 */
export function newPassword(username: string, { length, special }: PasswordForm): string {
  const kinds = [UPPER, LOWER, DIGITS];
  for (;;) {
    const characters = Array.from({ length }, () => oneOf(kinds.join('')));
    // not at the ends, where a script could take it for an option
    if (special !== '') characters[1 + randomInt(length - 2)] = oneOf(special);
    const password = characters.join('');
    const hasAll = kinds.every((kind) => characters.some((each) => kind.includes(each)));
    const isNamed = username !== '' && password.toLowerCase().includes(username.toLowerCase());
    if (hasAll && !isNamed && !/(.)\1/.test(password)) return password;
  }
}

const oneOf = (characters: string): string => characters.charAt(randomInt(characters.length));
