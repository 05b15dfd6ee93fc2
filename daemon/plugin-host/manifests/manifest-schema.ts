// The JSON Schema of plugin.json, used to check manifests and for completion in editors.
import { configurationSchema } from '../../config/section-schema.ts';
import { interfaceTypes } from '../../model/machine/interface-types.ts';

const NAME = '^[a-z0-9][a-z0-9_-]*$';

const object = (properties: object, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const named = (value: object) => ({
  type: 'object',
  propertyNames: { pattern: NAME },
  additionalProperties: value,
});
const described = (description: string, schema: object) => ({ description, ...schema });

const entryPoints = (what: string) =>
  described(
    `${what} by name: the file, relative to this folder, and the name of the export, as in ./power.ts:acmePower.`,
    named({ type: 'string', pattern: '^\\./[^:]+\\.(ts|js|mjs):[A-Za-z_$][\\w$]*$' }),
  );

const supported = object(
  Object.fromEntries(
    interfaceTypes.map((type) => [
      type,
      described(
        `The ${type} interfaces, the preferred one first. The item "..." stands for the interfaces of the hardware type named in "extends".`,
        {
          type: 'array',
          items: { type: 'string' },
        },
      ),
    ]),
  ),
);

const hardwareType = object(
  {
    extends: described(
      'The hardware type to inherit from. Its interfaces are used for each interface type that is missing from "supported".',
      {
        type: 'string',
        pattern: NAME,
      },
    ),
    supported,
    acceptsAny: described('Whether nodes may use any enabled interface, for experiments. Not inherited.', {
      const: true,
    }),
  },
  ['supported'],
);

export const manifestSchema = object(
  {
    $schema: described('The location of this schema, for editors.', { type: 'string' }),
    name: described('The name of the plugin, which must be unique.', { type: 'string', pattern: NAME }),
    version: described('The version of the plugin, as in 1.2.0.', {
      type: 'string',
      pattern: '^\\d+\\.\\d+\\.\\d+',
    }),
    pluginApi: described(
      'The version of the plugin API that the plugin was written for, as in ^1.0: that version or a later 1.x.',
      {
        type: 'string',
        pattern: '^\\^\\d+\\.\\d+(\\.\\d+)?$',
      },
    ),
    summary: described('The purpose of the plugin, in one line.', { type: 'string', minLength: 1 }),
    entryPoints: described(
      'The code of the plugin.',
      object({
        ...Object.fromEntries(
          interfaceTypes.map((type) => [
            `ironic.hardware.interfaces.${type}`,
            entryPoints(`Implementations of the ${type} interface`),
          ]),
        ),
        'ironic.inspection.hooks': entryPoints('Inspection hooks'),
        'ironic.drivers': entryPoints('Classic drivers'),
      }),
    ),
    hardwareTypes: described(
      'The hardware types that the plugin defines, by name, with the interfaces they support.',
      named(hardwareType),
    ),
    configuration: described('Sections of the configuration file that the plugin adds.', configurationSchema),
  },
  ['name', 'version', 'pluginApi', 'summary'],
);
