// Lists of steps: in deploy templates, in runbooks, and in requests to provision a node.
import { typed } from '../../lib/json/typed-schema.ts';
import { field, type RecordOf, schema } from '../records/fields.ts';
import type { JsonObject } from '../json.ts';

const writable = { create: true, update: true } as const;
const digits = {
  anyOf: [
    { type: 'integer', minimum: 0, maximum: 999_999_999 },
    { type: 'string', pattern: '^[0-9]{1,9}$' },
  ],
};
const step = {
  interface: {
    type: 'string',
    enum: ['vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid'],
  },
  step: { type: 'string', minLength: 1 },
  args: { type: 'object' },
};
const steps = <T>(properties: object, required: readonly string[]) =>
  typed<readonly T[]>({
    type: 'array',
    minItems: 1,
    items: { type: 'object', properties, required, additionalProperties: false },
  });

// Steps are stored as JSON: TypeScript accepts a type alias as JsonObject, but not an interface

/** The properties that all kinds of steps have. */
export type NamedStep = {
  readonly interface: string;
  readonly step: string;
  readonly args?: JsonObject;
};

/** Returns the name of a step in messages and options: INTERFACE.STEP. */
export const stepName = (named: Pick<NamedStep, 'interface' | 'step'>): string =>
  `${named.interface}.${named.step}`;

/** A step of a deployment. Steps with a higher priority run earlier; priority 0 leaves the step out. */
export type DeployStep = NamedStep & {
  readonly args: JsonObject;
  readonly priority: number;
};

/** A step of a runbook; steps run from the lowest order to the highest. */
export type RunbookStep = NamedStep & {
  readonly order: number;
};

/** A step of a request to clean or service a node; steps run in the listed order. */
export type RequestedStep = NamedStep & {
  readonly order?: number;
  readonly execute_on_child_nodes?: boolean;
  /** The UUIDs of the child nodes that run the step; by default all. */
  readonly limit_child_node_execution?: readonly string[];
};

const deploySteps = steps<DeployStep>({ ...step, priority: digits }, [
  'interface',
  'step',
  'args',
  'priority',
]);

export const deployTemplateFields = {
  uuid: field(schema.uuid(), { since: 55, create: true, initial: '' }),
  name: field(schema.text({ minLength: 1, maxLength: 255 }), { since: 55, initial: '', ...writable }),
  steps: field(deploySteps, { since: 55, initial: [], ...writable }),
  extra: field(schema.object(), { since: 55, initial: {}, ...writable }),
  created_at: field(schema.timeOrNull(), { since: 55, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 55, initial: null }),
} as const;
export type DeployTemplate = RecordOf<typeof deployTemplateFields>;

export const runbookFields = {
  uuid: field(schema.uuid(), { since: 92, create: true, initial: '' }),
  name: field(schema.text({ minLength: 1, maxLength: 255 }), { since: 92, initial: '', ...writable }),
  description: field(schema.textOrNull({ maxLength: 255 }), { since: 112, initial: null, ...writable }),
  steps: field(steps<RunbookStep>({ ...step, order: digits }, ['interface', 'step', 'order']), {
    since: 92,
    initial: [],
    ...writable,
  }),
  disable_ramdisk: field(schema.flagOrInitial(), { since: 92, initial: false, ...writable }),
  extra: field(schema.object(), { since: 92, initial: {}, ...writable }),
  public: field(schema.flagOrInitial(), { since: 92, initial: false, ...writable }),
  owner: field(schema.textOrNull({ maxLength: 255 }), { since: 92, initial: null, ...writable }),
  traits: field(typed<readonly string[]>({ type: 'array' }), { since: 112, initial: [] }),
  created_at: field(schema.timeOrNull(), { since: 92, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 92, initial: null }),
} as const;
export type Runbook = RecordOf<typeof runbookFields>;
export const stepListSummary = ['uuid', 'name'] as const;

const requestedSteps = steps<RequestedStep>(
  {
    ...step,
    order: digits,
    execute_on_child_nodes: { type: 'boolean' },
    limit_child_node_execution: { type: 'array', items: { type: 'string' } },
  },
  ['interface', 'step'],
);

/** The lists of steps that a provision request may contain. */
export const requestedStepFields = {
  clean_steps: field(requestedSteps, { since: 15, create: true, initial: [] }),
  deploy_steps: field(deploySteps, { since: 69, create: true, initial: [] }),
  service_steps: field(requestedSteps, { since: 87, create: true, initial: [] }),
} as const;
