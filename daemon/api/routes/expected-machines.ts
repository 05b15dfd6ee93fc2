// /v1/expected_machines: machines that an operator expects, with the logins that their BMCs have from the factory.
import { isDeepStrictEqual } from 'node:util';
import { draftRecord } from '../../conductor/records/new-record.ts';
import {
  changeSimpleRecord,
  createSimpleRecord,
  type SimpleKind,
} from '../../conductor/records/simple-records.ts';
import type { Services } from '../../conductor/services.ts';
import {
  canonicalExpected,
  checkExpectedMachine,
  sameMachines,
} from '../../conductor/take-in/expected-machines.ts';
import { expectationsChanged } from '../../conductor/take-in/start-take-in.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { type Resource, resourceRoutes } from '../../http/resource.ts';
import { type Route, route } from '../../http/route.ts';
import { wholeSchema } from '../../http/schema-parts.ts';
import { Fault, fault } from '../../model/faults.ts';
import { MASK } from '../../model/secrets.ts';
import {
  type ExpectedMachine,
  expectedMachineFields,
  expectedMachineSummary,
} from '../../model/zero-touch/expected-machine.ts';
import { withCheckedName } from '../bodies/named-record.ts';
import { findExpectedMachine } from '../resource-identifiers.ts';

const kind: SimpleKind<ExpectedMachine> = {
  resource: 'expected machine',
  fields: expectedMachineFields,
  table: ({ db }) => db.expectedMachines,
};

export const expectedBodies = createBodies<ExpectedMachine>({
  resource: kind.resource,
  fields: expectedMachineFields,
  required: [],
  normalise({ name, ...given }) {
    const named = name == null ? { name: null } : withCheckedName(kind.resource, { name });
    return { ...canonicalExpected(given), ...(name !== undefined && named) };
  },
});

const expectedMachines: Resource<ExpectedMachine> = {
  title: 'ExpectedMachine',
  path: 'expected_machines',
  key: 'expected_machines',
  since: 1,
  namedIn: ({ db }) => db.expectedMachines,
  detailByArgument: true,
  fields: expectedMachineFields,
  summary: expectedMachineSummary,
  filters: {},
  shown: { bmc_password: ({ bmc_password: password }) => (password === null ? null : MASK) },
  list: ({ services }, names, paging) => services.db.expectedMachines.list(names, [], paging),
  find: ({ services }, identifier) => findExpectedMachine(services, identifier),
  create({ services, body, minor }) {
    const created = createExpected(services, expectedBodies.fromPost(body, minor));
    expectationsChanged(services);
    return created;
  },
  bodies: expectedBodies,
  change({ services }, record, changesOf) {
    checkExpectedMachine(services, { ...record, ...changesOf(record) });
    const changed = changeSimpleRecord(services, kind, record, changesOf(record));
    expectationsChanged(services);
    return changed;
  },
  remove: ({ services }, { uuid }) => void services.db.expectedMachines.remove(uuid),
};

/** Throws what makes the machine impossible, or one that the list has already. */
export function createExpected(services: Services, given: Partial<ExpectedMachine>): ExpectedMachine {
  checkExpectedMachine(services, draftRecord<ExpectedMachine>(expectedMachineFields, given));
  return createSimpleRecord(services, kind, given);
}

const numberSchema = { type: 'integer' };
/** Each machine is compared with all that are expected, so that a longer list would keep other requests waiting for minutes. */
const MOST_IMPORTED = 1000;

/** Stores all machines of the list, or none. A machine that the list says something new of gets the values of the list. */
const importRoute = route({
  method: 'POST',
  path: '/v1/expected_machines/import',
  since: 1,
  body: { json: { type: 'array', maxItems: MOST_IMPORTED, items: expectedBodies.postSchema } },
  answers: { 200: wholeSchema({ created: numberSchema, changed: numberSchema, unchanged: numberSchema }) },
  handler({ services, body, minor }) {
    const machines = listIn(body);
    const counts = { created: 0, changed: 0, unchanged: 0 };
    const seen = new Set<string>();
    services.db.transaction(() => {
      for (const [index, machine] of machines.entries())
        counts[
          blaming(index + 1, () => importOne(services, expectedBodies.fromPost(machine, minor), seen))
        ] += 1;
    });
    expectationsChanged(services);
    return { status: 200, body: counts };
  },
});

function listIn(body: unknown): readonly unknown[] {
  if (Array.isArray(body) && body.length > 0 && body.length <= MOST_IMPORTED) return body;
  throw fault('Invalid', { reason: `Expected a list of 1 to ${MOST_IMPORTED} machines.` });
}

/** Adds the place of the machine to a fault of `work`. */
function blaming<T>(place: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw fault('ExpectedMachineRefused', { place, reason: error.message }, { cause: error });
  }
}

/** `seen`: the UUIDs of the machines of the list so far. Throws ExpectedMachineTwice for a machine that the list has twice. */
function importOne(
  services: Services,
  given: Partial<ExpectedMachine>,
  seen: Set<string>,
): 'created' | 'changed' | 'unchanged' {
  const draft = draftRecord<ExpectedMachine>(expectedMachineFields, given);
  const [known, ...others] = sameMachines(services, draft);
  if (known === undefined || others.length > 0 || seen.has(known.uuid)) {
    seen.add(createExpected(services, given).uuid);
    return 'created';
  }
  seen.add(known.uuid);
  const { uuid: _, ...values } = given;
  const entries = Object.entries(values).filter(
    ([name, value]) => !isDeepStrictEqual(known[name as keyof ExpectedMachine], value),
  );
  const changes: Partial<ExpectedMachine> = Object.fromEntries(entries);
  checkExpectedMachine(services, { ...known, ...changes });
  return changeSimpleRecord(services, kind, known, changes) === known ? 'unchanged' : 'changed';
}

export const expectedMachineRoutes: readonly Route[] = [importRoute, ...resourceRoutes(expectedMachines)];
