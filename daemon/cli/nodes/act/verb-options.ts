// The options of verbs: their usage, and the body of the request that is made from them.
import type { Json, JsonObject } from '../../../model/json.ts';
import { FLAG, TEXT, WrongArguments } from '../../command.ts';
import { givenJson, readGivenFile } from '../../given-file.ts';
import { stepsFrom } from '../given-steps.ts';
import type { InstanceValues } from './instance-options.ts';
import { ends, type NodeVerb, type VerbOption } from './node-verbs.ts';

export interface VerbValues extends InstanceValues {
  readonly 'clean-steps'?: string;
  readonly 'deploy-steps'?: string;
  readonly 'service-steps'?: string;
  readonly runbook?: string;
  readonly 'disable-ramdisk'?: boolean;
  readonly 'config-drive'?: string;
  readonly 'password-file'?: string;
  readonly wait?: boolean;
  readonly timeout?: string;
}

interface Declared {
  readonly value?: string;
  /** Whether the option may be given several times. */
  readonly isRepeatable?: true;
  /** Whether a verb with this option requires it. */
  readonly isRequired?: true;
  readonly help: string;
}

const STEPS_HELP = 'the steps: a JSON file, - for standard input, or the JSON itself';

const declared: Readonly<Record<VerbOption | 'wait' | 'timeout', Declared>> = {
  'clean-steps': { value: 'FILE', help: STEPS_HELP },
  'deploy-steps': { value: 'FILE', help: STEPS_HELP },
  'service-steps': { value: 'FILE', help: STEPS_HELP },
  runbook: { value: 'RUNBOOK', help: 'a runbook (name or UUID) in place of steps' },
  'disable-ramdisk': { help: 'run the steps without booting the ramdisk' },
  'config-drive': {
    value: 'FILE',
    help: 'a file with JSON (meta_data, user_data and so on) or an image in base64; a URL; or the JSON itself',
  },
  'password-file': {
    value: 'FILE',
    isRequired: true,
    help: "the rescue system's password; - for standard input",
  },
  profile: {
    value: 'PROFILE',
    help: 'what a profile says of the instance (ironic-edge profile list); further options take precedence',
  },
  image: {
    value: 'IMAGE',
    help: 'a name in the catalogue of images (ironic-edge image list), or the URL of an image with --image-checksum',
  },
  'image-checksum': { value: 'CHECKSUM', help: "the image's checksum, or the URL of a file with checksums" },
  hostname: {
    value: 'NAME',
    help: '{n} becomes the number of the machine, {node} the name of its node: web-{n}',
  },
  'ssh-key': {
    value: 'FILE',
    isRepeatable: true,
    help: 'a public key for the login user of the image: a .pub file, or the key itself',
  },
  'user-data': {
    value: 'FILE',
    help: 'what cloud-init shall do: #cloud-config or a script; - for standard input',
  },
  'login-password-file': {
    value: 'FILE',
    help: "the password of the image's login user; only its hash leaves this command",
  },
  network: {
    value: 'LINK',
    isRepeatable: true,
    help: 'static addresses: address=10.0.0.{n}/24,gateway=10.0.0.1,dns=10.0.0.1; also mac=, card=, vlan=, mtu=, bond=802.3ad,card=2,card=3',
  },
  kexec: {
    value: 'yes|no',
    help: 'whether the ramdisk starts the instance, without a boot of the firmware',
  },
  'root-device': {
    value: 'HINTS',
    help: 'the disk for the image, as JSON: {"serial": "S3Z9NB0K"}, {"size": ">= 400", "rotational": false}',
  },
  trait: {
    value: 'TRAIT',
    isRepeatable: true,
    help: 'a trait that the instance requires; the deploy template of that name adds its steps',
  },
  wait: { help: 'wait for the end of the work, and show its progress; Ctrl-C ends only the wait' },
  timeout: { value: 'SECONDS', help: 'wait no longer than this' },
};

const namesOf = (verb: NodeVerb) => [...verb.options, ...(ends(verb) ? (['wait', 'timeout'] as const) : [])];

/** The options for the parser of a command. */
export const optionsOf = ({ options }: Pick<NodeVerb, 'options'>) =>
  Object.fromEntries(options.map((name) => [name, typeOf(declared[name])]));

const typeOf = ({ value, isRepeatable }: Declared) =>
  value === undefined ? FLAG : isRepeatable === true ? ({ ...TEXT, multiple: true } as const) : TEXT;

const optionText = (name: keyof typeof declared) =>
  ['--' + name, declared[name].value].filter(Boolean).join(' ');

const briefly = (name: keyof typeof declared) =>
  declared[name].isRequired === true ? optionText(name) : `[${optionText(name)}]`;

export function usageOf(words: string, verb: NodeVerb, end: string): string {
  const { brief, lines } = optionTexts(namesOf(verb));
  return `usage: ironic-edge node ${words} NODE...${brief} [--format FORMAT]

For each NODE (name or UUID): ${verb.about}.

${lines}${end}`;
}

/** Text for the usage of a command: the options behind its words, and a line on each. */
export function optionTexts(names: readonly (keyof typeof declared)[]) {
  const width = Math.max(...names.map((name) => optionText(name).length), 0);
  return {
    brief: names.map((name) => ` ${briefly(name)}`).join(''),
    lines: names.map((name) => `  ${optionText(name).padEnd(width)}  ${declared[name].help}\n`).join(''),
  };
}

/** Throws WrongArguments when a required option is missing, and another Error when a value cannot be read. */
export function verbBody(verb: NodeVerb, values: VerbValues): JsonObject {
  const { runbook, 'config-drive': drive, 'password-file': password } = values;
  const missing = verb.options.find(
    (name) => declared[name].isRequired === true && values[name] === undefined,
  );
  if (missing !== undefined) throw new WrongArguments(`--${missing} is missing`);
  return {
    target: verb.target,
    ...stepsIn(verb, values),
    ...(runbook !== undefined && { runbook }),
    ...(values['disable-ramdisk'] === true && { disable_ramdisk: true }),
    ...(drive !== undefined && { configdrive: driveFrom(drive) }),
    ...(password !== undefined && {
      rescue_password: readGivenFile('--password-file', password).toString().trimEnd(),
    }),
  };
}

/** The field of the body is called as the option is. */
function stepsIn({ options }: NodeVerb, values: VerbValues): JsonObject {
  const given = (['clean-steps', 'deploy-steps', 'service-steps'] as const).flatMap((name) => {
    const source = options.includes(name) ? values[name] : undefined;
    return source === undefined ? [] : [[name.replace('-', '_'), stepsFrom(`--${name}`, source)]];
  });
  return Object.fromEntries(given) as JsonObject;
}

function driveFrom(source: string): Json {
  if (URL.canParse(source) && source.includes('://')) return source;
  const isText = source.startsWith('{');
  const text = isText ? source : readGivenFile('--config-drive', source).toString().trim();
  if (!text.startsWith('{')) return text;
  const argument = isText ? '--config-drive' : `--config-drive ${source}`;
  return givenJson(argument, text, 'an object with meta_data, user_data, network_data or vendor_data');
}
