// Public keys for ssh, as lines of an authorized_keys file (sshd(8)).
import { fault } from '../faults.ts';

const TYPES = [
  'ssh-ed25519',
  'ssh-rsa',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'sk-ssh-ed25519@openssh.com',
  'sk-ecdsa-sha2-nistp256@openssh.com',
];
const LONGEST = 16_384;

const wrong = (reason: string) => fault('InvalidParameter', { name: 'ssh_keys', reason });

/** Returns the line without white space around it. Throws InvalidParameter when it is no public key; the text is not repeated. */
export function publicKey(line: string): string {
  const key = line.trim();
  if (key.includes('PRIVATE KEY'))
    throw wrong(
      'this is a private key, which never leaves its owner. Give the public key, in the file that ends with .pub',
    );
  const words = key.split(/\s+/);
  const at = words.findIndex((word) => TYPES.includes(word));
  const [type, base64] = [words[at], words[at + 1]];
  if (at < 0 || type === undefined || base64 === undefined || key.length > LONGEST || key.includes('\n'))
    throw wrong(`expected one line as in a .pub file: one of ${TYPES.join(', ')}, then the key in base64`);
  if (innerType(base64) !== type)
    throw wrong(
      `the key of type ${type} is damaged: it was cut, or a character is missing. Copy the whole line of the .pub file`,
    );
  return key;
}

/** Returns the type inside of a key; undefined when the key is cut. Each of its fields begins with its length (RFC 4253, 6.6). */
function innerType(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64');
  let at = 0;
  let first: string | undefined;
  while (at < bytes.length) {
    if (at + 4 > bytes.length) return undefined;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return undefined;
    first ??= bytes.toString('latin1', at + 4, end);
    at = end;
  }
  return first;
}

/** Returns the public keys in the text of an authorized_keys or .pub file; comments and empty lines are left out. */
export const keyLines = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
