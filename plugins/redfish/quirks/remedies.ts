// The remedies for BMCs that differ from the specification.
import { isJsonObject, type JsonObject } from '#plugin-api';

export interface Remedies {
  /** The name of a resource below the system that takes `Boot` although the system does not link it. */
  readonly bootSettings: string;
  /** Whether BootSourceOverrideEnabled is sent when it changes, or always. */
  readonly bootEnabled: 'changed' | 'always';
  /** Target, Enabled and Mode are sent together. */
  readonly bootFull: boolean;
  /** The boot mode is set again after each change of the boot device. */
  readonly bootModeAgain: boolean;
  /** The boot target for virtual media; auto: UsbCd where the BMC offers it, or else Cd. */
  readonly bootCd: 'Cd' | 'UsbCd' | 'auto';
  /** `once`: the BMC keeps a boot device for one boot only, so a persistent one is set again before each power-on. */
  readonly persistent: 'continuous' | 'once';
  /** Virtual media slots to use, in this order; empty: all that take the medium. */
  readonly mediaSlots: readonly string[];
  /** The properties that must be sent with the URL of an image. */
  readonly insertNeeds: readonly string[];
  /** Whether an ISO configuration beside the slots mounts images, where no slot takes them. */
  readonly isoConfiguration: boolean;
  /** The name of the resource below Bios that takes changes although the BIOS does not link it. */
  readonly biosSettings: string;
  /** What to use in place of a reset type: {"GracefulRestart": ["GracefulShutdown", "On"]}. */
  readonly resets: Readonly<Record<string, readonly string[]>>;
  /** The least time limit of a power change, in seconds. */
  readonly powerSeconds: number;
  /** Whether collections are read together with their members, where the BMC says that it can. */
  readonly expand: boolean;
  /** A sentence for operators, shown when virtual media fail. */
  readonly mediaHint: string;
}

export const usual: Remedies = {
  bootSettings: '',
  bootEnabled: 'changed',
  bootFull: false,
  bootModeAgain: false,
  bootCd: 'Cd',
  persistent: 'continuous',
  mediaSlots: [],
  insertNeeds: [],
  isoConfiguration: false,
  biosSettings: '',
  resets: {},
  powerSeconds: 0,
  expand: true,
  mediaHint: '',
};

const choices: Readonly<Record<string, readonly string[]>> = {
  bootEnabled: ['changed', 'always'],
  bootCd: ['Cd', 'UsbCd', 'auto'],
  persistent: ['continuous', 'once'],
};

/** Throws an Error whose message says what is expected. */
export function remediesIn(given: JsonObject): Partial<Remedies> {
  for (const [name, value] of Object.entries(given)) {
    const sample = Object.hasOwn(usual, name) ? usual[name as keyof Remedies] : undefined;
    if (sample === undefined)
      throw new Error(`one of the remedies ${Object.keys(usual).join(', ')}, not ${name}`);
    const words = choices[name];
    if (words !== undefined && !words.some((word) => word === value))
      throw new Error(`${name} to be one of ${words.join(', ')}`);
    if (!isLike(sample, value)) throw new Error(`${name} to be ${kindOf(sample)}`);
  }
  return given;
}

function isLike(sample: unknown, value: unknown): boolean {
  if (Array.isArray(sample)) return Array.isArray(value) && value.every((each) => typeof each === 'string');
  if (isJsonObject(sample))
    return isJsonObject(value) && Object.values(value).every((each) => isLike([], each));
  return typeof sample === typeof value;
}

function kindOf(sample: unknown): string {
  if (Array.isArray(sample)) return 'a list of texts';
  return typeof sample === 'object' ? 'an object with lists of texts' : `a ${typeof sample}`;
}
