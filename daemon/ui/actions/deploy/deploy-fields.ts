// The fields of the form Deploy, and the request that they make: the one that `ironic-edge node deploy` or `rebuild` sends.
import type { Json, JsonObject } from '../../../model/json.ts';
import { keyLines } from '../../../model/instance/public-key.ts';
import { bondModes, type NetworkPlan } from '../../../model/instance/network-data.ts';

/** The fields with one value, as the visitor typed them; empty if nothing was typed. */
const SINGLE = [
  'image',
  'image_url',
  'image_checksum',
  'profile',
  'hostname',
  'keys',
  'addresses',
  'gateways',
  'dns',
  'bond',
  'vlan',
  'mtu',
  'user_data',
  'disk',
  'raid',
  'kexec',
] as const;
/** The fields with several choices. */
const MULTIPLE = ['key', 'card', 'trait'] as const;

type SingleField = (typeof SINGLE)[number];
export type DeployField = SingleField | (typeof MULTIPLE)[number];

export interface DeployFields
  extends
    Readonly<Record<SingleField, string>>,
    Readonly<Record<(typeof MULTIPLE)[number], readonly string[]>> {
  readonly verb: DeployVerb | undefined;
}

/** `active` brings an instance onto an available machine, `rebuild` installs that of a machine in use again. */
export type DeployVerb = 'active' | 'rebuild';

export function deployFieldsIn(form: URLSearchParams): DeployFields {
  const verb = form.get('verb');
  return {
    ...(Object.fromEntries(SINGLE.map((name) => [name, oneIn(form, name)])) as Record<SingleField, string>),
    key: form.getAll('key'),
    card: form.getAll('card'),
    trait: form.getAll('trait'),
    verb: verb === 'active' || verb === 'rebuild' ? verb : undefined,
  };
}

/** Browsers send line breaks as CRLF. A document ends with a line break, as files do. */
function oneIn(form: URLSearchParams, name: SingleField): string {
  const text = (form.get(name) ?? '').replaceAll('\r\n', '\n');
  if (name !== 'user_data') return text.trim();
  const document = text.trimStart();
  return document === '' || document.endsWith('\n') ? document : `${document}\n`;
}

/** What the form asks of each machine, whichever machine it is. */
export interface DeployRequest {
  readonly verb: DeployVerb;
  /** What the API calls `instance`, without the place of the machine. */
  readonly instance: JsonObject;
  readonly deploySteps: readonly JsonObject[];
}

export function deployRequest(verb: DeployVerb, fields: DeployFields): DeployRequest {
  const said: readonly (readonly [string, Json])[] = [
    ['profile', fields.profile],
    ['image', fields.image_url === '' ? fields.image : fields.image_url],
    ['image_checksum', fields.image_checksum],
    ['hostname', fields.hostname],
    ['ssh_keys', [...fields.key, ...keyLines(fields.keys)]],
    ['user_data', fields.user_data],
    ['network', networkOf(fields)],
    ['root_device', hintsIn(fields.disk)],
    ['traits', [...fields.trait]],
    ['kexec', fields.kexec === 'true' || (fields.kexec === 'false' ? false : fields.kexec)],
  ];
  return {
    verb,
    instance: Object.fromEntries(
      said.filter(([, value]) => (Array.isArray(value) ? value.length > 0 : value !== '')),
    ),
    deploySteps: fields.raid === '' ? [] : [raidStep(fields.raid)],
  };
}

/** A text that is no JSON is left as it is: the check of hints says what is wrong with it. */
function hintsIn(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

/** The body of the API's request for one machine. `number`: its place among `machines`, from 1. */
export function deployBody(
  { verb, instance, deploySteps }: DeployRequest,
  number: number,
  machines: number,
): JsonObject {
  return {
    target: verb,
    ...(Object.keys(instance).length > 0 && { instance: { ...instance, number, machines } }),
    ...(deploySteps.length > 0 && { deploy_steps: [...deploySteps] }),
  };
}

const wordsIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter((word) => word !== '');

/** One link; none if nothing is said of it. */
function networkOf(fields: DeployFields): NetworkPlan[] {
  const { card, vlan, mtu } = fields;
  const [addresses, gateways, dns] = [
    wordsIn(fields.addresses),
    wordsIn(fields.gateways),
    wordsIn(fields.dns),
  ];
  const bond = bondModes.find((mode) => mode === fields.bond);
  const said = [...addresses, ...gateways, ...dns, ...card, fields.bond, vlan, mtu];
  if (said.every((text) => text === '')) return [];
  return [
    {
      ...(card.length > 0 && { cards: card.map(Number) }),
      ...(bond !== undefined && { bond }),
      ...(vlan !== '' && { vlan: Number(vlan) }),
      ...(mtu !== '' && { mtu: Number(mtu) }),
      addresses,
      ...(gateways.length > 0 && { gateways }),
      ...(dns.length > 0 && { dns }),
    },
  ];
}

export const raidLevels = ['0', '1', '5', '6', '1+0'] as const;
/** Before the image is written, which has priority 80. */
const RAID_PRIORITY = 90;

/** The agent makes one volume of all disks, for the image. */
const raidStep = (level: string): JsonObject => ({
  interface: 'raid',
  step: 'apply_configuration',
  priority: RAID_PRIORITY,
  args: {
    raid_config: {
      logical_disks: [{ size_gb: 'MAX', raid_level: level, controller: 'software', is_root_volume: true }],
    },
  },
});
