// The manual page ironic-edge-plugin(5), made of the schema of plugin.json.
import { interfaceTypes } from '../../model/machine/interface-types.ts';
import { manifestSchema } from '../../plugin-host/manifests/manifest-schema.ts';
import { type Page, prose, type Reference, termList } from './mdoc.ts';

export const PLUGIN_PAGE = { name: 'ironic-edge-plugin', section: 5 } as const satisfies Reference;

/** The part of a JSON schema that the page shows. */
interface Shown {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shown>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shown | false;
}

const FOLDER = `A plugin adds hardware types, interfaces, inspection hooks or options to the daemon. It is a folder with a
manifest, the file \`plugin.json\`, and with code in TypeScript or JavaScript that needs no build. The daemon finds the plugins
that are directly in the directories of \`[plugins] path\`. It does not load a plugin whose folder or manifest belongs neither
to root nor to the daemon's user, or can be written by every user; \`ironic-edge plugin list\` says why.`;

const CODE = `The code imports \`#plugin-api\` and nothing else of the daemon. \`ironic-edge plugin new\` NAME writes a plugin that
works, with tests and with the schema of the manifest for editors; \`ironic-edge plugin check\` FOLDER tests it.`;

const DOCUMENTS = `In \`/usr/share/doc/ironic-edge/docs\` with the Debian package, and in \`daemon/docs\` of a checkout,
\`writing-a-plugin.md\` leads from an empty folder to a plugin, and \`plugin-api.md\` describes all that code may import.`;

/** `example`: the text of a manifest. */
export const pluginPage = (example: string, also: readonly Reference[]): Page => ({
  ...PLUGIN_PAGE,
  about: 'a plugin of ironic-edge and its manifest',
  description: [
    ...prose(FOLDER),
    '.Pp',
    ...prose(CODE),
    '.Sh MANIFEST',
    ...prose('`plugin.json` is one JSON object:'),
    ...fieldList(manifestSchema as Shown),
    '.Pp',
    ...prose(`TYPE is ${interfaceTypes.join(', ')}.`),
    '.Sh FILES',
    ...prose(DOCUMENTS),
  ],
  examples: [example],
  also,
});

function fieldList({ properties = {}, required = [] }: Shown): readonly string[] {
  const fields = new Map(
    Object.entries(properties).map(([name, field]) => {
      const type = interfaceTypes.find((each) => name.split('.').at(-1) === each) ?? '';
      // the fields of all interface types are described once
      const [term, about] = [name, field.description ?? ''].map((text) =>
        type === '' ? text : text.replace(type, 'TYPE'),
      );
      return [term ?? name, { about: about ?? '', field, isRequired: required.includes(name) }] as const;
    }),
  );
  return termList(
    [...fields].map(([term, { about, field, isRequired }]) => ({
      term,
      lines: [...prose(isRequired ? `${about} Required.` : about), ...below(field)],
    })),
  );
}

/** Lists the fields of an object. If its keys are free names, lists the fields of the objects under these names. */
function below({ properties, additionalProperties: named }: Shown): readonly string[] {
  const inner = properties === undefined ? named : { properties };
  return inner === undefined || inner === false || inner.properties === undefined ? [] : fieldList(inner);
}
