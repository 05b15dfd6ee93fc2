// The remedies for BMCs that differ from the specification.
import { isJsonObject, type JsonObject } from '#plugin-api';

export interface Remedies {
  /** The name of the resource below the system that accepts `Boot`, if the system does not link this resource. */
  readonly bootSettings: string;
  /** Whether BootSourceOverrideEnabled is sent only when it changes, or always. */
  readonly bootEnabled: 'changed' | 'always';
  /** Whether Target, Enabled and Mode are always sent together. */
  readonly bootFull: boolean;
  /** Whether the boot mode is sent again with each change of the boot device. */
  readonly bootModeAgain: boolean;
  /** The boot target for virtual media. `auto`: UsbCd if the BMC offers it, otherwise Cd. */
  readonly bootCd: 'Cd' | 'UsbCd' | 'auto';
  /** `once`: the BMC keeps a boot device for one boot only, so a persistent one is set again before each power-on. */
  readonly persistent: 'continuous' | 'once';
  /** The virtual media slots to use, in this order; empty: all slots that accept the medium. */
  readonly mediaSlots: readonly string[];
  /** The properties that must be sent with the URL of an image. */
  readonly insertNeeds: readonly string[];
  /** Whether an ISO configuration beside the slots mounts images where no slot accepts them. */
  readonly isoConfiguration: boolean;
  /** The name of the resource below Bios that accepts changes, if the BIOS does not link this resource. */
  readonly biosSettings: string;
  /** The replacement for a reset type: {"On": ["PushPowerButton"]}. */
  readonly resets: Readonly<Record<string, readonly string[]>>;
  /** The least time limit of a power change, in seconds. */
  readonly powerSeconds: number;
  /** Whether collections are read together with their members, if the BMC says that it supports this. */
  readonly expand: boolean;
  /** The Ids of accounts that the BMC keeps for itself, also while they have no user name. */
  readonly reservedAccounts: readonly string[];
  /** The services that a new account may use, if the BMC wants to know. */
  readonly accountTypes: readonly string[];
  /** The privileges of a new account, if the BMC takes these of HPE and no role. */
  readonly accountPrivileges: readonly string[];
  /** The properties of the system that hold a serial number, besides SerialNumber. */
  readonly serialNumbersIn: readonly string[];
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
  reservedAccounts: [],
  accountTypes: [],
  accountPrivileges: [],
  serialNumbersIn: [],
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
