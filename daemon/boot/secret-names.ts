// Names that cannot be guessed, for files that only one machine or its BMC may read: images, and files that hold secrets.
import { randomBytes } from 'node:crypto';

const FIRST_SEGMENT = 'secret';
const RANDOM_BYTES = 32;

/**
 * Returns a new name such as `secret/<43 random characters>/config_drive`. A client that knows the name may read what is
 * published under it. Publish each secret name under an owner of its own, and withdraw that owner when the machine no longer
 * needs the file.
 */
export const secretName = (label: string): string =>
  `${FIRST_SEGMENT}/${randomBytes(RANDOM_BYTES).toString('base64url')}/${label}`;

export const isSecretName = (name: string): boolean => name.split('/').includes(FIRST_SEGMENT);

/** The name as logs and events show it: without the random characters of a secret name. */
export function shownName(name: string): string {
  const segments = name.split('/');
  const secret = segments.indexOf(FIRST_SEGMENT);
  if (secret === -1) return name;
  const label = segments.slice(secret + 2).at(-1);
  return [...segments.slice(0, secret + 1), '***', ...(label === undefined ? [] : [label])].join('/');
}
