// Reads what the form shows that enrols a machine of the inbox.
import type { ReadServices } from '../services.ts';

export interface Enrolment {
  /** The MAC address of the machine. */
  readonly machine: string;
  readonly name: string;
  readonly driver: string;
  readonly address: string;
  readonly username: string;
  readonly drivers: readonly string[];
  /** Why the form is shown again; undefined the first time. */
  readonly refusal: string | undefined;
}

/** Returns the form, filled in with `given`. `refusal`: why the form is shown again. */
export function readEnrolment(
  { registry }: ReadServices,
  given: URLSearchParams,
  refusal?: string,
): Enrolment {
  const text = (name: string) => given.get(name) ?? '';
  return {
    machine: text('machine'),
    name: text('name'),
    driver: text('driver'),
    address: text('address'),
    username: text('username'),
    drivers: [...registry.hardwareTypes.keys()].toSorted(),
    refusal,
  };
}
