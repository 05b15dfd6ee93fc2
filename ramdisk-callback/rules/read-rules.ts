// Reads inspection rules from a YAML file.
import { validatorFor } from '../../daemon/model/records/field-validator.ts';
import { reasonOf } from '../../daemon/model/faults.ts';
import { field } from '../../daemon/model/records/fields.ts';
import { inspectionRuleFields } from '../../daemon/model/rules/inspection-rule.ts';
import type { JsonObject } from '../../daemon/model/json.ts';
import { parseAction, parseCondition } from '../../daemon/model/rules/rule-parts.ts';
import { readYaml } from '../../daemon/lib/files/read-yaml.ts';
import { typed } from '../../daemon/lib/json/typed-schema.ts';
import type { Rule } from '../../daemon/model/rules/inspection-rule.ts';

// the priority of a built-in rule may be outside the range of the API, to run it before or after all stored rules
const priority = field(typed<number>({ type: 'integer' }), { since: 1, create: true, initial: 0 });
const validate = validatorFor({ ...inspectionRuleFields, priority }, 'create', ['actions']);

/**
 * Returns the rules in `file`. `namedBy`: the option that names the file. Throws an Error that names the option, the file and, if
 * one rule is wrong, the number of that rule.
 */
export function readRules(file: string, namedBy: string): readonly Rule[] {
  try {
    const rules: unknown = readYaml(file);
    if (!Array.isArray(rules)) throw new Error('it is not a list of rules');
    return rules.map(parseRule);
  } catch (error) {
    throw new Error(`The file of ${namedBy}, ${file}, cannot be used: ${reasonOf(error)}`, { cause: error });
  }
}

const parts = (list: unknown) => (list ?? []) as readonly JsonObject[];

function parseRule(given: unknown, index: number): Rule {
  const { conditions, actions, ...rule } = validate(`rule ${index + 1}`, given);
  try {
    return {
      uuid: `00000000-0000-0000-0000-${index.toString(16).padStart(12, '0')}`,
      description: null,
      priority: 0,
      sensitive: false,
      ...rule,
      conditions: parts(conditions).map(parseCondition),
      actions: parts(actions).map(parseAction),
    };
  } catch (error) {
    throw new Error(`rule ${index + 1}: ${reasonOf(error)}`, { cause: error });
  }
}
