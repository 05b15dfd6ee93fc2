// The manual of inspection rules: their syntax, and every operator of conditions and actions.
import { inspectedNodeFields, inspectedPortFields } from '../model/records/inspected-fields.ts';
import { actionOperators, conditionOperators, type Operator } from '../model/rules/rule-operators.ts';
import { markdownTable } from './markdown-table.ts';

/** A rule as a client posts it; a test creates and runs it. */
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

Rules process the results of inspections without code. They run after the inspection hooks, on their results, before
anything is stored. They are managed at \`/v1/inspection_rules\` (API 1.96); \`[inspection_rules] built_in_rules\`
names a YAML file with a list of further rules. \`ironic-edge inspect replay FILE --rules RULES\` tries a file of
rules on a saved report, and \`ironic-edge inspect reprocess NODE --dry-run\` tries the stored rules on a node.

\`\`\`json
${formatted(exampleRule)}
\`\`\`

The rule with the highest \`priority\` runs first; of rules with equal priority, the one created first, and built-in rules
last. A priority is 0 to 9999; in the file of built-in rules, any integer. The actions of a rule run if all its conditions
hold, or if it has none. They run in order, and each sees the changes of those before it. An action that cannot be carried
out, or a condition that cannot be evaluated, fails the inspection: nothing is stored, and the node's \`last_error\` names the
rule, the action or condition, and the field, if any.
The API never shows the conditions and actions of a \`sensitive\` rule.

## Conditions

\`!\` before an operator inverts it.

${tableOf(conditionOperators, 'holds when')}

## Actions

${tableOf(actionOperators, 'effect')}

Optional arguments are in brackets. Arguments may also be given as a list, in the order of the table.

## Paths

\`/extra/rack\`, \`extra/rack\` and \`extra.rack\` are the same; if there is a slash, dots are part of the names. Missing
objects along the path are created. In plugin data, only dots separate names. Rules may change the following fields, and
each change is checked like a PATCH:

- of a node: ${inlineList(inspectedNodeFields)};
- of a port: ${inlineList(inspectedPortFields)}.

## References

Strings may refer to \`node\`, \`inventory\`, \`plugin_data\` and, in a loop, \`item\`, in the syntax of Python's \`str.format\`:
\`{node.driver_info[ipmi_address]}\`, \`{inventory[interfaces][0][mac_address]}\`, with conversions and formats
(\`{inventory[cpu][count]:>4}\`, \`{node.name!r}\`). The result is always a string: null becomes None, true becomes True.
References are filled in at every depth of the arguments, including the keys of objects, but not in arguments marked
with * in the tables. A string with a reference to a missing value is left unchanged, with a warning in the log; for
\`is-empty\`, it counts as empty. Data reported by a machine is never interpreted as a reference.

Unlike in Python, only the node has attributes (no \`{inventory.cpu}\`, and no methods), and a format may produce at most
10000 characters. JSON does not distinguish 8.0 from 8: numbers without a fraction are integers.

In references, values whose keys look like secrets are replaced by \`***\`, unless \`[inspection_rules] mask_secrets\` is
\`never\`, or the option is \`sensitive\` and the rule is sensitive.

## Loops

\`loop\` is a list, and the condition or action runs once for each \`item\` of the list. An object counts as a list of one item,
and an empty loop as no loop. In a loop, references are filled in everywhere: first in the items, then in all arguments,
including those marked with *; \`eq\`, \`lt\` and \`gt\` compare all values as strings. \`multiple\` says how the results of a
condition are combined: \`any\` (the default), \`all\`, \`first\` (the same as \`any\`) or \`last\`.

Generated from \`daemon/model/rules/rule-operators.ts\` by \`npm run docs\`.
`;

/** Returns the JSON of a rule as oxfmt would format it: with a list of strings on one line. */
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
