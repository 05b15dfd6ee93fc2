// Hardware classes: what the machines of a resource class were ordered with. What a class leaves out (null, or an
// empty list) may be anything.
import { typed } from '../../lib/json/typed-schema.ts';
import { type Field, field, type RecordOf, schema } from '../records/fields.ts';
import { type StopStage, stopStages } from '../zero-touch/stages.ts';
import { type DiskKind, diskKinds } from './hardware.ts';

export interface DiskGroup {
  readonly count: number;
  /** As disks are sold: 480, 1920. */
  readonly size_gb: number;
  readonly kind?: DiskKind;
}

export interface CardGroup {
  readonly count: number;
  readonly speed_mbps?: number;
}

export interface AcceleratorGroup {
  readonly count: number;
  /** PCI vendor and device: `10de:2236`. */
  readonly device: string;
}

const writable = { create: true, update: true } as const;
const optional = { since: 1, initial: null, ...writable } as const;
const MOST_GROUPS = 32;
const list = { since: 1, initial: [], ...writable } as const;
const TOLERANCE = { since: 1, initial: 2, ...writable } as const;

const number = (maximum: number) =>
  field(typed<number | null>({ type: ['integer', 'null'], minimum: 1, maximum }), optional);
const percent = () => field(typed<number>({ type: 'integer', minimum: 0, maximum: 50 }), TOLERANCE);

function groups<T>(
  properties: object,
  required: readonly string[],
): Field<ReturnType<typeof typed<readonly T[]>>> {
  const count = { type: 'integer', minimum: 1, maximum: 512 };
  const items = {
    type: 'object',
    properties: { count, ...properties },
    required: ['count', ...required],
    additionalProperties: false,
  };
  return field(typed<readonly T[]>({ type: 'array', maxItems: MOST_GROUPS, items }), list);
}

export const hardwareClassFields = {
  uuid: field(schema.uuid(), { since: 1, create: true, initial: '' }),
  /** The `resource_class` of the nodes whose machines must match. */
  name: field(schema.text({ minLength: 1, maxLength: 80 }), { since: 1, initial: '', ...writable }),
  description: field(schema.textOrNull({ maxLength: 255 }), optional),
  /** Whether `provide` refuses a machine that differs. */
  required: field(schema.flag(), { since: 1, initial: false, ...writable }),
  cpus: number(1024),
  cores: number(65_536),
  threads: number(65_536),
  memory_mib: number(1_073_741_824),
  memory_tolerance_percent: percent(),
  disks: groups<DiskGroup>(
    {
      size_gb: { type: 'number', exclusiveMinimum: 0, maximum: 1e7 },
      kind: { type: 'string', enum: diskKinds },
    },
    ['size_gb'],
  ),
  disk_tolerance_percent: percent(),
  network_cards: groups<CardGroup>({ speed_mbps: { type: 'integer', minimum: 1, maximum: 1e8 } }, []),
  accelerators: groups<AcceleratorGroup>(
    { device: { type: 'string', pattern: '^[0-9a-f]{4}:[0-9a-f]{4}$' } },
    ['device'],
  ),
  /** The versions that are allowed. */
  firmware: field(
    typed<readonly string[]>({
      type: 'array',
      maxItems: MOST_GROUPS,
      items: { type: 'string', minLength: 1, maxLength: 64 },
    }),
    list,
  ),
  /** What is done with a new machine of the class. The runbooks run in this order before the machine becomes available. */
  runbooks: field(
    typed<readonly string[]>({
      type: 'array',
      maxItems: MOST_GROUPS,
      uniqueItems: true,
      items: { type: 'string', minLength: 1, maxLength: 255 },
    }),
    list,
  ),
  /** Whether a new machine may be cleaned although its disks hold data. */
  erase_disks: field(schema.flag(), { since: 1, initial: false, ...writable }),
  /** The stage after which a new machine waits for an operator; null: it goes on to `available`. */
  stop_after: field(
    typed<StopStage | null>({ type: ['string', 'null'], enum: [...stopStages, null] }),
    optional,
  ),
  created_at: field(schema.timeOrNull(), { since: 1, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 1, initial: null }),
} as const;

export type HardwareClass = RecordOf<typeof hardwareClassFields>;
export const hardwareClassSummary = ['uuid', 'name', 'description', 'required'] as const;
