// The options of verbs: their usage, and the body of the request that is made from them.
import type { Json, JsonObject } from '../../../model/json.ts';
import { FLAG, TEXT, WrongArguments } from '../../command.ts';
import { givenJson, readGivenFile } from '../../given-file.ts';
import { stepsArgument, stepsFrom } from '../given-steps.ts';
import type { NodeVerb, VerbOption } from './node-verbs.ts';

export interface VerbValues {
  readonly steps?: string;
  readonly runbook?: string;
  readonly 'disable-ramdisk'?: boolean;
  readonly 'config-drive'?: string;
  readonly 'password-file'?: string;
  readonly wait?: boolean;
  readonly timeout?: string;
}

interface Declared {
  readonly value?: string;
  /** Whether a verb with this option requires it. */
  readonly isRequired?: true;
  readonly help: string;
}

const declared: Readonly<Record<VerbOption | 'wait' | 'timeout', Declared>> = {
  steps: { value: 'FILE', help: 'the steps: a JSON file, - for standard input, or the JSON itself' },
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
  wait: { help: 'wait for the end of the work, and show its progress; Ctrl-C ends only the wait' },
  timeout: { value: 'SECONDS', help: 'wait no longer than this' },
};

const namesOf = ({ options, ends }: NodeVerb) => [
  ...options,
  ...(ends ? (['wait', 'timeout'] as const) : []),
];

export const optionsOf = ({ options }: NodeVerb) =>
  Object.fromEntries(options.map((name) => [name, declared[name].value === undefined ? FLAG : TEXT]));

const optionText = (name: keyof typeof declared) =>
  ['--' + name, declared[name].value].filter(Boolean).join(' ');

const briefly = (name: keyof typeof declared) =>
  declared[name].isRequired === true ? optionText(name) : `[${optionText(name)}]`;

export function usageOf(words: string, verb: NodeVerb, end: string): string {
  const names = namesOf(verb);
  const brief = names.map((name) => ` ${briefly(name)}`).join('');
  const width = Math.max(...names.map((name) => optionText(name).length), 0);
  const lines = names.map((name) => `  ${optionText(name).padEnd(width)}  ${declared[name].help}\n`).join('');
  return `usage: ironic-edge node ${words} NODE...${brief} [--format FORMAT]

For each NODE (name or UUID): ${verb.about}.

${lines}${end}`;
}

/** Throws WrongArguments when a required option is missing, and another Error when a value cannot be read. */
export function verbBody(verb: NodeVerb, values: VerbValues): JsonObject {
  const { steps, runbook, 'config-drive': drive, 'password-file': password } = values;
  const missing = verb.options.find(
    (name) => declared[name].isRequired === true && values[name] === undefined,
  );
  if (missing !== undefined) throw new WrongArguments(`--${missing} is missing`);
  return {
    target: verb.target,
    ...(steps !== undefined && { [stepsArgument(verb.target)]: stepsFrom(steps) }),
    ...(runbook !== undefined && { runbook }),
    ...(values['disable-ramdisk'] === true && { disable_ramdisk: true }),
    ...(drive !== undefined && { configdrive: driveFrom(drive) }),
    ...(password !== undefined && {
      rescue_password: readGivenFile('--password-file', password).toString().trimEnd(),
    }),
  };
}

function driveFrom(source: string): Json {
  if (URL.canParse(source) && source.includes('://')) return source;
  const isText = source.startsWith('{');
  const text = isText ? source : readGivenFile('--config-drive', source).toString().trim();
  if (!text.startsWith('{')) return text;
  const argument = isText ? '--config-drive' : `--config-drive ${source}`;
  return givenJson(argument, text, 'an object with meta_data, user_data, network_data or vendor_data');
}
