// Resources that are lists of steps: deploy templates and runbooks.
import { typed } from '../lib/typed-schema.ts';
import { field, type RecordOf, schema } from './fields.ts';
import type { JsonObject } from './json.ts';

const writable = { create: true, update: true } as const;
const priority = {
  anyOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^[0-9]+$' },
  ],
};
const stepInterface = {
  type: 'string',
  enum: ['vendor', 'power', 'management', 'firmware', 'deploy', 'bios', 'raid'],
};
const stepName = { type: 'string', minLength: 1 };
const steps = <T>(properties: object, required: readonly string[]) =>
  typed<readonly T[]>({
    type: 'array',
    minItems: 1,
    items: { type: 'object', properties, required, additionalProperties: false },
  });

export interface TemplateStep {
  readonly interface: string;
  readonly step: string;
  readonly args: JsonObject;
  readonly priority: number | string;
}

export const deployTemplateFields = {
  uuid: field(schema.uuid(), { since: 55, create: true, initial: '' }),
  name: field(schema.text({ minLength: 1, maxLength: 255 }), { since: 55, initial: '', ...writable }),
  steps: field(
    steps<TemplateStep>({ interface: stepInterface, step: stepName, args: { type: 'object' }, priority }, [
      'interface',
      'step',
      'args',
      'priority',
    ]),
    { since: 55, initial: [], ...writable },
  ),
  extra: field(schema.object(), { since: 55, initial: {}, ...writable }),
  created_at: field(schema.timeOrNull(), { since: 55, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 55, initial: null }),
} as const;
export type DeployTemplate = RecordOf<typeof deployTemplateFields>;

export interface RunbookStep {
  readonly interface: string;
  readonly step: string;
  readonly args?: JsonObject;
  readonly order: number | string;
}

export const runbookFields = {
  uuid: field(schema.uuid(), { since: 92, create: true, initial: '' }),
  name: field(schema.text({ minLength: 1, maxLength: 255 }), { since: 92, initial: '', ...writable }),
  description: field(schema.textOrNull({ maxLength: 255 }), { since: 112, initial: null, ...writable }),
  steps: field(
    steps<RunbookStep>(
      { interface: stepInterface, step: stepName, args: { type: 'object' }, order: priority },
      ['interface', 'step', 'order'],
    ),
    { since: 92, initial: [], ...writable },
  ),
  disable_ramdisk: field(schema.flag(), { since: 92, initial: false, ...writable }),
  extra: field(schema.object(), { since: 92, initial: {}, ...writable }),
  public: field(schema.flag(), { since: 92, initial: false, ...writable }),
  owner: field(schema.textOrNull({ maxLength: 255 }), { since: 92, initial: null, ...writable }),
  traits: field(typed<readonly string[]>({ type: 'array' }), { since: 112, initial: [] }),
  created_at: field(schema.timeOrNull(), { since: 92, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 92, initial: null }),
} as const;
export type Runbook = RecordOf<typeof runbookFields>;
export const stepListSummary = ['uuid', 'name'] as const;
