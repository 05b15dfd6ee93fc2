// Writes out types that the code computes from data, because their declarations would not tell a reader anything.
import { type FieldTable, shownSchema } from '../model/records/fields.ts';
import { inspectedNodeFields } from '../model/records/inspected-fields.ts';
import { nodeFields } from '../model/records/node.ts';
import { portFields } from '../model/records/port.ts';
import { provisionStates } from '../model/states/provision-states.ts';
import { provisionVerbs } from '../model/states/verbs.ts';

/** The types of fields whose schemas do not determine the type. */
const special: Readonly<Record<string, string>> = {
  power_state: 'PowerState | null',
  target_power_state: 'PowerState | null',
  provision_state: 'ProvisionState',
  target_provision_state: 'ProvisionState | null',
  boot_mode: 'BootMode | null',
};

const unionOf = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' | ');

/** The declaration of a record with the fields that plugins see. */
function recordDeclaration(name: string, fields: FieldTable): string {
  const lines = Object.entries(fields)
    .filter(([, { computed }]) => computed !== true)
    .map(([key, each]) => `  readonly ${key}: ${special[key] ?? typeOf(shownSchema(each))};`);
  return `interface ${name} {\n${lines.join('\n')}\n}`;
}

const names: Readonly<Record<string, string>> = {
  object: 'JsonObject',
  array: 'readonly string[]',
  integer: 'number',
};

function typeOf(schema: object): string {
  const { type = [] } = schema as { readonly type?: string | readonly string[] };
  return [type]
    .flat()
    .map((each) => names[each] ?? each)
    .join(' | ');
}

/** Declarations by the name of the type. */
export const writtenTypes: Readonly<Record<string, string>> = {
  Node: recordDeclaration('Node', nodeFields),
  Port: recordDeclaration('Port', portFields),
  InspectedNodeField: `type InspectedNodeField = ${unionOf(inspectedNodeFields)};`,
  ProvisionState: `type ProvisionState = ${unionOf(provisionStates)};`,
  ProvisionVerb: `type ProvisionVerb = ${unionOf(provisionVerbs)};`,
};
