// Checks what a provision request says of the instance.
import {
  describedInstance,
  type DescribedInstance,
  type InstanceRequest,
} from '../../conductor/images/instance-request.ts';
import type { Services } from '../../conductor/services.ts';
import { typed } from '../../lib/json/typed-schema.ts';
import { fault } from '../../model/faults.ts';
import { instanceDescriptionFields } from '../../model/instance/instance.ts';
import { field, schema } from '../../model/records/fields.ts';
import { validatorFor } from '../../model/records/field-validator.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Node } from '../../model/records/node.ts';
import type { ProvisionVerb } from '../../model/states/verbs.ts';

const MOST_MACHINES = 1_000_000;
const MOST_TRAITS = 50;
const LONGEST_TRAIT = 255;
const given = { since: 1, create: true } as const;
const count = typed<number>({ type: 'integer', minimum: 1, maximum: MOST_MACHINES });

const requestFields = {
  profile: field(schema.textOrNull({ minLength: 1, maxLength: 255 }), { initial: null, ...given }),
  number: field(count, { initial: 1, ...given }),
  machines: field(count, { initial: 1, ...given }),
  root_device: field(typed<JsonObject | null>({ type: ['object', 'null'] }), { initial: null, ...given }),
  traits: field(
    typed<readonly string[]>({
      type: 'array',
      maxItems: MOST_TRAITS,
      items: { type: 'string', minLength: 1, maxLength: LONGEST_TRAIT },
    }),
    { initial: [], ...given },
  ),
  ...instanceDescriptionFields,
} as const;

const WHOLE_DRIVE =
  'configdrive is a whole drive already; put host name, keys, user data and network into it, or leave it out';

const validate = validatorFor(requestFields, 'create', []);

interface Asked {
  readonly services: Services;
  readonly node: Node;
  readonly verb: ProvisionVerb;
  readonly given: { readonly instance?: unknown; readonly configdrive?: unknown };
}

/** Returns the instance that the request describes. Throws InvalidSchema, InvalidParameter or ProfileNotFound. */
export function checkedInstance({ services, node, verb, given: asked }: Asked): DescribedInstance {
  if (verb !== 'active' && verb !== 'rebuild')
    throw fault('InvalidParameter', {
      name: 'instance',
      reason: 'it is only valid with target active or rebuild',
    });
  const request = validate('instance', asked.instance) as InstanceRequest;
  const described = describedInstance(services, node, request);
  if (asked.configdrive !== undefined && described.configdrive !== null)
    throw fault('InvalidParameter', { name: 'instance', reason: WHOLE_DRIVE });
  return described;
}
