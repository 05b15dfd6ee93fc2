// The manual of inspection rules: their form, and every operator of conditions and actions.
import { inspectedNodeFields, inspectedPortFields } from '../model/inspected-fields.ts';
import { actionOperators, conditionOperators, type Operator } from '../model/rule-operators.ts';
import { markdownTable } from './markdown-table.ts';

/** A rule as a client posts it; a test has it accepted and run. */
export const exampleRule = {
  description: 'Racked Dell machines',
  priority: 100,
  conditions: [
    { op: 'contains', args: { value: '{inventory[system_vendor][manufacturer]}', regex: '(?i)dell' } },
    { op: '!is-empty', args: { value: '{inventory[bmc_address]}' } },
    {
      op: 'in-net',
      args: { address: '{inventory[bmc_address]}', subnet: '{item}' },
      loop: ['192.0.2.0/24', '198.51.100.0/255.255.255.0'],
      multiple: 'any',
    },
  ],
  actions: [
    {
      op: 'set-attribute',
      args: { path: '{item[path]}', value: '{item[value]}' },
      loop: [
        { path: 'driver_info/redfish_address', value: 'https://{inventory[bmc_address]}' },
        { path: 'extra/cpus', value: '{inventory[cpu][count]:0>4}' },
      ],
    },
    { op: 'add-trait', args: { name: 'CUSTOM_{inventory[cpu][count]}_CPUS' } },
    { op: 'log', args: { msg: 'new in rack: {inventory[system_vendor][product_name]!r}', level: 'info' } },
  ],
};

export const inspectionRulesPage = (): string => `# Inspection rules

What a site makes of the machines it inspects, without code. Rules run after the inspection hooks, on what these left,
and before anything is stored. \`/v1/inspection_rules\` keeps them (API 1.96); \`[inspection_rules] built_in_rules\` names a
YAML file with more, a list of the same objects. \`ironic-edge inspect replay FILE --rules RULES\` tries a file of rules
on a saved report, and \`ironic-edge inspect reprocess NODE --dry-run\` tries the stored rules on a node.

\`\`\`json
${formatted(exampleRule)}
\`\`\`

The rule with the highest \`priority\` runs first (0 to 9999; any integer in the file), and of equals the one that was made
first. A rule acts when all its conditions hold, or has none; its actions run in order, and each sees what the ones
before it did. An action that cannot be done fails the inspection: nothing is stored, and \`last_error\` of the node names
the rule, the action and, where there is one, the field. A \`sensitive\` rule never shows its conditions and actions.

## Conditions

\`!\` before an operator inverts it.

${tableOf(conditionOperators, 'holds when')}

## Actions

${tableOf(actionOperators, 'does')}

Optional arguments are in brackets. Arguments may also be a list, in the order of the table.

## Paths

\`/extra/rack\`, \`extra/rack\` and \`extra.rack\` are the same; where there is a slash, dots belong to the names. Objects on
the way are made. In plugin data only dots separate. Rules may change what clients may, under the rules of a PATCH:

- of a node: ${inlineList(inspectedNodeFields)};
- of a port: ${inlineList(inspectedPortFields)}.

## References

Texts refer to \`node\`, \`inventory\`, \`plugin_data\` and, in a loop, \`item\`, in the form of Python's \`str.format\`:
\`{node.driver_info[ipmi_address]}\`, \`{inventory[interfaces][0][mac_address]}\`, with conversions and formats
(\`{inventory[cpu][count]:>4}\`, \`{node.name!r}\`). What is filled in is always a text: null is None, true is True. They are
filled in at every depth of the arguments, the keys of objects included, but not in the arguments that the tables mark
with *. A text with a reference that leads nowhere is taken as it stands, with a warning in the log; \`is-empty\` takes it
as empty. What a machine reported is never read as a reference.

Unlike in Python, only the node has attributes (no \`{inventory.cpu}\`, and no methods), and a format may ask for at most
10000 characters. JSON does not tell 8.0 from 8: numbers without a fraction are integers.

Keys whose names tell of a secret read as \`***\`, unless \`[inspection_rules] mask_secrets\` is \`never\`, or \`sensitive\` and
the rule is sensitive.

## Loops

With \`loop\`, a list, a condition or action runs once for each \`item\`; an object is the only item. An empty loop counts as no loop.
In a loop references are filled in everywhere: first in the items, then in all arguments, those marked with * included;
numbers from references are compared as texts. \`multiple\` says how the results of a condition make one: \`any\` (unless
given), \`all\`, \`first\` (the same as \`any\`) or \`last\`.

Drawn from \`daemon/model/rule-operators.ts\` by \`npm run docs\`.
`;

/** JSON as the formatter leaves it: a list of texts is one line. */
const formatted = (rule: object): string =>
  JSON.stringify(rule, null, 2).replaceAll(
    /\[\s+("[^"]*"(?:,\s+"[^"]*")*)\s+\]/g,
    (_, texts: string) => `[${texts.replaceAll(/\s+/g, ' ')}]`,
  );

function tableOf(operators: Readonly<Record<string, Operator>>, meaning: string): string {
  const rows = Object.entries(operators).map(([op, operator]) => [
    `\`${op}\``,
    argumentsOf(operator),
    operator.meaning,
  ]);
  return markdownTable(['operator', 'arguments', meaning], rows);
}

function argumentsOf({ required, optional = {}, literal = [] }: Operator): string {
  const shown = (name: string) => `\`${name}\`${literal.includes(name) ? '*' : ''}`;
  return [
    ...Object.keys(required).map(shown),
    ...Object.keys(optional).map((name) => `[${shown(name)}]`),
  ].join(', ');
}

const inlineList = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
