// Finds the quirks that apply to a BMC.
import { isJsonObject, type JsonObject } from '#plugin-api';
import { type Remedies, remediesIn } from './remedies.ts';

/** What is known of a BMC and its machine; undefined where the BMC does not say. */
export interface Identity {
  readonly vendor: string | undefined;
  readonly manufacturer: string | undefined;
  readonly model: string | undefined;
  readonly product: string | undefined;
  readonly managerModel: string | undefined;
  readonly firmware: string | undefined;
  /** The keys of `Oem` in the service root, separated by spaces. */
  readonly oem: string | undefined;
  /** The node's properties/vendor. */
  readonly recorded: string | undefined;
}

/** Which BMCs a quirk applies to: all given conditions must hold. */
type Condition = {
  /** The text must contain one of these parts; upper and lower case do not matter. */
  readonly [K in keyof Identity]?: readonly string[];
} & {
  /** The first firmware version without the quirk. */
  readonly firmwareBelow?: string;
};

export interface Quirk {
  readonly when: Condition;
  readonly reason: string;
  readonly set: Partial<Remedies>;
}

const TEXTS = 'vendor manufacturer model product managerModel firmware oem recorded';
const KEYS: readonly string[] = [...TEXTS.split(' '), 'firmwareBelow'];

export function concerns({ when }: Quirk, identity: Identity): boolean {
  const { firmwareBelow, ...parts } = when;
  const isOld = firmwareBelow === undefined || isBelow(identity.firmware, firmwareBelow);
  return (
    isOld && Object.entries(parts).every(([key, words]) => contains(identity[key as keyof Identity], words))
  );
}

function contains(text: string | undefined, words: readonly string[]): boolean {
  const lower = text?.toLowerCase() ?? '';
  return words.some((word) => lower.includes(word.toLowerCase()));
}

/** Compares the numbers in both versions, from the left. An unknown version does not count as below the limit. */
export function isBelow(version: string | undefined, limit: string): boolean {
  const [have, want] = [version ?? '', limit].map((text) => (text.match(/\d+/g) ?? []).map(Number)) as [
    number[],
    number[],
  ];
  if (have.length === 0) return false;
  const index = want.findIndex((part, place) => part !== (have[place] ?? 0));
  return index !== -1 && (have[index] ?? 0) < (want[index] ?? 0);
}

/** Reads a list of quirks. Throws an Error that names what is wrong. */
export function quirksIn(value: unknown): readonly Quirk[] {
  if (!Array.isArray(value)) throw new Error('expected a list of quirks');
  return value.map((each: unknown, index) => {
    try {
      return quirkIn(each);
    } catch (error) {
      throw new Error(`quirk ${index + 1}: expected ${(error as Error).message}`, { cause: error });
    }
  });
}

function quirkIn(value: unknown): Quirk {
  if (!isJsonObject(value)) throw new Error('an object with when, reason and set');
  const { when, reason, set } = value;
  if (!isJsonObject(when) || !isJsonObject(set) || typeof reason !== 'string')
    throw new Error('an object with when, reason and set');
  checkCondition(when);
  return { when, reason, set: remediesIn(set) };
}

function checkCondition(when: JsonObject): void {
  const unknown = Object.keys(when).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) throw new Error(`one of ${KEYS.join(', ')} in when, not ${unknown}`);
  for (const [key, words] of Object.entries(when)) {
    const isText = typeof words === 'string';
    const isWords = Array.isArray(words) && words.every((word) => typeof word === 'string');
    if (key === 'firmwareBelow' ? !isText : !isWords)
      throw new Error(`${key} in when to be ${key === 'firmwareBelow' ? 'a version' : 'a list of texts'}`);
  }
}
