// Compares a machine with its records in the receiving service. Only fields that cannot be moved may differ.
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import { nodeFields } from '../../../model/records/node.ts';
import { maskSecrets } from '../../../model/secrets.ts';
import { cellText } from '../../text-table.ts';
import { addedKeys, BACKFILL_MINOR, carriedFields, partBody, partKinds } from './carried-fields.ts';
import type { MovedMachine, Maintenance } from './machine.ts';
import type { MovePlan } from './plan-move.ts';

export interface Difference extends JsonObject {
  readonly what: string;
  readonly here: Json;
  readonly there: Json;
}

interface Stage {
  readonly minor: number;
  /** Whether the machine has been handed over; until then, its node in the receiving service is in maintenance. */
  readonly isFinished: boolean;
  readonly before: Maintenance;
}

type Moved = Extract<MovePlan, { kind: 'move' }>;

export function differences(
  { machine, arrival }: Moved,
  there: MovedMachine,
  stage: Stage,
): readonly Difference[] {
  const expected = { ...machine.node, ...expectedStates(arrival, stage) };
  const fields = [...carriedFields, 'traits' as const, ...checkedStates(stage)].filter(
    (field) => nodeFields[field].since <= stage.minor,
  );
  return [
    ...fields.flatMap((field) => {
      const [here, shown] = [expected[field] as Json, there.node[field] as Json];
      return differing(field, here, withoutAdded(shown, here, addedKeys[field] ?? []));
    }),
    ...partKinds
      .filter(({ since }) => since <= stage.minor)
      .flatMap(({ what, part, fields: declared }) =>
        partDifferences(
          what,
          bodies(machine[part], declared, stage.minor),
          bodies(there[part], declared, stage.minor),
        ),
      ),
    ...(stage.minor < BACKFILL_MINOR
      ? []
      : differing('allocation', idOf(machine.allocation), idOf(there.allocation))),
  ];
}

/** After the hand-over, the power state is not compared: the user of the instance may switch the machine off and on. */
const checkedStates = ({ isFinished }: Stage) =>
  isFinished
    ? (['provision_state', 'maintenance'] as const)
    : (['provision_state', 'maintenance', 'power_state'] as const);

const STATES = {
  'in use': 'active',
  available: 'available',
  failed: 'manageable',
  idle: 'manageable',
  unknown: 'enroll',
} as const;

function expectedStates(arrival: Moved['arrival'], { isFinished, before }: Stage) {
  const isHeld = arrival === 'available' && !isFinished;
  return {
    provision_state: isHeld ? 'manageable' : STATES[arrival],
    maintenance: !isFinished || arrival === 'failed' || before.maintenance,
  };
}

type Bodies = ReadonlyMap<string, JsonObject>;

const bodies = (
  records: readonly JsonObject[],
  fields: Parameters<typeof partBody>[0],
  minor: number,
): Bodies => new Map(records.map((record) => [cellText(record['uuid']), partBody(fields, record, minor)]));

const partDifferences = (what: string, here: Bodies, there: Bodies): readonly Difference[] =>
  [...new Set([...here.keys(), ...there.keys()])].flatMap((uuid) =>
    differing(`${what} ${uuid}`, here.get(uuid) ?? null, there.get(uuid) ?? null),
  );

const idOf = (record: JsonObject | undefined): Json => record?.['uuid'] ?? null;

const withoutAdded = (there: Json, here: Json, added: readonly string[]): Json =>
  isJsonObject(there) && isJsonObject(here)
    ? Object.fromEntries(Object.entries(there).filter(([key]) => key in here || !added.includes(key)))
    : there;

/**
 * An interface that the receiving service does not offer is null in the plan, and is not compared: the service chooses its own.
 */
function differing(what: string, here: Json, there: Json): readonly Difference[] {
  const isLeft = here === null && what.endsWith('_interface');
  const [mine, theirs] = [comparable(here), comparable(there)];
  return isLeft || isDeepStrictEqual(mine, theirs) ? [] : [{ what, here: mine, there: theirs }];
}

/** Masks secrets, because the services mask them, and sorts lists such as traits, because their order does not matter. */
function comparable(value: Json): Json {
  const masked = maskSecrets(value);
  return Array.isArray(masked) ? masked.toSorted((a, b) => (String(a) < String(b) ? -1 : 1)) : masked;
}
