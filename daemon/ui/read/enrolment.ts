// The page that enrols a machine of the inbox.
import type { Services } from '../../conductor/services.ts';
import { enrolView } from '../views/enrol.ts';
import type { View } from '../views/layout.ts';

/** Returns the form, filled in with `given`. `refusal`: why the form is shown again. */
export function enrolPage({ registry }: Services, given: URLSearchParams, refusal?: string): View {
  const text = (name: string) => given.get(name) ?? '';
  const shown = {
    machine: text('machine'),
    name: text('name'),
    driver: text('driver'),
    address: text('address'),
    username: text('username'),
    drivers: [...registry.hardwareTypes.keys()].toSorted(),
    refusal,
  };
  return { title: 'Enrol a machine', body: enrolView(shown) };
}
