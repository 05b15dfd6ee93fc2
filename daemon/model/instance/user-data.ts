// The user data of an instance: a document that cloud-init runs or reads at its first boot.
import { parseYaml } from '../../lib/files/read-yaml.ts';
import { fault, reasonOf } from '../faults.ts';

/** What cloud-init knows by the first line of user data (its documentation, "User-data formats"), besides `#cloud-config`. */
const OTHER_FORMATS = [
  '#!',
  '#include',
  '#include-once',
  '#cloud-boothook',
  '#cloud-config-archive',
  '#cloud-config-jsonp',
  '#part-handler',
  '## template: jinja',
  'Content-Type: multipart/mixed',
  'MIME-Version:',
];
/** The drive has 64 MiB, but cloud-init reads user data into memory, and other programs accept far less. */
const LARGEST_BYTES = 1024 ** 2;
const HASH = /^\$(?:5|6|y|2[aby])\$[./0-9A-Za-z$=,]{20,200}$/;
const BOUNDARY = 'ironic-edge-user-data';

const wrong = (name: string, reason: string) => fault('InvalidParameter', { name, reason });

interface Given {
  readonly user_data?: string | null;
  readonly password_hash?: string | null;
}

/** Returns one document with the given user data and the password; undefined when there is neither. Throws InvalidParameter. */
export function userDataOf({ user_data, password_hash }: Given): string | undefined {
  const [userData, passwordHash] = [user_data ?? undefined, password_hash ?? undefined];
  if (userData !== undefined) checkUserData(userData);
  if (passwordHash === undefined) return userData;
  if (!HASH.test(passwordHash))
    throw wrong(
      'password_hash',
      'expected the hash of a password as in /etc/shadow, beginning with $6$, not the password itself',
    );
  const login = `#cloud-config\npassword: '${passwordHash}'\nchpasswd: {expire: false}\nssh_pwauth: false\n`;
  return userData === undefined ? login : multipart([login, userData]);
}

function checkUserData(text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes > LARGEST_BYTES)
    throw wrong(
      'user_data',
      `it has ${bytes} bytes, and at most ${LARGEST_BYTES} are accepted. Let the instance download what it needs`,
    );
  const [first = ''] = text.split('\n', 1);
  if (first.trimEnd() === '#cloud-config') return checkCloudConfig(text);
  if (OTHER_FORMATS.some((format) => first.startsWith(format))) return;
  throw wrong(
    'user_data',
    `its first line is ${JSON.stringify(first.slice(0, 80))}, and cloud-init would ignore it. Expected #cloud-config for YAML, or #! and an interpreter for a script`,
  );
}

function checkCloudConfig(text: string): void {
  let document: unknown;
  try {
    document = parseYaml(text);
  } catch (error) {
    throw wrong('user_data', `it is not YAML: ${reasonOf(error)}`);
  }
  if (document !== null && (typeof document !== 'object' || Array.isArray(document)))
    throw wrong(
      'user_data',
      'its YAML is no mapping. Expected lines such as "packages: [nginx]" after #cloud-config',
    );
}

function multipart(parts: readonly string[]): string {
  const each = parts.map(
    (part) =>
      `--${BOUNDARY}\nContent-Type: ${part.startsWith('#!') ? 'text/x-shellscript' : 'text/plain'}; charset="utf-8"\nMIME-Version: 1.0\n\n${part}\n`,
  );
  return `Content-Type: multipart/mixed; boundary="${BOUNDARY}"\nMIME-Version: 1.0\n\n${each.join('')}--${BOUNDARY}--\n`;
}
