// The command line that does what the form Deploy does.
import type { NetworkPlan } from '../../../model/instance/network-data.ts';
import type { Json } from '../../../model/json.ts';
import type { DeployRequest } from './deploy-fields.ts';

/** `nodes`: their names or UUIDs, in the order of their numbers. The text may have several lines, for the user data. */
export function deployCommand(
  { verb, instance, deploySteps }: DeployRequest,
  nodes: readonly string[],
): string {
  const { user_data: userData, ...rest } = instance;
  const options = Object.entries(rest).flatMap(([name, value]) => optionsFor(name, value ?? null));
  const words = [
    `ironic-edge node ${verb === 'active' ? 'deploy' : 'rebuild'}`,
    ...nodes.map(quoted),
    ...options.map(([option, value]) => `${option} ${quoted(value)}`),
    ...(deploySteps.length === 0 ? [] : [`--deploy-steps ${quoted(JSON.stringify(deploySteps))}`]),
  ];
  return typeof userData === 'string' ? withDocument(words.join(' '), userData) : words.join(' ');
}

const OPTIONS: Readonly<Record<string, string>> = {
  profile: '--profile',
  image: '--image',
  image_checksum: '--image-checksum',
  hostname: '--hostname',
  ssh_keys: '--ssh-key',
  network: '--network',
  root_device: '--root-device',
  traits: '--trait',
  kexec: '--kexec',
};

function optionsFor(name: string, value: Json): readonly (readonly [string, string])[] {
  const values = Array.isArray(value) ? (value as readonly Json[]) : [value];
  return values.map((each) => [OPTIONS[name] ?? `--${name}`, wordFor(name, each)] as const);
}

function wordFor(name: string, value: Json): string {
  if (name === 'network') return linkText(value as NetworkPlan);
  if (name === 'kexec') return value === true ? 'yes' : 'no';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A link as `--network` takes it: `address=10.0.0.{n}/24,gateway=10.0.0.1`. */
function linkText({ cards = [], bond, vlan, mtu, addresses, gateways = [], dns = [] }: NetworkPlan): string {
  const parts: readonly (readonly [string, readonly (string | number | undefined)[]])[] = [
    ['card', cards],
    ['bond', [bond]],
    ['vlan', [vlan]],
    ['mtu', [mtu]],
    ['address', addresses],
    ['gateway', gateways],
    ['dns', dns],
  ];
  return parts
    .flatMap(([word, values]) => values.flatMap((value) => (value === undefined ? [] : [`${word}=${value}`])))
    .join(',');
}

/** Quotes a word for a POSIX shell. */
const quoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** The user data, which end with a line break, are what the command reads from its standard input. */
function withDocument(command: string, document: string): string {
  const lines = new Set(document.split('\n'));
  let end = 'END';
  while (lines.has(end)) end += '_';
  return `${command} --user-data - <<'${end}'\n${document}${end}`;
}
