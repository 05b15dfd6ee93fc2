// The options of `node deploy` and `node rebuild` that describe the instance: image, host name, keys, user data, password, network.
import { existsSync } from 'node:fs';
import { shaCrypt } from '../../../lib/sha-crypt.ts';
import { booleanOf } from '../../../lib/words.ts';
import { bondModes, type NetworkPlan } from '../../../model/instance/network-data.ts';
import { keyLines, publicKey } from '../../../model/instance/public-key.ts';
import type { Json, JsonObject } from '../../../model/json.ts';
import { WrongArguments } from '../../command.ts';
import { givenJson, readGivenFile } from '../../given-file.ts';

export interface InstanceValues {
  readonly profile?: string;
  readonly image?: string;
  readonly 'image-checksum'?: string;
  readonly hostname?: string;
  readonly 'ssh-key'?: readonly string[];
  readonly 'user-data'?: string;
  readonly 'login-password-file'?: string;
  readonly network?: readonly string[];
  readonly kexec?: string;
  readonly 'root-device'?: string;
  readonly trait?: readonly string[];
}

const asItIs = (value: string): Json => value;

/** For each option: the field of the API, and how its value is read. */
const FIELDS: {
  readonly [Option in keyof InstanceValues]-?: readonly [
    name: string,
    read: (value: NonNullable<InstanceValues[Option]>) => Json,
  ];
} = {
  profile: ['profile', asItIs],
  image: ['image', asItIs],
  'image-checksum': ['image_checksum', asItIs],
  hostname: ['hostname', asItIs],
  'ssh-key': ['ssh_keys', (given) => given.flatMap(keysOf)],
  'user-data': ['user_data', (file) => readGivenFile('--user-data', file).toString()],
  'login-password-file': ['password_hash', (file) => hashOf(file)],
  network: ['network', (links) => links.map(networkPlan)],
  kexec: ['kexec', yesOrNo],
  'root-device': ['root_device', (text) => givenJson('--root-device', text, 'an object of hints')],
  trait: ['traits', (names) => [...names]],
};

/** The fields of the API that say nothing of what a config drive contains. */
const BESIDE_A_DRIVE = new Set(['image', 'image_checksum', 'kexec', 'root_device', 'traits']);

/** SHA-crypt takes time that grows with the square of the password's length. */
const LONGEST_PASSWORD = 128;

/**
 * Returns what the options say of the instance, as the API takes it; undefined if they say nothing. Throws WrongArguments for options
 * that contradict each other, and another Error for a file that cannot be read or has a private key.
 */
export function instanceIn(
  values: InstanceValues & { readonly 'config-drive'?: string },
): JsonObject | undefined {
  const said = Object.entries(FIELDS).flatMap(([option, [name, read]]) => {
    const value = values[option as keyof InstanceValues];
    return value === undefined ? [] : [[name, read(value as string & readonly string[])] as const];
  });
  if (said.length === 0) return undefined;
  if (values['image-checksum'] !== undefined && values.image === undefined)
    throw new WrongArguments('--image-checksum needs --image');
  const isImageAlone = said.every(([name]) => BESIDE_A_DRIVE.has(name));
  if (values['config-drive'] !== undefined && !isImageAlone)
    throw new WrongArguments(
      '--config-drive is a whole drive already. Put host name, keys, user data and network into it, or leave it out.',
    );
  return Object.fromEntries(said);
}

function yesOrNo(text: string): boolean {
  const answer = booleanOf(text);
  if (answer === undefined) throw new WrongArguments(`--kexec ${text}: expected yes or no`);
  return answer;
}

/** A private key is refused here already, so that it never leaves this command. */
const keysOf = (given: string): readonly string[] =>
  (given.includes(' ') && !existsSync(given)
    ? [given]
    : keyLines(readGivenFile('--ssh-key', given).toString())
  ).map(publicKey);

function hashOf(file: string): string {
  const password = readGivenFile('--login-password-file', file).toString().trimEnd();
  if (password !== '' && password.length <= LONGEST_PASSWORD) return shaCrypt('sha512', password);
  throw new WrongArguments(
    `--login-password-file ${file}: it has ${password.length} characters; expected 1 to ${LONGEST_PASSWORD}`,
  );
}

const WORDS = ['mac', 'card', 'bond', 'vlan', 'address', 'gateway', 'dns', 'route', 'mtu'] as const;

/** Reads `address=10.0.0.5/24,gateway=10.0.0.1,mac=...`; a word may be repeated. */
function networkPlan(text: string): NetworkPlan {
  const given = text.split(',').map((part) => {
    const [name = '', value = ''] = part.split(/=(.*)/s);
    if (WORDS.some((word) => word === name.trim()) && value !== '')
      return [name.trim(), value.trim()] as const;
    throw new WrongArguments(
      `--network ${text}: ${JSON.stringify(part)} is not understood. Expected NAME=VALUE with one of ${WORDS.join(', ')}`,
    );
  });
  const all = (name: (typeof WORDS)[number]) =>
    given.flatMap(([word, value]) => (word === name ? [value] : []));
  const number = (name: 'vlan' | 'mtu') => all(name).map(Number)[0];
  const [vlan, mtu, [bond]] = [number('vlan'), number('mtu'), all('bond')];
  const mode = bondModes.find((each) => each === bond);
  if (bond !== undefined && mode === undefined)
    throw new WrongArguments(`--network ${text}: bond=${bond} is not one of ${bondModes.join(', ')}`);
  return {
    ...some('macs', all('mac')),
    ...some('cards', all('card').map(Number)),
    ...(mode !== undefined && { bond: mode }),
    ...(vlan !== undefined && { vlan }),
    ...(mtu !== undefined && { mtu }),
    addresses: all('address'),
    ...some('gateways', all('gateway')),
    ...some('dns', all('dns')),
    ...some('routes', all('route').map(routeIn)),
  };
}

const some = <T>(name: string, list: readonly T[]) => (list.length === 0 ? {} : { [name]: list });

function routeIn(text: string) {
  const [network = '', via = ''] = text.split(' via ');
  return { network, via };
}
