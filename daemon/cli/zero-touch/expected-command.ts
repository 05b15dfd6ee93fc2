// `ironic-edge expected`: the machines that an operator expects. `import` reads lists of them, also those of vendors.
import type { JsonObject } from '../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP } from '../api-client.ts';
import { commandOf, OUTPUT, TEXT, WrongArguments } from '../command.ts';
import { recordCommand } from '../records/record-commands.ts';
import { cellText, formatted, OUTPUT_HELP } from '../text-table.ts';
import { fieldNames, machinesIn } from './expected-list.ts';

const importList = commandOf({
  usage: `usage: ironic-edge expected import FILE [--column TITLE=FIELD]... [--format FORMAT]

Adds the machines of a list to those that are expected. All are added, or none. A machine that is in the list of the daemon already
gets the values of the file. The file holds passwords: it must be readable for its owner only (mode 0600). Delete it afterwards.

  FILE                   CSV with a line of titles, or YAML or JSON with a list of mappings; - is the standard input, as YAML or JSON
  --column TITLE=FIELD   the CSV has FIELD in the column TITLE, as in --column "Service Tag=serial_number"; other columns count
                         when their title is a field, and are left out when it is none

The fields: ${fieldNames.join(', ')}.
Several MAC addresses or traits in one column of CSV are separated by blanks.

${OUTPUT_HELP}
${ENVIRONMENT_HELP}`,
  options: { column: { ...TEXT, multiple: true }, ...OUTPUT },
  positionals: ['FILE'],
  async run({ values, positionals: [file] }, { environment, stdout }) {
    const machines = machinesIn(file, columnsIn(values.column ?? []));
    const { body } = await createApiClient(environment).request(
      'POST',
      '/v1/expected_machines/import',
      machines,
    );
    const { created, changed, unchanged } = body as JsonObject;
    const said = `${cellText(created)} added, ${cellText(changed)} changed, ${cellText(unchanged)} as before\n`;
    stdout.write(formatted(values, body, () => said));
    return 0;
  },
});

/** Returns the fields by the titles of their columns. */
function columnsIn(given: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    given.map((text) => {
      const at = text.lastIndexOf('=');
      const field = text.slice(at + 1);
      if (at < 1 || !fieldNames.includes(field))
        throw new WrongArguments(
          `--column ${JSON.stringify(text)}: expected TITLE=FIELD, with one of the fields ${fieldNames.join(', ')}`,
        );
      return [text.slice(0, at), field];
    }),
  );
}

export const expectedCommand = recordCommand('expected', {
  import: {
    about: 'add the machines of a list, such as a delivery list of a vendor',
    load: async () => importList,
  },
});
