// Writes out types that are computed by code, because their declarations would not tell a reader anything.
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

const written: Readonly<Record<string, () => string>> = {
  Node: () => recordDeclaration('Node', nodeFields),
  Port: () => recordDeclaration('Port', portFields),
  InspectedNodeField: () => `type InspectedNodeField = ${unionOf(inspectedNodeFields)};`,
  ProvisionState: () => `type ProvisionState = ${unionOf(provisionStates)};`,
  ProvisionVerb: () => `type ProvisionVerb = ${unionOf(provisionVerbs)};`,
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

/**
 * Returns the declaration, in which types that code computes are written out. `source`: the text of the file that declares the
 * type. A type that is computed from a list in that file becomes the union of the list's items.
 */
export function writtenOut(name: string, declaration: string, source: string): string {
  const [comment = ''] = /^\/\*\*[^]*?\*\/\s*/.exec(declaration) ?? [];
  const whole = written[name];
  if (whole !== undefined) return `${comment}${whole()}`;
  return declaration.replaceAll(/\(typeof (\w+)\)\[number\]/g, (as, list: string) => {
    const [, after] = source.split(`const ${list} = [`);
    const [items] = after?.split('] as const') ?? [];
    return items === undefined
      ? as
      : items
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== '')
          .join(' | ');
  });
}
